"""The embedded broker: messages as files under `var/`.

Kombu's own transport of this kind creates a file and then writes it, so that a reader may take it while it is empty;
one such message, or one cut short by a crash, ends the worker. Here a message appears whole, and a spoilt one is
skipped: the reaper sends it again, because the job's row is the truth.
"""

import json
import logging
import os
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem

log = logging.getLogger(__name__)

_WAIT_SECONDS = 0.5


class Channel(filesystem.Channel):
    """Kombu's channel of files with whole messages, oldest first."""

    def _put(self, queue: Any, payload: Any, **_: Any) -> None:  # type: ignore[override] # kombu names it twice
        folder = Path(self.data_folder_out)
        name = f"{time_ns()}_{uuid.uuid4().hex}.{queue}.msg"
        hidden = folder / f".{name}"
        # A command may send before any server has ever been started here.
        folder.mkdir(parents=True, exist_ok=True)
        hidden.write_text(json.dumps(payload), encoding="utf-8")
        hidden.rename(folder / name)

    def _get(self, queue: Any, timeout: Any = None) -> Any:  # noqa: ARG002 -- kombu's own signature
        folder = Path(self.data_folder_in)
        for name in sorted(file.name for file in folder.iterdir()):
            if name.startswith(".") or name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".{name}.{os.getpid()}"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:  # another worker was quicker
                continue
            text = taken.read_bytes()
            taken.unlink()
            try:
                return json.loads(text)
            except ValueError:
                log.warning("the message %s is unreadable and was thrown away", name)
        raise Empty


class Transport(filesystem.Transport):
    """Kombu's transport of files over the channel above."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: Any = None, **_: Any) -> None:
        """Wait for a message. Celery waits 2 s at a time and only then looks whether it shall end: wait less."""
        super().drain_events(connection, timeout=min(timeout or _WAIT_SECONDS, _WAIT_SECONDS))  # type: ignore[no-untyped-call] # kombu's


def prepare_folders(options: dict[str, Any]) -> None:
    """Make the broker's folders, and empty them of what an earlier life left behind. Raises `OSError`."""
    for key in ("data_folder_in", "data_folder_out", "control_folder"):
        folder = Path(options[key])
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.iterdir():
            if leftover.is_file():
                leftover.unlink(missing_ok=True)
