"""The embedded broker's messages are whole, come in order and are taken once."""

import logging
import threading
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import connection

from dashboard.services.serving.broker_files import Channel, Transport, prepare_folders


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    """The folders of an empty broker."""
    folders = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    prepare_folders(folders)
    return folders


def _channel(options: dict[str, Any]) -> Channel:
    connect: Any = connection.Connection  # kombu's types are incomplete
    channel = connect("filesystem://localhost", transport=Transport, transport_options=options).channel()
    assert isinstance(channel, Channel)
    return channel


def test_messages_come_in_order_and_by_queue(options: dict[str, Any]) -> None:
    """First in, first out; other queues' messages stay."""
    channel = _channel(options)
    for number in range(12):
        channel._put("default", {"number": number})
    channel._put("measure", {"number": 99})
    assert [channel._get("default")["number"] for _ in range(12)] == list(range(12))
    with pytest.raises(Empty):
        channel._get("default")
    assert channel._get("measure") == {"number": 99}


@pytest.mark.parametrize("text", ["", '{"body": "cut of', "\udcff"])
def test_a_spoilt_message_is_skipped(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture, text: str
) -> None:
    """A crash in the middle of a write must not end every worker that comes after."""
    channel = _channel(options)
    spoilt = Path(options["data_folder_in"]) / "0_spoilt.default.msg"
    spoilt.write_bytes(text.encode("utf-8", "surrogateescape"))
    channel._put("default", {"number": 1})
    with caplog.at_level(logging.WARNING):
        assert channel._get("default") == {"number": 1}
    assert "0_spoilt.default.msg is unreadable" in caplog.text
    assert not spoilt.exists()


def test_readers_share_the_messages(options: dict[str, Any]) -> None:
    """Two readers, while a writer writes: each message is read once and whole."""
    written = threading.Event()
    taken: list[int] = []

    def read() -> None:
        channel = _channel(options)
        while True:
            ended = written.is_set()
            try:
                taken.append(channel._get("default")["number"])
            except Empty:
                if ended:
                    return

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    channel = _channel(options)
    for number in range(300):
        channel._put("default", {"number": number, "filling": "x" * 5000})
    written.set()
    for reader in readers:
        reader.join()
    assert sorted(taken) == list(range(300))


def test_a_start_empties_the_folders(options: dict[str, Any]) -> None:
    """Rows, not leftover messages, tell what waits."""
    _channel(options)._put("default", {"number": 1})
    (Path(options["data_folder_in"]) / ".half-written").touch()
    prepare_folders(options)
    assert list(Path(options["data_folder_in"]).iterdir()) == []
