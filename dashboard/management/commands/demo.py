"""`manage.py demo`: load the demo systems that ship with Perfatlas."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import Principal, Refused
from dashboard.importers.errors import ImporterError
from dashboard.services.demo import DEMO_SYSTEMS, load_demo
from runner.errors import RunnerError


class Command(BaseCommand):
    """Load the demo systems."""

    help = "Loads the demo systems, measured on real packages, unless they are there already."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether approaches are compared."""
        parser.add_argument(
            "--compare", action="store_true", help="also compare approaches on the main one, in a job"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Import and register."""
        try:
            imported = load_demo(
                principal=Principal.operator(),
                progress=lambda _, text: self.stderr.write(text, str),
                compares=options["compare"],
            )
        except (ImporterError, Refused, RunnerError) as error:
            raise CommandError(str(error), returncode=1) from error
        names = ", ".join(DEMO_SYSTEMS)
        self.stdout.write(f"{names} {'loaded' if imported else 'are there'}")
