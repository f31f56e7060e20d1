"""`manage.py bisect`: find the revision that brought a change, with repeated runs and a stated probability of an error."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.measuring_command import MeasuringCommand, add_series_arguments
from dashboard.models import Job
from dashboard.services.tracking.bisecting import BisectingRequest, start_bisecting


class Command(MeasuringCommand):
    """Bisect a subject."""

    help = "Finds the revision of a subject that changed its time."
    verb = "bisect"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        add_series_arguments(parser)
        parser.add_argument(
            "--from", dest="before", default="first", help="a revision before the change (first)"
        )
        parser.add_argument("--to", dest="after", default="latest", help="a revision after it (latest)")
        parser.add_argument(
            "--error", type=float, default=0.05, help="accepted probability of a wrong answer (0.05)"
        )

    def start(self, access: Access, options: dict[str, Any]) -> int:
        """Queue the search."""
        return start_bisecting(access=access, request=BisectingRequest.model_validate(options))

    def outcome(self, job: Job) -> str | None:
        """The answer in one line."""
        sentence: str | None = job.result.get("sentence")
        return sentence
