"""`make demo` as a newcomer types it, at a terminal."""

import os
import pty
import select
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from socket import socket

import pytest

from tests.browser.server import LOGIN, ROOT, processes_with
from tools.servers import free_port

PATIENCE_SECONDS = 180.0
CTRL_C = b"\x03"


@dataclass
class Terminal:
    """A command at a pseudo terminal: what it prints is read, keys are typed."""

    process: int
    descriptor: int
    text: str = ""

    def read_until(self, words: str) -> None:
        """Read on until the words are there. Raises `AssertionError` with all that was printed."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while words not in self.text:
            ready, _, _ = select.select([self.descriptor], [], [], deadline - time.monotonic())
            chunk = self._chunk() if ready else b""
            assert chunk, f"{words!r} was not printed:\n{self.text}"
            self.text += chunk.decode(errors="replace")

    def press_ctrl_c(self) -> None:
        """As a person does who has seen enough."""
        os.write(self.descriptor, CTRL_C)

    def read_to_the_end(self) -> None:
        """Read until the command has ended."""
        while chunk := self._chunk():
            self.text += chunk.decode(errors="replace")
        os.waitpid(self.process, 0)
        os.close(self.descriptor)

    def _chunk(self) -> bytes:
        try:
            return os.read(self.descriptor, 65536)
        except OSError:  # how a pseudo terminal says that nobody holds its other end
            return b""


def _make(var: Path, *arguments: str) -> Terminal:
    environment = {
        "PATH": os.environ["PATH"],
        "PERFATLAS_VAR": str(var),
        "PERFATLAS_SECRET_KEY": "0123456789" * 5,
    }
    process, descriptor = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execvpe("make", ["make", *arguments], environment)
    return Terminal(process, descriptor)


@pytest.mark.slow("makes a new database with all data of the demo, and starts the whole product twice")
def test_make_demo_starts_twice_and_leaves_no_process(tmp_path: Path) -> None:
    """It prints a link; Ctrl-C ends everything that it started; a second start finds the data in place, and compares nothing again."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    var = tmp_path / "var"
    for _ in range(2):
        port = free_port()
        terminal = _make(var, "demo", f"PORT={port}")
        terminal.read_until("Ctrl-C ends it.")
        link = LOGIN.search(terminal.text)
        assert link is not None
        assert link.group(1) == f"http://127.0.0.1:{port}"
        assert len(processes_with(var)) > 2
        terminal.press_ctrl_c()
        terminal.read_to_the_end()
        assert processes_with(var) == []
    with closing(sqlite3.connect(var / "perfatlas.sqlite3")) as database:
        jobs = database.execute("SELECT kind FROM dashboard_job WHERE kind = 'compare'").fetchall()
    assert len(jobs) == 1, "approaches are compared once, when the data came"


def test_a_taken_port_is_one_clear_line(tmp_path: Path) -> None:
    """Said before anything takes long; nothing is left running."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        terminal = _make(tmp_path / "var", "demo", f"PORT={taken.getsockname()[1]}")
        terminal.read_to_the_end()
    ours = ("make", "Making .venv", "Installing")
    lines = [line for line in terminal.text.splitlines() if line.strip() and not line.startswith(ours)]
    assert len(lines) == 1, terminal.text
    assert "cannot listen on 127.0.0.1" in lines[0]
    assert "PORT=" in lines[0]
    assert processes_with(tmp_path / "var") == []
