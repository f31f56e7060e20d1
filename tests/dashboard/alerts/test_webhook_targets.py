"""Webhooks call public machines alone: whatever an address looks like, wherever its name leads, and whatever it answers."""

import socket
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from django.conf import LazySettings

from dashboard.access import Refused
from dashboard.services.alerts.webhooks import checked_webhook, host_of, post_json
from dashboard.services.mail import NotDelivered
from tests.sinks import Sink

INNER = [
    "127.0.0.1",
    "10.0.0.7",
    "172.16.3.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 -- nobody listens
    "224.0.0.1",
    "[::1]",
    "[::]",
    "[fe80::1]",
    "[fd00::1]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::127.0.0.1]",
]


@pytest.mark.parametrize("host", [*INNER, "localhost", "2130706433", "0x7f.1", "127.1", "build-server"])
def test_inner_machines_are_refused_when_they_are_written(host: str) -> None:
    with pytest.raises(Refused, match=r"no public machine|no address"):
        checked_webhook(f"https://{host}/x")


@pytest.mark.parametrize(
    "address",
    [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "gopher://example.org",
        "https://",
        "https://user:word@example.org/",
        "https://example.org/a b",
        "https://example.org/\nHost: inner",
        "https://example.org:99999/",
        "//example.org/",
        "x" * 1001,
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(Refused):
        checked_webhook(address)


def test_public_machines_are_kept() -> None:
    address = " https://hooks.example.org/services/T0/B0/token "
    assert checked_webhook(address) == address.strip()
    assert host_of(address.strip()) == "hooks.example.org"
    assert checked_webhook("") == ""


@pytest.mark.parametrize("number", INNER)
def test_a_public_name_that_leads_to_an_inner_machine_is_not_called(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One public address beside an inner one does not help."""
    inner = number.strip("[]")

    def found(*_: Any, **__: Any) -> list[Any]:
        kind = socket.AF_INET6 if ":" in inner else socket.AF_INET
        tcp = (socket.SOCK_STREAM, 6, "")
        return [(socket.AF_INET, *tcp, ("93.184.216.34", 443)), (kind, *tcp, (inner, 443))]

    def connected(*_: Any, **__: Any) -> None:
        pytest.fail("it was called")

    monkeypatch.setattr(socket, "getaddrinfo", found)
    monkeypatch.setattr(socket, "create_connection", connected)
    with pytest.raises(NotDelivered, match="inner machine") as error:
        post_json("https://public.example.org/x", {})
    assert error.value.is_final


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads to an inner machine when it is looked up once more gains nothing."""
    asked, called = [], []

    def found(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443))]

    def connected(where: tuple[str, int], **_: Any) -> None:
        called.append(where)
        raise OSError("nobody there")

    monkeypatch.setattr(socket, "getaddrinfo", found)
    monkeypatch.setattr(socket, "create_connection", connected)
    with pytest.raises(NotDelivered, match="does not answer"):
        post_json("https://public.example.org/x", {})
    assert (asked, called) == (["public.example.org"], [("93.184.216.34", 443)])


def test_an_inner_machine_that_a_setting_names_is_called(sink: Sink, settings: LazySettings) -> None:
    with pytest.raises(NotDelivered):
        post_json(sink.address, {"a": 1})
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]
    post_json(sink.address, {"a": 1})
    assert sink.bodies == [{"a": 1}]


def test_a_redirect_is_not_followed(sink: Sink, settings: LazySettings) -> None:
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]
    sink.status, sink.location = 307, f"{sink.address}/elsewhere"
    with pytest.raises(NotDelivered, match="redirects are not followed"):
        post_json(sink.address, {"a": 1})
    assert len(sink.paths) == 1


def test_a_server_that_speaks_no_http_is_told_without_its_secret(settings: LazySettings) -> None:
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NotDelivered) as error:
        post_json(f"http://127.0.0.1:{port}/s3cret", {})
    assert str(error.value) == "127.0.0.1 does not answer as a web server does (ConnectionRefusedError)"


def test_a_name_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(NotDelivered, match=r"^the address of hooks\.example\.org cannot be found"):
        post_json("https://hooks.example.org/s3cret", {})


def test_a_server_that_greets_a_byte_at_a_time_is_left(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages of all systems wait behind this one."""
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr("dashboard.services.alerts.webhooks._ALL", 0.5)
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            peer, _ = server.accept()
            # A record of TLS that never comes to its end.
            with peer, suppress(OSError):
                peer.sendall(b"\x16\x03\x03\x40\0\x02\0\x3f\xfc")
                while not is_over.wait(0.1):
                    peer.sendall(b"\0")

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        hard_end = threading.Timer(60, is_over.set)
        hard_end.start()
        begin = time.monotonic()
        with pytest.raises(NotDelivered, match="does not answer as a web server does"):
            post_json(f"https://127.0.0.1:{server.getsockname()[1]}/x", {})
        took = time.monotonic() - begin
        hard_end.cancel()
        is_over.set()
        thread.join()
    assert took < 50
