"""`manage.py serve`: web server, workers and reaper, until Ctrl-C."""

import logging
import signal
import socket
import time
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, close_old_connections

from dashboard.services.child_processes import Child, end_all
from dashboard.services.job_reaping import reap
from dashboard.services.logins import create_login_token
from dashboard.services.serving import (
    ServeError,
    answers,
    check_key,
    check_var,
    commands,
    listen,
    migrate,
    prepare_broker,
)

log = logging.getLogger(__name__)

_TICK_SECONDS = 0.2
_REAP_SECONDS = 2.0
_START_SECONDS = 60.0
_GRACE_SECONDS = 5.0


class _Ended(BaseException):
    """Ctrl-C or SIGTERM."""


class Command(BaseCommand):
    """Start everything and keep it running."""

    help = "Starts the web server and the workers, prints a login link, and ends them all on Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=8000, help="port to listen on (8000); 0 takes a free one"
        )
        parser.add_argument("--no-browser-link", action="store_true", help="print no one-time login link")

    def handle(self, *_: Any, host: str, port: int, no_browser_link: bool, **__: Any) -> None:
        """Serve until a signal."""
        try:
            check_key()
            check_var()
            listener = listen(host, port)
            count = migrate()
            prepare_broker()
        except ServeError as error:
            raise CommandError(str(error), returncode=2) from error
        if count:
            self.stdout.write(f"The database was brought up to date ({count} migrations).")
        signal.signal(signal.SIGTERM, _end)
        signal.signal(signal.SIGINT, _end)
        children = [Child(command) for command in commands(listener)]
        try:
            for child in children:
                child.start()
            self._wait_until_ready(children[0], listener, host)
            self._say_ready(host, listener.getsockname()[1], link=not no_browser_link)
            _keep_running(children)
        except _Ended:
            self.stdout.write("\nStopping.")
        finally:
            # A second Ctrl-C during the wait kills at once.
            try:
                end_all(children, grace_seconds=_GRACE_SECONDS)
            except _Ended:
                end_all(children, grace_seconds=0.0)

    def _wait_until_ready(self, web: Child, listener: socket.socket, host: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        port = listener.getsockname()[1]
        while time.monotonic() < deadline:
            if answers(host, port, timeout_seconds=1.0):
                return
            if web.pid is None:
                break
        raise CommandError("the web server did not start: see its messages above")

    def _say_ready(self, host: str, port: int, *, link: bool) -> None:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{port}/"
        if link:
            address += f"login/{create_login_token()}/"
            self.stdout.write("Perfatlas is ready. This link signs you in once, within 12 hours:")
        else:
            self.stdout.write("Perfatlas is ready:")
        self.stdout.write(f"\n    {address}\n\nCtrl-C ends it.")
        self.stdout.flush()


def _end(_number: int, _frame: FrameType | None) -> None:
    raise _Ended


def _keep_running(children: list[Child]) -> None:
    """Start dead children again, and play the reaper."""
    everything = True
    next_reap = 0.0
    while True:
        restarted = [child.tend() for child in children]
        # With its worker the embedded broker lost the message that it held.
        everything = everything or any(restarted)
        if everything or time.monotonic() >= next_reap:
            next_reap = time.monotonic() + _REAP_SECONDS
            everything = not _reap(everything=everything)
        time.sleep(_TICK_SECONDS)


def _reap(*, everything: bool) -> bool:
    """Reap; whether the database let us."""
    try:
        close_old_connections()
        reap(everything=everything)
    except DatabaseError as error:
        log.warning("the reaper could not work, and tries again: %s", error)
        return False
    return True
