"""`manage.py track`: learn a program's history in a given time, each revision chosen by what is known so far."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.measuring_command import MeasuringCommand, add_series_arguments
from dashboard.models import Job
from dashboard.services.tracking.choosing import STEPS
from dashboard.services.tracking.loop import TrackingRequest, start_tracking


class Command(MeasuringCommand):
    """Track a subject."""

    help = "Measures the revisions of a subject that tell most of its history, until the budget is spent."
    verb = "track"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        add_series_arguments(parser)
        parser.add_argument("--most", type=int, help="measure so many revisions at most")
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
            dest="sharing",
            action="store_false",
            help="measure every commit, also where its code did not change",
        )

    def start(self, access: Access, options: dict[str, Any]) -> int:
        """Queue the tracking."""
        return start_tracking(access=access, request=TrackingRequest.model_validate(options))

    def outcome(self, job: Job) -> str | None:
        """The end of a tracking in one line."""
        outcomes = job.result.get("outcomes")
        if outcomes is None:
            return None
        counted = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "nothing measured"
        return f"{job.state}: {counted}; {job.result['stopped']}"
