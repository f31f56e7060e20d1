"""`manage.py bisect`: find the revision that brought a change, with repeated runs and a stated probability of an error."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.durations import duration
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs.leases import JobId
from dashboard.services.tracking.bisecting import BisectingRequest, start_bisecting


class Command(MeasuringCommand):
    """Bisect a subject."""

    help = "Finds the revision of a subject that changed its time."
    verb = "bisect"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        parser.add_argument(
            "--from", dest="before", default="first", help="a revision before the change (first)"
        )
        parser.add_argument("--to", dest="after", default="latest", help="a revision after it (latest)")
        parser.add_argument(
            "--configuration", default="default", metavar="EXPRESSION", help="default or a=on,b=off (default)"
        )
        parser.add_argument(
            "--error", type=float, default=0.05, help="accepted probability of a wrong answer (0.05)"
        )
        parser.add_argument("--budget", type=duration, default="1h", help="90s, 30min, 2h or 1d (1h)")

    def start(self, access: Access, options: dict[str, Any]) -> JobId:
        """Queue the search."""
        request = BisectingRequest(
            before=options["before"],
            after=options["after"],
            configuration=options["configuration"],
            workload=options["workload"],
            error=options["error"],
            budget_seconds=options["budget"],
        )
        return start_bisecting(access=access, request=request)

    def in_words(self, detail: JobDetail) -> str:
        """The answer in one line."""
        sentence = detail.result.get("sentence", state_in_words(detail.row))
        return f"{detail.row.title}: {sentence}"
