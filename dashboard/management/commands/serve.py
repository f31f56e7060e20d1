"""`manage.py serve`: web server, workers and reaper, until Ctrl-C."""

import signal
import socket
import time
from ipaddress import ip_address
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import Principal
from dashboard.services.histories.fit_jobs import queue_outdated_fits
from dashboard.services.logins import create_login_token
from dashboard.services.serving.child_processes import Child, end_all
from dashboard.services.serving.start import (
    PORT,
    ServeError,
    answers,
    check_key,
    check_var,
    child_processes,
    listen,
    prepare_broker,
    public_address,
    reachable_at,
    serving_alone,
)
from dashboard.services.serving.tables import migrate
from dashboard.services.serving.upkeep import Upkeep

_OPEN = (
    "Other machines reach this server, and passwords are not encrypted on their way: put a proxy with TLS before it "
    "(docs/how-to/give-others-access.md)."
)
_TICK_SECONDS = 0.1
_START_SECONDS = 60.0
_GRACE_SECONDS = 5.0


class Command(BaseCommand):
    """Start everything and keep it running."""

    help = "Starts the web server and the workers, prints a login link, and ends them all on Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=PORT, help=f"port to listen on ({PORT}); 0 takes a free one"
        )
        parser.add_argument("--no-browser-link", action="store_true", help="print no one-time login link")

    def handle(self, *_: Any, host: str, port: int, no_browser_link: bool, **__: Any) -> None:
        """Serve until a signal."""
        # How often somebody asked to end. A flag, looked at between the steps: no step is torn apart.
        self._asked = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_end)
        try:
            check_key()
            check_var()
            with listen(host, port) as listener, serving_alone(_opened_at(listener, host)):
                count = migrate()
                if count:
                    self.stdout.write(f"The database was brought up to date ({count} migrations).")
                prepare_broker()
                queue_outdated_fits(principal=Principal.operator())
                if not ip_address(listener.getsockname()[0]).is_loopback:
                    self.stderr.write(_OPEN)
                self._serve(listener, reachable_at(host), link=not no_browser_link)
        except ServeError as error:
            raise CommandError(str(error), returncode=2) from error

    def _ask_to_end(self, _number: int, _frame: FrameType | None) -> None:
        self._asked += 1

    def _serve(self, listener: socket.socket, host: str, *, link: bool) -> None:
        children = child_processes(listener)
        try:
            # The workers come after the web server: all at once they would delay the first page.
            children[0].start()
            if self._wait_until_ready(children[0], host, listener.getsockname()[1]):
                address = f"{_opened_at(listener, host)}/"
                if link:
                    address += f"login/{create_login_token()}/"
                says = ". This link signs you in once, within 12 hours:" if link else ":"
                self.stdout.write(f"Perfatlas is ready{says}\n\n    {address}\n\nCtrl-C ends it.")
                self.stdout.flush()
                self._keep_running(children)
            self.stdout.write("Stopping.")
        finally:
            # A second Ctrl-C does not wait for children that hang.
            end_all(children, grace_seconds=_GRACE_SECONDS, hurry=lambda: self._asked > 1)

    def _wait_until_ready(self, web: Child, host: str, port: int) -> bool:
        """Wait for the web server; False if somebody asked to end. Raises `CommandError` if it does not come."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._asked:
            if answers(host, port, timeout_seconds=1.0):
                return True
            if web.pid is None or time.monotonic() > deadline:
                raise CommandError("the web server did not start: see its messages above")
        return False

    def _keep_running(self, children: list[Child]) -> None:
        """Start dead children again, and play the reaper."""
        upkeep = Upkeep(principal=Principal.operator())
        while not self._asked:
            restarted = [child.tend() for child in children]
            upkeep.look(messages_lost=any(restarted))
            time.sleep(_TICK_SECONDS)


def _opened_at(listener: socket.socket, host: str) -> str:
    return public_address(reachable_at(host), listener.getsockname()[1])
