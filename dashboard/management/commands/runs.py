"""`manage.py runs`: runs in the terminal."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access, Refused
from dashboard.figures.histories_words import revision_text
from dashboard.figures.machine_words import strain_text
from dashboard.figures.numbers import percent
from dashboard.management.system_command import SystemCommand
from dashboard.selectors.configurations import find_configuration
from dashboard.selectors.runs import RunFilter, RunRow, find_runs, list_runs
from dashboard.services.run_validity import mark_invalid, restore


class Command(SystemCommand):
    """Runs in the terminal."""

    help = "Lists runs, shows what they printed, marks them invalid and restores them."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser("list", help="the newest runs with their ids")
        _add_filter(listing)
        listing.add_argument("--limit", type=int, default=50, help="how many (50)")
        listing.add_argument("--json", action="store_true", help="one JSON object per line")
        show = verbs.add_parser("show", help="runs with the end of what they printed")
        _add_filter(show)
        show.add_argument("--limit", type=int, default=5, help="how many (5)")
        invalid = verbs.add_parser("invalidate", help="let runs count nowhere any more; nothing is deleted")
        _add_filter(invalid)
        invalid.add_argument("--reason", required=True, help="why; kept with the runs")
        _add_filter(verbs.add_parser("restore", help="let invalid runs count again"))

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Call the verb's selector or service."""
        written = options["configuration"]
        wanted = RunFilter(
            revision=options["revision"],
            configuration=find_configuration(access=access, written=written) if written else "",
            batch_id=options["batch"],
            run_ids=tuple(options["run"]),
            failed=options["failed"],
            invalid=options["invalid"],
        )
        if options["verb"] in {"list", "show"}:
            rows, _ = list_runs(access=access, wanted=wanted, limit=max(1, options["limit"]))
            if not rows:
                self.note("no run fits" if wanted.asks else "there are no runs")
            for row in rows:
                if options.get("json"):
                    text = json.dumps(asdict(row), default=lambda value: value.isoformat())
                else:
                    text = _in_words(row) + (f"\n{row.output}" if options["verb"] == "show" else "")
                self.stdout.write(text)
            return
        if not wanted.asks:
            raise Refused("say which runs: --run, --revision, --configuration, --batch, --failed")
        ids = find_runs(access=access, wanted=wanted)
        if options["verb"] == "restore":
            changed, done = restore(access=access, run_ids=ids), "restored"
        else:
            changed = mark_invalid(access=access, run_ids=ids, reason=options["reason"])
            done = "marked invalid"
        self.stdout.write(f"{changed} of {len(ids)} runs {done}")


def _add_filter(parser: CommandParser) -> None:
    parser.add_argument("system", help="a system's name or address")
    parser.add_argument("--run", nargs="+", type=int, default=[], metavar="ID", help="these runs")
    parser.add_argument("--revision", default="", help="of this revision")
    parser.add_argument("--configuration", default="", help="default, a=on,b=off, or a configuration's name")
    parser.add_argument("--batch", type=int, help="of this batch")
    parser.add_argument("--failed", action="store_true", help="that failed")
    parser.add_argument("--invalid", action="store_true", help="that are marked invalid")


def _in_words(row: RunRow) -> str:
    """`12 13  batch 3  1.0, tables, regular, repetition 2: ok, 0.21 s`."""
    wall = "" if row.wall_seconds is None else f", {row.wall_seconds:.4g} s"
    slower = "" if row.slower is None else f", reference {percent(100 * row.slower, signed=True)}"
    strain = f", {words}" if (words := strain_text(row.strain)) else ""
    invalid = f", invalid: {row.invalid_reason}" if row.invalid_reason else ""
    message = f": {row.message}" if row.message else ""
    return (
        f"{' '.join(map(str, row.run_ids))}  batch {row.batch_id}  {revision_text(row.revision)}, {row.configuration}, "
        f"{row.workload}, repetition {row.repetition}: {row.status}{wall}{slower}{strain}{invalid}{message}"
    )
