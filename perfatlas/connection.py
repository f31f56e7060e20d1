"""Calls of the API of one Perfatlas: address and token from the environment, answers as JSON, errors in words."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn

URL, TOKEN = "PERFATLAS_URL", "PERFATLAS_TOKEN"
_SECONDS = 60.0
_PAGE = 500
_POLL_SECONDS = 2.0
# A server that starts anew, or takes other files just now.
_AGAIN = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
_TRIES = 5
_ENDED = ("done", "failed", "cancelled", "paused")


class Failed(Exception):
    """What was asked for did not come about, or the server cannot be reached."""


class BadInput(Exception):
    """What was asked for is wrong; the words say where."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: the token is for one server alone."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""


class Connection:
    """One Perfatlas as a token sees it."""

    def __init__(self, address: str, token: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.address = address.rstrip("/")
        self._base = f"{self.address}/api/v1"
        self._token = token
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Connection":
        """As the environment says. Raises `BadInput`."""
        for name in (URL, TOKEN):
            if not environment.get(name, "").strip():
                raise BadInput(f"{name} is not set: give the address and a token by {URL} and {TOKEN}")
        address = environment[URL].strip()
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise BadInput(f"{URL}: write an address as https://perfatlas.example.org")
        return cls(address, environment[TOKEN].strip())

    def get(self, path: str, **query: object) -> Any:
        """An answer below `/api/v1`. Raises `Failed` and `BadInput`."""
        given = {name: value for name, value in query.items() if value not in {"", None}}
        return self._call("GET", f"{path}?{urllib.parse.urlencode(given)}" if given else path)

    def post(self, path: str, **body: object) -> Any:
        """The answer to JSON. Raises `Failed` and `BadInput`."""
        sent = json.dumps(body).encode()
        return self._call("POST", path, sent, {"Content-Type": "application/json"})

    def put(self, path: str, **body: object) -> Any:
        """Likewise, of what is put in the place of what was there: sent again it changes nothing more."""
        return self._call("PUT", path, json.dumps(body).encode(), {"Content-Type": "application/json"})

    def send(self, path: str, file: Path, key: str, fields: Iterable[tuple[str, str]]) -> Any:
        """The answer to a file with fields beside it, of one `key` however often it is sent. Raises `Failed` and `BadInput`."""
        boundary = uuid.uuid4().hex
        lines = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields
        ]
        name = file.name.replace('"', "_").replace("\r", "_").replace("\n", "_")
        lines.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = "".join(lines).encode() + file.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        heads = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Idempotency-Key": key}
        return self._call("POST", path, body, heads)

    def pages(self, path: str, **query: object) -> Iterator[Any]:
        """All rows of a list."""
        start = 0
        while True:
            page = self.get(path, **query, limit=_PAGE, offset=start)
            yield from page["rows"]
            start += _PAGE
            if start >= page["total"]:
                return

    def follow(self, job_id: int, seconds: float, say: Callable[[str], None]) -> Any:
        """The job once it has ended, telling of its steps meanwhile. Raises `Failed` where that takes longer than `seconds`."""
        told, until = "", time.monotonic() + seconds
        while True:
            job = self.get(f"/jobs/{job_id}")
            if job["state"] in _ENDED:
                return job
            if (now := f"{job['title']}: {job['progress']:.0%} {job['message']}".strip()) != told:
                say(now)
                told = now
            if time.monotonic() > until:
                raise Failed(
                    f"job {job_id} is {job['state']} after {seconds:.0f} seconds: wait longer, --wait SECONDS"
                )
            self._sleep(_POLL_SECONDS)

    def _call(
        self, method: str, path: str, body: bytes | None = None, heads: Mapping[str, str] | None = None
    ) -> Any:
        request = urllib.request.Request(  # noqa: S310 -- http and https alone, see `of_environment`
            f"{self._base}{path}",
            data=body,
            method=method,
            headers={**(heads or {}), "Authorization": f"Bearer {self._token}", "Accept": "application/json"},
        )
        # What changes something is sent again only where that comes to the same.
        tries = _TRIES if method in {"GET", "PUT"} or "Idempotency-Key" in (heads or {}) else 1
        for left in range(tries - 1, -1, -1):
            try:
                with self._opener.open(request, timeout=_SECONDS) as answer:
                    return json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as error:
                if not left or error.code not in _AGAIN:
                    _refuse(error)
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                if not left:
                    raise Failed(
                        f"{self._base} cannot be reached: {getattr(error, 'reason', error)}"
                    ) from None
            except ValueError:
                raise Failed(f"{self._base} answers no JSON: is {URL} the address of a Perfatlas?") from None
            self._sleep(_POLL_SECONDS)
        raise AssertionError("the last try returns or raises")


def _refuse(error: urllib.error.HTTPError) -> NoReturn:
    """Raise what an answer that is an error says."""
    try:
        told = json.loads(error.read())
        lines = [told["detail"]]
    except (ValueError, KeyError, TypeError):
        lines = [f"the server answers {error.code}: is {URL} the address of a Perfatlas?"]
    text = "\n".join(lines)
    if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Failed(text) from None
    raise BadInput(text) from None
