"""`manage.py restore`: put a backup in the place of this installation."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import AccessError, Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.backups.installation import check_backup, restore
from dashboard.services.serving.start import ServeError, check_var, serving_alone


class Command(BaseCommand):
    """Restore everything."""

    help = (
        "Puts a backup into an empty installation, after checking all of it. Stop the server and all workers"
        " before. The secret key and other settings are not in a backup."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("file", type=Path, help="a file that `backup` wrote")
        parser.add_argument(
            "--replace", action="store_true", help="put it in the place of what is here, which is then gone"
        )
        parser.add_argument(
            "--check", action="store_true", help="only say whether it could be restored here; change nothing"
        )

    @refusing(AccessError, Refused, ServeError)
    def handle(self, *_: Any, file: Path, replace: bool, check: bool, **__: Any) -> None:
        """Check, or restore, and say what is there now."""
        check_var()
        operator = Principal.operator()
        if check:
            manifest = check_backup(principal=operator, path=file)
        else:
            with serving_alone():
                manifest = restore(
                    principal=operator,
                    path=file,
                    replace=replace,
                    progress=lambda _, step: self.stderr.write(step, str),
                )
        self.stdout.write(
            f"{file} {'can be restored' if check else 'is restored'}: {sum(manifest.rows.values()):,} rows as of "
            f"{manifest.made_at}"
        )
