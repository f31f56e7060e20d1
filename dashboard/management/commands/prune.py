"""`manage.py prune`: take away what was kept long enough, after telling how much it is."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import AccessError, Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.pruning import preview_pruning, prune


class Command(BaseCommand):
    """Prune."""

    help = (
        "Tells how many old rows that no result rests on could go: logs and parts of jobs that ended, what failed runs"
        " printed. With --yes they go. Runs that count, points, models, reports and the audit trail always stay."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("--days", type=int, default=90, help="what is older than so many days (90)")
        parser.add_argument(
            "--invalid-runs",
            action="store_true",
            help="also runs that are marked invalid, of batches that are older; they cannot be restored any more",
        )
        parser.add_argument("--yes", action="store_true", help="take it away; without this nothing changes")

    @refusing(AccessError, Refused)
    def handle(self, *_: Any, days: int, invalid_runs: bool, yes: bool, **__: Any) -> None:
        """Tell, or do it and tell."""
        act = prune if yes else preview_pruning
        for words, count in act(principal=Principal.operator(), days=days, invalid_runs=invalid_runs).items():
            self.stdout.write(f"{count:>12,}  {words}")
        if not yes:
            self.stderr.write("Nothing has changed: add --yes to take them away", str)
