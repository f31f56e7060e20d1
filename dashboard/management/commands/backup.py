"""`manage.py backup`: write the whole installation to one file, while others work on."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import AccessError, Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.backups.installation import back_up


class Command(BaseCommand):
    """Back up everything."""

    help = "Writes the database and the needed files of var/ to one new file. The server may run meanwhile."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("file", type=Path, help="the file to write; it must not be there yet")

    @refusing(AccessError, Refused)
    def handle(self, *_: Any, file: Path, **__: Any) -> None:
        """Write the file and say what is in it."""
        told: set[str] = set()

        def say(_: float, step: str) -> None:
            if step not in told:
                told.add(step)
                self.stderr.write(step, str)

        manifest = back_up(principal=Principal.operator(), path=file, progress=say)
        self.stdout.write(
            f"{file}: {file.stat().st_size:,} bytes, {sum(manifest.rows.values()):,} rows of {manifest.engine} as of "
            f"{manifest.made_at}"
        )
