"""The web server that `serve` starts serves everybody, however slowly others send and read."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from dashboard.services.serving import start, web_server
from dashboard.services.serving.child_processes import Child
from tests.dashboard.jobs.plain_app import LARGE
from tests.dashboard.jobs.processes import ROOT, wait_until

# More than the server has threads.
MANY = 20


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where the server listens that `serve` would start, for a plain application."""
    with start.listen("127.0.0.1", 0) as listener, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        web = start.child_processes(listener)[0]
        arguments = list(web._arguments)
        place = arguments.index("dashboard.wsgi:application")
        arguments[place] = "tests.dashboard.jobs.plain_app:application"
        child = Child("the web server", arguments, web._environment, (listener.fileno(),))
        child.start()
        found = listener.getsockname()[1]
        wait_until(lambda: start.answers("127.0.0.1", found, timeout_seconds=1.0), "the server answers")
        yield found
        child.kill()


@pytest.fixture
def connect(port: int) -> Iterator[Callable[..., socket.socket]]:
    """Opens connections, sends what is given, and closes them at the end."""
    with ExitStack() as opened:

        def open_one(sent: bytes = b"", receives: int = 0) -> socket.socket:
            client = opened.enter_context(socket.socket())
            if receives:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
            client.settimeout(15)
            client.connect(("127.0.0.1", port))
            client.sendall(sent)
            return client

        yield open_one


def _is_quick(port: int) -> bool:
    return all(start.answers("127.0.0.1", port, timeout_seconds=2.0) for _ in range(3))


def _answer(client: socket.socket, length: int) -> bytes:
    """So many bytes of what the server sends; fewer where it ends."""
    received = b""
    while len(received) < length and (piece := client.recv(1 << 20)):
        received += piece
    return received


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome",
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_slow_senders_hold_nobody_up(connect: Callable[..., socket.socket], port: int, sent: bytes) -> None:
    """Also while they go on sending, a byte at a time."""
    slow = [connect(sent) for _ in range(MANY)]
    for _ in range(3):
        for client in slow if sent else []:
            client.sendall(b"a")
        assert _is_quick(port)
        time.sleep(0.2)


def test_a_request_that_does_not_end_is_given_up(connect: Callable[..., socket.socket]) -> None:
    """However steadily a byte comes after the other."""
    client = connect(b"GET / HTTP/1.1\r\n")
    ended = threading.Event()

    def drip() -> None:
        try:
            while not ended.wait(0.5):
                client.sendall(b"a")
        except OSError:
            pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert _answer(client, 1) == b""
    except ConnectionResetError:
        pass
    finally:
        ended.set()
        thread.join()


