"""`manage.py next SYSTEM`: which revisions are worth measuring next, and why."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from dashboard.access import Access
from dashboard.figures.histories_words import git_command
from dashboard.management.job_output import time_in_words
from dashboard.management.system_command import BAD_INPUT, SystemCommand, argument
from dashboard.selectors.histories.next_revisions import RevisionProposal, propose
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import default_series, list_series


class Command(SystemCommand):
    """Print the revisions that tell most of a history."""

    help = "Names the revisions worth measuring next, with the reason; --list names the histories."

    arguments = (
        argument("--series", default="", help="number of a history (the default configuration's)"),
        argument("--list", action="store_true", help="print the histories and end"),
        argument("--order", default="", help="name of an order of revisions"),
        argument("--count", type=int, default=5, help="so many revisions (5)"),
        argument(
            "--as",
            dest="form",
            default="table",
            choices=["table", "text", "json", "git"],
            help="table, text (a name per line), json, git (a command that shows them)",
        ),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print the suggestions."""
        if options["count"] < 1:
            raise CommandError("--count: at least 1", returncode=BAD_INPUT)
        known = list_series(system=access.system)
        if options["list"]:
            for series in known:
                self.stdout.write(f"{series.series_id:>8}  {_title(series)}, {series.points} points")
            return
        if options["series"] and options["series"] not in {str(one.series_id) for one in known}:
            message = f"{access.slug} has no history {options['series']}: --list names them"
            raise CommandError(message, returncode=BAD_INPUT)
        series = default_series(known, series_id=options["series"])
        wanted = {"order": options["order"], "count": options["count"]}
        found = propose(system=access.system, series_id=series.series_id, **wanted)
        if options["form"] == "table":
            self.note(_title(series))
        for line in written(found, options["form"]):
            self.stdout.write(line)
        # To standard error: what comes out on standard output can be given to another program as it is.
        if not found.rows:
            failed = f", {found.unbuildable} cannot be built or run" if found.unbuildable else ""
            measured = f"{found.measured} revisions are measured or hold the code of one that is"
            self.note(f"nothing is proposed: {measured}{failed}")
        elif found.stop and options["form"] == "table":
            self.note(f"tracking would measure none of these: {found.stop}")


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


def _title(series: SeriesRow) -> str:
    clock = "" if series.clock == "none" else f" ({series.clock})"
    return f"{series.label}, {series.workload}, {series.quantity}{clock}, {series.environment}"
