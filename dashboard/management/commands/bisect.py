"""`manage.py bisect`: find the revision that brought a change, with repeated runs and a stated probability of an error."""

from dashboard.management.measuring_command import SERIES, MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from dashboard.services.tracking.bisecting import BisectingRequest, start_bisecting


class Command(MeasuringCommand):
    """Bisect a subject."""

    help = "Finds the revision of a subject that changed its time."
    verb = "bisect"
    request = BisectingRequest
    send = staticmethod(start_bisecting)

    arguments = (
        *SERIES,
        argument("--from", dest="before", default="first", help="a revision before the change (first)"),
        argument("--to", dest="after", default="latest", help="a revision after it (latest)"),
        argument(
            "--metric",
            choices=("time", "work", "instructions"),
            default="time",
            help="work (of Python) or instructions (of other programs): single counted runs, without any error (time)",
        ),
        argument(
            "--error",
            type=float,
            help="accepted probability of a wrong answer (0.05); not with counts, whose answer has none",
        ),
    )

    def outcome(self, job: Job) -> str | None:
        """The answer in one line."""
        sentence: str | None = job.result.get("sentence")
        return sentence
