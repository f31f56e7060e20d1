"""Servers on this machine that take what Perfatlas sends: JSON over HTTP, and e-mail."""

import email
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

if TYPE_CHECKING:
    from email.message import EmailMessage


class Sink:
    """What a web server on this machine was sent, and what it answers."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.status = 200
        self.location = ""
        sink = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sink.paths.append(self.path)
                sink.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(sink.status)
                if sink.location:
                    self.send_header("Location", sink.location)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/hook/s3cret"


@contextmanager
def sinking() -> Iterator[Sink]:
    """A web server that is ended with the block."""
    found = Sink()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        found.server.shutdown()
        found.server.server_close()
        thread.join()


class Postbox:
    """What a mail server on this machine took, by the address it went to; who is `refused` gets nothing."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, EmailMessage]] = []
        self.refused: set[str] = set()
        self.port = 0

    async def handle_RCPT(  # noqa: N802 -- as aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Take a recipient, or not."""
        if address in self.refused:
            return "550 nobody of that name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 -- likewise
        """Keep a message."""
        message = email.message_from_bytes(envelope.original_content or b"", policy=default)
        self.taken += [(address, message) for address in envelope.rcpt_tos]
        return "250 OK"


class _Server(Controller):
    """On a port of the system's choice."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call] # aiosmtpd tells no types there


@contextmanager
def posting() -> Iterator[Postbox]:
    """A mail server that is ended with the block."""
    found = Postbox()
    controller = _Server(found, hostname="127.0.0.1", port=0)
    controller.start()
    try:
        found.port = controller.port
        yield found
    finally:
        controller.stop()
