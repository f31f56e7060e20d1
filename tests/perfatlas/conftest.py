"""A server that answers what the API answers, for the client."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from perfatlas.command import run
from perfatlas.connection import Connection

TOKEN = "perfatlas_secret"


class FakeServer:
    """Answers by path; keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[int, Any]]] = {
            "/jobs": [(200, {"total": 0, "rows": []})],
            "/systems": [(200, {"total": 1, "rows": [{"slug": "small", "name": "Small"}]})],
        }
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.said: list[str] = []
        self.printed: list[str] = []
        self.connection = Connection("http://127.0.0.1:9", TOKEN)

    def run(self, *given: str) -> int:
        """What the command answers with; its output is kept."""
        return run(given, self.connection, self.printed.append, self.said.append)

    def tell(self, method: str, path: str, heads: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """The next answer at a path; the last one again and again."""
        self.asked.append((method, path, heads, body))
        known = self.answers.get(path.removeprefix("/api/v1").partition("?")[0])
        if known is None:
            return 404, json.dumps({"detail": "there is nothing"}).encode()
        status, answer = known.pop(0) if len(known) > 1 else known[0]
        return status, json.dumps(answer).encode()


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A server on a port of its own, and a connection to it that does not wait."""
    fake = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, answer = fake.tell(self.command, self.path, dict(self.headers), body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_GET  # noqa: N815 -- likewise

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    fake.connection = Connection(f"http://127.0.0.1:{http.server_port}", TOKEN, sleep=lambda _: None)
    yield fake
    http.shutdown()
    http.server_close()
    thread.join()
