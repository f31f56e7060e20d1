"""`manage.py machine`: let this machine measure for another installation, which never calls it."""

import signal
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.jobs.running import STOP
from dashboard.services.machines.loop import MeasuringMachine, check_address, keep_secret, kept_connection
from perfatlas.connection import TOKEN, URL, BadInput, Connection, Failed

_TICK_SECONDS = 0.2


class Command(BaseCommand):
    """A measuring machine."""

    help = (
        "Lets this machine measure for another Perfatlas: it asks there for jobs, measures them by the subjects that are registered"
        " here, one at a time, and sends what came of it."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        register = verbs.add_parser(
            "register",
            help=f"make this machine known there, by the address in {URL} and your token in {TOKEN}",
        )
        register.add_argument("name", help="what it is called there, in up to 80 characters")
        run = verbs.add_parser("run", help="measure for it until a signal ends this")
        run.add_argument("--once", action="store_true", help="end when no job waits")
        run.add_argument(
            "--every",
            type=float,
            default=5.0,
            metavar="SECONDS",
            help="ask so often while there is no job (5)",
        )

    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        """Register, or run."""
        try:
            with refusing(Refused, BadInput):
                if verb == "register":
                    self._register(options["name"])
                else:
                    self._run(once=options["once"], every=options["every"])
        except Failed as error:
            raise CommandError(str(error), returncode=1) from error

    def _register(self, name: str) -> None:
        connection = Connection.of_environment()
        check_address(connection.address)
        made = connection.post("/machines", name=name)
        path = keep_secret(Path(settings.VAR), address=connection.address, secret=made["secret"])
        self.stdout.write(
            f"{name} is machine {made['machine_id']} of {connection.address}; its secret is in {path}"
        )
        self.stdout.write("Go on: manage.py register FOLDER for each subject, then manage.py machine run")

    def _run(self, *, once: bool, every: float) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: STOP.request())

        def wait() -> None:
            until = time.monotonic() + every
            while not STOP.requested and time.monotonic() < until:
                time.sleep(_TICK_SECONDS)

        machine = MeasuringMachine(
            kept_connection(), lambda line: self.stderr.write(line, str), Principal.operator()
        )
        machine.serve(once=once, wait=wait)
