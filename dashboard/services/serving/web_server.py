"""What gunicorn does here besides serving; named by `--config` on its command line.

Its worker with threads lets a thread wait for whoever sends a request slowly or reads an answer slowly: as many slow
connections as threads, and nobody else is served. Here one loop waits for all of them; threads only compute.
"""

import gc
import os
import re
import shutil
import tempfile
import time
from collections import deque
from functools import partial
from importlib import import_module
from itertools import islice
from selectors import EVENT_READ, EVENT_WRITE
from socket import SHUT_WR
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from dashboard.services.serving.child_processes import end_with_parent
from dashboard.services.serving.turns import leave_line, places

# A request must be here by then, and an answer taken.
_RECEIVE_SECONDS = 10.0
_SEND_SECONDS = 120.0
# A larger request is given to a thread when its head is here: the application refuses it or reads it piece by piece.
_MOST_HELD_BYTES = 128 << 10
_PIECE_SECONDS = 20.0
# As slow as what is read piece by piece may come: far below any line that people send files by.
_LEAST_BYTES_A_SECOND = 4000
_LINGER_SECONDS = 2.0
_PIECE_BYTES = 64 << 10
_MOST_PIECES = 100
_HEAD_ENDS = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)


def on_starting(server: Any) -> None:
    """Load the application in gunicorn's master, for all its workers, and prepare what they do first and what they share.

    Each would take some seconds of a processor for it, beside the first visitor of another, and hold a copy of its own.
    """
    server.end_with_master = end_with_parent()
    server.shared_times = tempfile.mkdtemp(prefix="perfatlas-metrics-") if server.cfg.workers > 1 else ""
    if server.shared_times:
        # Where each counts how long its requests took: any tells Prometheus of all. Its client reads the name at its import.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = server.shared_times
    import_module("dashboard.wsgi")
    # What is loaded stays: no search for cycles goes through it, which would copy what the workers share.
    gc.collect()
    gc.freeze()


def on_exit(server: Any) -> None:
    """Take away what the workers shared."""
    if server.shared_times:
        shutil.rmtree(server.shared_times, ignore_errors=True)


def post_fork(server: Any, _worker: Any) -> None:
    """A worker must not outlive the master, not even one that hangs in a request."""
    server.end_with_master()


