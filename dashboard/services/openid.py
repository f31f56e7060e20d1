"""Signing in by OpenID Connect: leaving for the provider, and what it tells of who comes back.

The code flow with state, nonce and PKCE; the ID token's signature, issuer, audience, time and nonce are checked (OpenID
Connect Core 1.0, section 3.1.3.7). The package that does it is an extra: this module imports it where it is used.
"""

import logging
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from dashboard.access import Refused
from dashboard.services.logins import address_of
from dashboard.services.tries import BRAKE_MINUTES, count_try

_log = logging.getLogger(__name__)

Told = Mapping[str, Any]
_SECONDS = 10.0
# Within the minutes, from one address: a team may stand behind it.
_MOST_TRIES = 50
# What the provider says of itself is asked anew after so long.
_KEPT_SECONDS = 3600
_LEEWAY_SECONDS = 60
_LONGEST_SUBJECT = 255
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
# Keys that the provider alone has; never a secret that both sides know, and never none.
_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)


def leave(request: HttpRequest, *, back: str, next_page: str) -> str:
    """The address at the provider to go to. It sends people to `back`, and Perfatlas them to `next_page`.

    Raises `Refused` where the provider cannot be asked, and after too many tries.
    """
    _brake(request, "leave")
    try:
        client = _provider()
        made = client.create_authorization_url(back)
    except _faults() as error:
        _log.warning("the OpenID provider cannot be asked: %.300r", error)
        raise Refused(f"{settings.OPENID_NAME} does not answer just now: try again later") from None
    client.save_authorize_data(request, redirect_uri=back, next_page=next_page, **made)
    return str(made["url"])


def come_back(request: HttpRequest) -> tuple[Told, str]:
    """What the provider tells of who came back, once all of it was checked; and the page to go to.

    Raises `Refused` with a sentence for whoever reads the page; the log says more.
    """
    _brake(request, "come back")
    name = settings.OPENID_NAME
    try:
        client = _provider()
        kept = client.framework.get_state_data(request.session, request.GET.get("state", ""))
        if kept is None:
            raise Refused("That sign-in was begun in another browser, or too long ago: begin it again.")
        if "error" in request.GET:
            client.framework.clear_state_data(request.session, request.GET["state"])
            _log.info("the OpenID provider signed nobody in: %.60r", request.GET["error"])
            raise Refused(f"{name} did not sign you in.")
        return _checked(client, request), str(kept["next_page"])
    except _faults() as error:
        _log.warning("what the OpenID provider answered is refused: %.300r", error)
        raise Refused(f"What {name} answered does not hold, so nobody was signed in.") from None


def _checked(client: Any, request: HttpRequest) -> Told:
    """The claims of the ID token, and where they lack some, of the provider's own page about the person."""
    metadata = client.load_server_metadata()
    issuer = metadata["issuer"]
    if request.GET.get("iss", issuer) != issuer:
        raise ValueError("the answer names another issuer")
    options = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": settings.OPENID_CLIENT_ID},
    }
    token = client.authorize_access_token(request, claims_options=options, leeway=_LEEWAY_SECONDS)
    told: Told = token.get("userinfo") or {}
    if not told.get("sub"):
        raise ValueError("the answer has no ID token")
    wanted = {"email", "email_verified", settings.OPENID_CLAIM.partition("=")[0]} - {""}
    if not wanted <= told.keys() and "userinfo_endpoint" in metadata:
        more = client.userinfo(token=token)
        if more.get("sub") != told["sub"]:
            raise ValueError("the page about the person is of somebody else")
        told = {**more, **told}
    subject = str(told["sub"])
    if len(subject) > _LONGEST_SUBJECT or "\0" in subject:
        raise ValueError("what it calls the person is no subject")
    return {**told, "sub": subject, "iss": issuer}


def _brake(request: HttpRequest, step: str) -> None:
    if count_try(("openid", step, address_of(request))) > _MOST_TRIES:
        raise Refused(f"Too many tries. Wait {BRAKE_MINUTES} minutes.")


def _provider() -> Any:
    """The provider of the settings, as it describes itself. Raises what `_faults` names."""
    given = (settings.OPENID_ISSUER, settings.OPENID_CLIENT_ID, settings.OPENID_CLIENT_SECRET)
    client = _client(*given, int(time.time() // _KEPT_SECONDS))
    metadata = client.load_server_metadata()
    if str(metadata.get("issuer")).rstrip("/") != settings.OPENID_ISSUER.rstrip("/"):
        raise ValueError(f"it calls itself {metadata.get('issuer')!r}")
    for name in _ENDPOINTS:
        if not is_safe(str(metadata.get(name, settings.OPENID_ISSUER))):
            raise ValueError(f"its {name} has no TLS")
    told = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    metadata["id_token_signing_alg_values_supported"] = sorted(_ALGORITHMS & set(told))
    ways = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    by_head = "client_secret_basic" in ways or "client_secret_post" not in ways
    way = "client_secret_basic" if by_head else "client_secret_post"
    client.client_kwargs["token_endpoint_auth_method"] = way if settings.OPENID_CLIENT_SECRET else "none"
    return client


def is_safe(address: str) -> bool:
    """Whether nobody on the way can read or change it: it has TLS, or it and the issuer are on this machine."""
    parts = urlsplit(address)
    here = {"127.0.0.1", "localhost", "::1"}
    both = parts.hostname in here and urlsplit(settings.OPENID_ISSUER).scheme == "http"
    return parts.scheme == "https" or (parts.scheme == "http" and both)


@lru_cache(maxsize=2)
def _client(issuer: str, client_id: str, secret: str, _hour: int) -> Any:
    from authlib.integrations.django_client import DjangoIntegration, DjangoOAuth2App  # noqa: PLC0415 -- an extra
    from authlib.integrations.requests_client import OAuth2Session  # noqa: PLC0415 -- likewise

    class _Session(OAuth2Session):  # type: ignore[misc] # it has no types
        """Follows no redirect: what has TLS could lead to what has none."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.max_redirects = 0

    class _Provider(DjangoOAuth2App):  # type: ignore[misc] # likewise
        client_cls = _Session

    return _Provider(
        DjangoIntegration("openid"),
        "openid",
        client_id=client_id,
        client_secret=secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": _SECONDS,
            # The token is used at once: one that lives for a minute is no old one.
            "leeway": 0,
        },
    )


def _faults() -> tuple[type[Exception], ...]:
    """Whatever an answer of a provider can be wrong in, or one that does not come."""
    try:
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 -- an extra
        from joserfc.errors import JoseError  # noqa: PLC0415 -- likewise
        from requests import RequestException  # noqa: PLC0415 -- likewise
    except ImportError:
        return (ImportError,)
    return (AuthlibBaseError, JoseError, RequestException, ValueError, KeyError, TypeError, RuntimeError)