def test_slow_readers_hold_nobody_up(connect: Callable[..., socket.socket], port: int) -> None:
    """And get in the end what they asked for."""
    slow = [connect(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n", 4096) for _ in range(MANY)]
    time.sleep(0.5)
    assert _is_quick(port)
    head, _, body = _answer(slow[-1], len(LARGE)).partition(b"\r\n\r\n")
    body += _answer(slow[-1], len(LARGE) - len(body))
    assert (head.startswith(b"HTTP/1.1 200"), body == LARGE) == (True, True)


def test_those_who_never_close_hold_nobody_up(connect: Callable[..., socket.socket], port: int) -> None:
    """The server closes what it has answered."""
    for _ in range(MANY):
        connect(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert _is_quick(port)


def test_large_bodies_that_nobody_wants_hold_nobody_up(
    connect: Callable[..., socket.socket], port: int
) -> None:
    """Refused when their head is here; neither length nor chunks are waited for."""
    for told in (b"Content-Length: 300000000", b"Transfer-Encoding: chunked"):
        slow = [
            connect(b"POST /refuse HTTP/1.1\r\nHost: x\r\n" + told + b"\r\n\r\n1\r\n") for _ in range(MANY)
        ]
        assert _is_quick(port)
        assert all(b"refused" in _answer(client, 1 << 20) for client in slow)


@pytest.mark.parametrize("length", [0, 1, 1000, 128 << 10, (128 << 10) + 1, 5_000_000])
def test_a_body_arrives_as_it_was_sent(connect: Callable[..., socket.socket], length: int) -> None:
    """In pieces, held by the server or handed on."""
    client = connect(f"POST / HTTP/1.1\r\nHost: x\r\nCONTENT-LENGTH:{length}\r\n".encode())
    time.sleep(0.05)
    client.sendall(b"\r\n" + b"b" * (length // 3))
    time.sleep(0.05)
    client.sendall(b"b" * (length - length // 3))
    assert f"\r\n\r\n{length} bytes".encode() in _answer(client, 100)


def test_requests_that_follow_at_once_are_answered_in_their_order(
    connect: Callable[..., socket.socket],
) -> None:
    """Two in one piece, and one more later, over one connection."""
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "
    client = connect(head + b"2\r\n\r\nab" + head + b"20000\r\n\r\n" + b"c" * 15_000)
    time.sleep(0.1)
    client.sendall(b"c" * 5000)
    received = b""
    while received.count(b"bytes") < 2:
        received += client.recv(4096)
    client.sendall(head + b"3\r\n\r\nabc")
    received += _answer(client, 10)
    assert [word for word in (b"2 bytes", b"20000 bytes", b"3 bytes") if word not in received] == []
    assert received.index(b"\n2 bytes") < received.index(b"\n20000 bytes")


def test_a_request_that_is_none_is_refused(connect: Callable[..., socket.socket], port: int) -> None:
    """Spoilt heads, and lengths that contradict each other; a head that is too long gets no answer."""
    for sent in (
        b"nonsense\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 900\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 900\r\n\r\nabc",
    ):
        assert b" 400 " in _answer(connect(sent), 1 << 20).partition(b"\r\n")[0]
    assert _answer(connect(b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000), 1) == b""
    assert _is_quick(port)


def test_a_connection_is_kept_for_who_asks_every_two_seconds(connect: Callable[..., socket.socket]) -> None:
    """As pages do while a job runs: one that is closed just then looks like a fault of the server."""
    asked = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    client = connect()
    for pause in (0.0, 4.0):
        time.sleep(pause)
        client.sendall(asked)
        received = b""
        while b"0 bytes" not in received and (piece := client.recv(1 << 16)):
            received += piece
        assert received.startswith(b"HTTP/1.1 200")


def test_a_large_body_must_come_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece now and then would keep a thread and a place for days."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        held = web_server._HeldSocket(ours)
        for seconds, size in ((0.0, 1000), (15.0, 1000), (25.0, 200_000), (40.0, 1)):
            now[0] = seconds
            theirs.sendall(b"x" * size)
            read = 0
            while read < size:
                read += len(held.recv(1 << 16))
        now[0] = 80.0
        theirs.sendall(b"x")
        with pytest.raises(TimeoutError):
            held.recv(1)


def test_who_asks_much_at_once_waits_and_holds_nobody_up(
    connect: Callable[..., socket.socket], port: int
) -> None:
    """Each gets its own answer in the end, over the connection that it keeps; none learns that it was put back."""
    head = b"POST /turns HTTP/1.1\r\nHost: x\r\nContent-Length: "
    began = time.monotonic()
    asking = [connect(head + b"%d\r\n\r\n" % length + b"b" * length) for length in range(MANY)]
    assert _is_quick(port)
    for length, client in enumerate(asking):
        assert f"\r\n\r\n{length} bytes".encode() in client.recv(4096)
        client.sendall(head + b"3\r\n\r\nabc")
    # Six at once, for a fifth of a second each.
    assert time.monotonic() - began > 0.6
    assert all(b"\r\n\r\n3 bytes" in client.recv(4096) for client in asking)


def test_of_very_many_requests_the_last_are_refused(connect: Callable[..., socket.socket], port: int) -> None:
    """Those of whom the body is still to come, too: it would have to be kept.

    Thirty a second are answered: so many that the line is still full when the last ones ask, on a busy machine, too.
    """
    asking = [connect(b"GET /turns HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(300)]
    large = connect(b"POST /turns HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n")
    assert b"never" in _answer(large, 1 << 20)
    assert _is_quick(port)
    answers = [client.recv(4096) for client in asking]
    assert sum(b" 200 OK" in one for one in answers) >= 106
    assert {one.partition(b"\r\n\r\n")[2] for one in answers} == {b"0 bytes", b"never"}


def test_those_who_keep_their_connections_hold_nobody_up(
    connect: Callable[..., socket.socket], port: int
) -> None:
    """As many as the server has room for: who is silent longest goes when somebody new comes."""
    for _ in range(410):
        # Answered, and kept: what is held against others is the connection alone, not the work of hundreds of answers.
        assert connect(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").recv(4096)
    assert _is_quick(port)
