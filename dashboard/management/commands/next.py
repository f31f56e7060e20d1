"""`manage.py next SYSTEM`: which revisions are worth measuring next, and why."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from django.core.management.base import CommandError, CommandParser

from dashboard.access import Access
from dashboard.figures.histories_words import git_command
from dashboard.management.job_output import time_in_words
from dashboard.management.system_command import BAD_INPUT, SystemCommand
from dashboard.selectors.histories.next_revisions import RevisionProposal, propose
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import default_series, list_series


class Command(SystemCommand):
    """Print the revisions that tell most of a history."""

    help = "Names the revisions worth measuring next, with the reason; --list names the histories."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        parser.add_argument("--series", default="", help="number of a history (the default configuration's)")
        parser.add_argument("--list", action="store_true", help="print the histories and end")
        parser.add_argument("--order", default="", help="name of an order of revisions")
        parser.add_argument("--count", type=int, default=5, help="so many revisions (5)")
        parser.add_argument(
            "--as",
            dest="form",
            default="table",
            choices=["table", "text", "json", "git"],
            help="table, text (a name per line), json, git (a command that shows them)",
        )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print the suggestions."""
        if options["count"] < 1:
            self._refuse("--count: at least 1")
        known = list_series(system=access.system)
        if options["list"]:
            for series in known:
                self.stdout.write(f"{series.series_id:>8}  {_title(series)}, {series.points} points")
            return
        if options["series"] and options["series"] not in {str(one.series_id) for one in known}:
            self._refuse(f"{access.slug} has no history {options['series']}: --list names them")
        series = default_series(known, series_id=options["series"])
        found = propose(
            system=access.system,
            series_id=series.series_id,
            order=options["order"],
            count=options["count"],
        )
        if options["form"] == "table":
            self.stderr.write(_title(series), str)
        for line in written(found, options["form"]):
            self.stdout.write(line)
        # To standard error: what comes out on standard output can be given to another program as it is.
        if not found.rows:
            self.stderr.write(nothing_in_words(found), str)
        elif found.stop and options["form"] == "table":
            self.stderr.write(f"tracking would measure none of these: {found.stop}", str)

    def _refuse(self, problem: str) -> NoReturn:
        raise CommandError(problem, returncode=BAD_INPUT) from None


def written(found: RevisionProposal, form: str) -> Iterator[str]:
    """The suggestions as lines of a table, as names, as JSON or as a git command."""
    names = [row.place.name for row in found.rows]
    if form == "json":
        rows = [
            {
                "revision": row.place.name,
                "position": row.place.position,
                "message": row.place.message,
                "reason": row.reason,
                "gain": row.gain,
                "seconds": found.seconds,
            }
            for row in found.rows
        ]
        yield json.dumps(rows, indent=1)
    elif form == "git" and names:
        yield git_command(names)
    elif form == "text":
        yield from names
    elif form == "table":
        width = max(map(len, names), default=0)
        cost = "time not known" if found.seconds is None else f"about {time_in_words(found.seconds)}"
        for row in found.rows:
            yield f"{row.place.name:<{width}}  {row.reason}; gain about {row.gain:.2%}, {cost}"


def nothing_in_words(found: RevisionProposal) -> str:
    """Why nothing is proposed: "nothing is proposed: 12 revisions are measured, 2 cannot be built or run"."""
    failed = f", {found.unbuildable} cannot be built or run" if found.unbuildable else ""
    return f"nothing is proposed: {found.measured} revisions are measured or hold the code of one that is{failed}"


def _title(series: SeriesRow) -> str:
    clock = "" if series.clock == "none" else f" ({series.clock})"
    return f"{series.label}, {series.workload}, {series.quantity}{clock}, {series.environment}"
