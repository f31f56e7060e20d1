"""`manage.py measure`: run a subject over configurations, revisions and repetitions, and store what comes of it."""

from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs.leases import JobId
from dashboard.services.measuring import MeasuringRequest, start_measuring


class Command(MeasuringCommand):
    """Measure a subject."""

    help = "Measures a subject: its folder, or the name under which it was registered."
    verb = "measure"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        parser.add_argument(
            "--configurations",
            nargs="+",
            default=["default"],
            metavar="EXPRESSION",
            help=(
                "all, default, feature-wise, pair-wise, only=a,b, a=on,b=off, analysis (those of `analyze`), "
                "analysis=REVISION or random=N (default)"
            ),
        )
        parser.add_argument(
            "--revisions",
            nargs="+",
            default=["latest"],
            metavar="EXPRESSION",
            help="all, latest, first, last=N, every=N, A..B or names (latest)",
        )
        parser.add_argument("--repetitions", type=int, default=5, help="runs of each (5)")
        parser.add_argument("--no-profile", action="store_true", help="end-to-end times only")
        parser.add_argument(
            "--counts",
            action=BooleanOptionalAction,
            default=None,
            help="one more run of each configuration that counts what its regions do (as the subject says: yes)",
        )
        parser.add_argument("--seed", type=int, default=0, help="of the random order (0)")

    def start(self, access: Access, options: dict[str, Any]) -> JobId:
        """Queue the measurement."""
        request = MeasuringRequest(
            configurations=tuple(options["configurations"]),
            revisions=tuple(options["revisions"]),
            repetitions=options["repetitions"],
            workload=options["workload"],
            profile=not options["no_profile"],
            seed=options["seed"],
            counts=options["counts"],
        )
        return start_measuring(access=access, request=request, look_again=True)

    def in_words(self, detail: JobDetail) -> str:
        """The end of a measurement in one line: "done: 60 runs, 3 of them failed"."""
        row, counts = detail.row, detail.result.get("runs")
        if counts is None:
            return f"{row.title}: {state_in_words(row)}"
        total = sum(counts.values())
        failed = total - counts["ok"]
        runs = f"{total} run{'s' if total != 1 else ''}"
        return f"{row.title}: {row.state}: {runs}, {f'{failed} of them failed' if failed else 'none failed'}"
