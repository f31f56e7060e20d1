"""A provider of OpenID Connect on this machine that tells what a test has it tell, also what no provider may."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT_ID, SECRET = "perfatlas", "a-secret-of-the-client-0123456789"


@lru_cache(maxsize=1)
def own_key() -> RSAKey:
    """What the provider signs with."""
    return RSAKey.generate_key(2048, {"kid": "k1"}, private=True)


class Provider:
    """What it tells by default is right: an ID token for `person` that holds. Each attribute makes something of it wrong.

    `claims` replace those of the ID token, None takes one away; `page` is the page about the person, `metadata` what it
    says of itself. `key` signs, `shown_key` is published. `moved` leads away from the token's address.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.person: dict[str, Any] = {"sub": "s-1", "email": "vera@example.org", "email_verified": True}
        self.claims: dict[str, Any] = {}
        self.page: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.shown_key = self.key = own_key()
        self.algorithm, self.moved, self.gives_token, self.error = "RS256", "", True, ""
        self.begun: dict[str, dict[str, str]] = {}

    def answer(
        self, path: str, query: dict[str, str], form: dict[str, str], head: str
    ) -> tuple[int, dict[str, str], Any]:
        """Status, heads and JSON."""
        if path == "/authorize":
            return 302, {"Location": self._authorize(query)}, {}
        if path == "/token":
            return (307, {"Location": self.moved}, {}) if self.moved else (200, {}, self._token(form, head))
        told = {"/.well-known/openid-configuration": self._about(), "/userinfo": self.page}
        keys = {"/jwks": {"keys": [self.shown_key.as_dict(private=False)]}}
        return 200, {}, (told | keys)[path]

    def _about(self) -> dict[str, Any]:
        paths = {
            "authorization_endpoint": "/authorize",
            "token_endpoint": "/token",
            "jwks_uri": "/jwks",
            "userinfo_endpoint": "/userinfo",
        }
        about = {name: f"{self.address}{path}" for name, path in paths.items()}
        return {
            "issuer": self.address,
            "id_token_signing_alg_values_supported": ["RS256"],
            **about,
        } | self.metadata

    def _authorize(self, query: dict[str, str]) -> str:
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_hex(8)
        self.begun[code] = query
        told = {"error": self.error, "error_description": "<b>loud</b>"} if self.error else {"code": code}
        return f"{query['redirect_uri']}?{urlencode({**told, 'state': query['state']})}"

    def _token(self, form: dict[str, str], head: str) -> dict[str, Any]:
        assert base64.b64decode(head.removeprefix("Basic ")).decode() == f"{CLIENT_ID}:{SECRET}"
        begun = self.begun.pop(form["code"])
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
        assert challenge.decode().rstrip("=") == begun["code_challenge"]
        assert form["redirect_uri"] == begun["redirect_uri"]
        now = int(time.time())
        told = {"iss": self.address, "aud": CLIENT_ID, "iat": now, "exp": now + 60, "nonce": begun["nonce"]}
        told |= self.person | self.claims
        claims = {name: value for name, value in told.items() if value is not None}
        token = {"access_token": "opaque", "token_type": "Bearer", "expires_in": 60}
        return token | ({"id_token": self._signed(claims)} if self.gives_token else {})

    def _signed(self, claims: dict[str, Any]) -> str:
        head = {"alg": self.algorithm, "kid": "k1"}
        if self.algorithm == "none":
            parts = (json.dumps(part).encode() for part in (head, claims))
            return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), ""])
        key = OctKey.import_key(SECRET) if self.algorithm == "HS256" else self.key
        return jwt.encode(head, claims, key, algorithms=[self.algorithm])


@contextmanager
def providing() -> Iterator[Provider]:
    """One on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            query, form = (
                {name: values[0] for name, values in parse_qs(text).items()} for text in (address.query, body)
            )
            status, heads, told = provider.answer(
                address.path, query, form, self.headers.get("Authorization", "")
            )
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **heads}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        do_POST = do_GET  # noqa: N815 -- the name that http.server calls

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
