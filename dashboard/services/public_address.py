"""The address under which others open Perfatlas: every link that it hands out begins with it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings


def public_url(path: str, *, opened_at: str) -> str:
    """The address of `path` for others: below PERFATLAS_PUBLIC_URL, or else `opened_at`, where Perfatlas was opened now.

    `path` begins with a slash; `opened_at` is scheme and host.
    """
    return (settings.PUBLIC_URL or opened_at).rstrip("/") + path


def reach_warning(url: str) -> str:
    """Why nobody on another machine can open an address, and what to do; "" where they may."""
    host = urlsplit(url).hostname or ""
    try:
        number = ip_address(host)
        is_here = number.is_loopback or number.is_unspecified
    except ValueError:
        is_here = host == "localhost" or host.endswith(".localhost")
    if not is_here:
        return ""
    return (
        f"Only this machine reaches {host}: on another one the link opens nothing. Set PERFATLAS_PUBLIC_URL to the "
        "address that others use."
    )
