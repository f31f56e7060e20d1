"""Sending JSON to an address that somebody wrote: to public machines alone, over TLS, without following redirects.

A name is looked up once, and the connection goes to the very address that was checked: a name that leads elsewhere a moment
later gains nothing. Hosts that `PERFATLAS_ALERT_INNER_HOSTS` names may be inner ones, also without TLS.
"""

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Timer
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from dashboard.access import Refused
from dashboard.services.mail import NotDelivered

LONGEST = 1000
_SCHEMES = ("https", "http")
# In seconds: for each answer of the other side, and for all together.
_PATIENCE, _ALL = 10.0, 30.0
# What else is told to come again later.
_AGAIN = (408, 425, 429)


def checked_webhook(text: str) -> str:
    """The address as it is kept. Raises `Refused` for what is no address of a webhook that may be called."""
    address = text.strip()
    if not address:
        return ""
    if len(address) > LONGEST:
        raise Refused(f"the webhook's address has {len(address)} characters: at most {LONGEST} are kept")
    parts = _parts(address)
    host = parts.hostname if parts else None
    if parts is None or not host or not address.isascii() or not address.isprintable() or " " in address:
        raise Refused("the webhook is no address: begin it with https://")
    if parts.username or parts.password:
        raise Refused("the webhook's address holds a name or a password: only its path may hold a secret")
    if host not in settings.ALERT_INNER_HOSTS:
        if parts.scheme != "https":
            raise Refused("the webhook must begin with https:// for others not to read its secret on the way")
        if _is_inner_number(host) or not {".", ":"} & set(host):
            raise Refused(
                f"{host} is no public machine: PERFATLAS_ALERT_INNER_HOSTS names the inner ones that may be called"
            )
    return address


def host_of(address: str) -> str:
    """What may be shown of the address of a webhook."""
    parts = _parts(address)
    return (parts and parts.hostname) or ""


def post_json(address: str, body: Mapping[str, Any]) -> None:
    """Send JSON to a checked address. Raises `NotDelivered`."""
    try:
        checked_webhook(address)
    except Refused as error:
        raise NotDelivered(str(error), is_final=True) from None
    parts = urlsplit(address)
    host, is_tls = str(parts.hostname), parts.scheme == "https"
    connection = http.client.HTTPConnection(host, parts.port, timeout=_PATIENCE)

    def hang_up() -> None:
        with suppress(OSError):
            if isinstance(connection.sock, socket.socket):
                connection.sock.shutdown(socket.SHUT_RDWR)

    # A server that answers a byte at a time is not listened to for ever, nor one that greets so.
    deadline = Timer(_ALL, hang_up)
    deadline.daemon = True
    try:
        connection.sock = _connected(host, parts.port or (443 if is_tls else 80))
        deadline.start()
        if is_tls:
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(
                connection.sock, server_hostname=host, do_handshake_on_connect=False
            )
            connection.sock.do_handshake()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        head = {"Content-Type": "application/json", "User-Agent": "Perfatlas", "Host": parts.netloc}
        connection.request("POST", path, json.dumps(body).encode(), head)
        status = connection.getresponse().status
    except socket.gaierror:
        raise NotDelivered(f"the address of {host} cannot be found: is its name right?") from None
    except (OSError, http.client.HTTPException) as error:
        raise NotDelivered(f"{host} does not answer as a web server does ({type(error).__name__})") from None
    finally:
        deadline.cancel()
        connection.close()
    if 300 <= status < 400:
        raise NotDelivered(f"{host} leads elsewhere ({status}): redirects are not followed", is_final=True)
    if not 200 <= status < 300:
        raise NotDelivered(f"{host} answered {status}", is_final=400 <= status < 500 and status not in _AGAIN)


def _connected(host: str, port: int) -> socket.socket:
    """A connection to one of the addresses of a host, all of which were checked. Raises `NotDelivered` and `OSError`."""
    found = {str(where[0]) for *_, where in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if host not in settings.ALERT_INNER_HOSTS and not all(map(_is_public, found)):
        raise NotDelivered(
            f"{host} is an inner machine: PERFATLAS_ALERT_INNER_HOSTS names those that may be called",
            is_final=True,
        )
    last: OSError = OSError("no address")
    for one in sorted(found):
        try:
            return socket.create_connection((one, port), timeout=_PATIENCE)
        except OSError as error:
            last = error
    raise last


def _is_public(number: str) -> bool:
    """Whether everybody may reach an address, also the one that it stands for."""
    address: IPv4Address | IPv6Address = ip_address(number.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        # The addresses by which IPv6 reaches IPv4 (RFC 6052), and those that once stood for it.
        if address.packed[:12] in {b"\0" * 12, bytes.fromhex("0064ff9b" + 16 * "0")}:
            inner.append(IPv4Address(address.packed[12:]))
        if not all(_is_public(str(one)) for one in inner if one is not None):
            return False
    return address.is_global and not address.is_multicast


def _is_inner_number(host: str) -> bool:
    """Whether it is a number rather than a name, in whichever way of writing one, and none of a public machine."""
    try:
        return not _is_public(host)
    except ValueError:
        # 127.1, 0x7f000001 and 2130706433 are addresses, too: a name ends with letters.
        return host.rsplit(".", 1)[-1][:1].isdigit()


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in _SCHEMES else None