class _HeldSocket:
    """A socket whose reader gets what was received already, and whose writer's bytes wait to be sent."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.received = bytearray()
        # Whether all of the request is received: then nothing more is waited for.
        self.is_whole = False
        self.answer: deque[bytes | memoryview] = deque()
        # The whole request, while a thread answers it; and whose it is where it must wait for others of theirs.
        self.request = b""
        self.asker = ""
        # Since when a body is read from the socket itself, and how much of it came.
        self.began: float | None = None
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)

    def recv(self, size: int) -> bytes:
        if self.received or self.is_whole:
            piece = bytes(self.received[:size])
            del self.received[:size]
            return piece
        if self.began is None:
            self.began = time.monotonic()
        piece = bytes(self.socket.recv(size))
        self.read += len(piece)
        if time.monotonic() - self.began > _PIECE_SECONDS + self.read / _LEAST_BYTES_A_SECOND:
            raise TimeoutError("the body comes too slowly")
        return piece

    def sendall(self, piece: bytes) -> None:
        # Not copied: many readers of one bundle hold its bytes once.
        if piece:
            self.answer.append(piece)

    def send_some(self) -> None:
        """Send what the other side takes at once. Raises `BlockingIOError` where something is left."""
        while self.answer:
            sent = self.socket.sendmsg(list(islice(self.answer, _MOST_PIECES)))
            while sent:
                piece = self.answer.popleft()
                if sent < len(piece):
                    self.answer.appendleft(memoryview(piece)[sent:])
                sent = max(0, sent - len(piece))


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Threads get requests that are here as a whole, and leave their answers to be sent."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # The connections that are waited for, the longest first, each with the time at which it is given up.
        self._waiting: dict[Any, float] = {}
        # Requests that wait until others of the same asker are answered.
        self._lines: dict[str, deque[Any]] = {}

    def enqueue_req(self, conn: Any) -> None:
        """Receive a request on a connection that is new or that was kept."""
        if conn.parser is None:
            conn.sock = _HeldSocket(conn.sock)
        else:
            conn.sock.received[:0] = conn.parser.unreader.take_buffered()
        conn.sock.is_whole = False
        if self.nr_conns >= self.worker_connections:
            self._make_room()
        self._wait(conn, EVENT_READ, partial(self._receive, conn), _RECEIVE_SECONDS)
        self._receive(conn)

    def _make_room(self) -> None:
        """Give up one connection: who comes now may be quicker than who has waited longest, or was kept longest and asks nothing."""
        if self.keepalived_conns:
            self.keepalived_conns[0].timeout = 0.0
            self.murder_keepalived()
        elif self._waiting:
            self._drop(next(iter(self._waiting)))
        elif self._lines:
            asker = max(self._lines, key=lambda one: len(self._lines[one]))
            self._drop(self._leave_line(asker, last=True))

    def _receive(self, conn: Any, _socket: Any = None) -> None:
        held = conn.sock
        try:
            while not (is_ready := _is_ready(held)):
                piece = held.socket.recv(_PIECE_BYTES)
                if not piece:
                    break
                held.received += piece
        except BlockingIOError:
            return
        except OSError:
            is_ready = False
        if not is_ready:
            self._drop(conn)
            return
        self._stop_waiting(conn)
        conn.data_ready = True
        held.request = bytes(held.received) if held.is_whole else b""
        super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request, in a thread; whether the connection may be kept."""
        if not conn.sock.is_whole:
            # Nobody waits for a body that the application did not want.
            req.force_close()
            conn.sock.settimeout(_PIECE_SECONDS)
        return super().handle_request(req, conn)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Send the answer that a thread left; then keep the connection or close it. One that must wait is put back."""
        if conn.sock.asker:
            self._put_back(conn)
            self._go_on()
            return
        conn.sock.request = b""
        self._go_on()
        try:
            self._wait(conn, EVENT_WRITE, partial(self._send, conn, fs), _SEND_SECONDS)
        except (OSError, ValueError):  # the thread closed it
            self._drop(conn)
        else:
            self._send(conn, fs)

    def _put_back(self, conn: Any) -> None:
        """As if the request had just come, at the end of its asker's line."""
        held = conn.sock
        held.answer.clear()
        held.received[:] = held.request
        # The next thread reads it by a new parser.
        conn.parser, conn.initialized = None, False
        self._lines.setdefault(held.asker, deque()).append(conn)
        held.asker = ""

    def _go_on(self) -> None:
        """Give threads what waited for the requests that have ended now."""
        for asker, line in list(self._lines.items()):
            for _ in range(min(places(asker), len(line))):
                super().enqueue_req(self._leave_line(asker))

    def _leave_line(self, asker: str, *, last: bool = False) -> Any:
        line = self._lines[asker]
        conn = line.pop() if last else line.popleft()
        if not line:
            del self._lines[asker]
        leave_line(asker)
        return conn

    def _send(self, conn: Any, future: Any, _socket: Any = None) -> None:
        try:
            conn.sock.send_some()
        except BlockingIOError:
            return
        except OSError:
            self._drop(conn)
            return
        self._stop_waiting(conn)
        if future.exception() is None and future.result():
            if conn.sock.received:
                self.enqueue_req(conn)
            else:
                super().finish_request(conn, future)
        else:
            # Closing at once would take the answer away from who still sends.
            self._wait(conn, EVENT_READ, partial(self._linger, conn), _LINGER_SECONDS)
            try:
                conn.sock.shutdown(SHUT_WR)
            except OSError:
                self._drop(conn)

    def _linger(self, conn: Any, _socket: Any) -> None:
        try:
            goes_on = bool(conn.sock.socket.recv(_PIECE_BYTES))
        except BlockingIOError:
            goes_on = True
        except OSError:
            goes_on = False
        if not goes_on:
            self._drop(conn)

    def murder_pending(self) -> None:
        """Give up the connections whose time is over, and silent ones at the end; gunicorn asks each second."""
        now = time.monotonic()
        for conn, deadline in list(self._waiting.items()):
            if deadline < now or not (self.alive or conn.sock.received or conn.sock.answer):
                self._drop(conn)

    def _wait(self, conn: Any, event: int, act: Any, seconds: float) -> None:
        conn.sock.setblocking(False)
        self.poller.register(conn.sock, event, act)
        self._waiting[conn] = time.monotonic() + seconds

    def _stop_waiting(self, conn: Any) -> None:
        del self._waiting[conn]
        self.poller.unregister(conn.sock)

    def _drop(self, conn: Any) -> None:
        if conn in self._waiting:
            self._stop_waiting(conn)
        self.nr_conns -= 1
        conn.close()


def _is_ready(held: _HeldSocket) -> bool:
    """Whether a thread can answer, as the request is here as a whole or is larger than what is held."""
    head, ends, body = held.received.partition(_HEAD_ENDS)
    if not ends:
        # For a head without end there is nothing more either: gunicorn refuses it.
        held.is_whole = len(head) > _MOST_HELD_BYTES
        return held.is_whole
    head += b"\r\n"
    length = _LENGTH.search(head)
    wanted = int(length[1]) if length else 0
    if wanted > _MOST_HELD_BYTES or _CHUNKED.search(head):
        return True
    held.is_whole = len(body) >= wanted
    return held.is_whole
