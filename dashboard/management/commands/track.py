"""`manage.py track`: learn a program's history in a given time, each revision chosen by what is known so far."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.durations import duration
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs.leases import JobId
from dashboard.services.tracking import TrackingRequest, start_tracking
from dashboard.services.tracking.choosing import STEPS


class Command(MeasuringCommand):
    """Track a subject."""

    help = "Measures the revisions of a subject that tell most of its history, until the budget is spent."
    verb = "track"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        parser.add_argument("--budget", type=duration, default="1h", help="90s, 30min, 2h or 1d (1h)")
        parser.add_argument("--most", type=int, help="measure so many revisions at most")
        parser.add_argument(
            "--configuration", default="default", metavar="EXPRESSION", help="default or a=on,b=off (default)"
        )
        parser.add_argument(
            "--revisions", nargs="+", default=["all"], metavar="EXPRESSION", help="all, last=N, A..B (all)"
        )
        parser.add_argument("--repetitions", type=int, default=3, help="runs of each revision (3)")

        parser.add_argument(
            "--stop-at",
            default=STEPS,
            metavar="WORD",
            help=(
                "steps: no gap hides a step; noise: every revision is known as well as repeated measurements of one; "
                "1%%: every revision is known to 1 %% (steps)"
            ),
        )
        parser.add_argument(
            "--no-sharing",
            action="store_true",
            help="measure every commit, also where its code did not change",
        )

    def start(self, access: Access, options: dict[str, Any]) -> JobId:
        """Queue the tracking."""
        request = TrackingRequest(
            configuration=options["configuration"],
            revisions=tuple(options["revisions"]),
            workload=options["workload"],
            repetitions=options["repetitions"],
            budget_seconds=options["budget"],
            most=options["most"],
            stop_at=options["stop_at"],
            sharing=not options["no_sharing"],
        )
        return start_tracking(access=access, request=request)

    def in_words(self, detail: JobDetail) -> str:
        """The end of a tracking in one line."""
        outcomes = detail.result.get("outcomes")
        if outcomes is None:
            return f"{detail.row.title}: {state_in_words(detail.row)}"
        counted = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "nothing measured"
        return f"{detail.row.title}: {detail.row.state}: {counted}; {detail.result['stopped']}"
