"""`manage.py track`: learn a program's history in a given time, each revision chosen by what is known so far."""

from dashboard.management.measuring_command import SERIES, MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from dashboard.services.tracking.choosing import STEPS
from dashboard.services.tracking.loop import TrackingRequest, start_tracking


class Command(MeasuringCommand):
    """Track a subject."""

    help = "Measures the revisions of a subject that tell most of its history, until the budget is spent."
    verb = "track"
    request = TrackingRequest
    send = staticmethod(start_tracking)

    arguments = (
        *SERIES,
        argument("--most", type=int, help="measure so many revisions at most"),
        argument(
            "--revisions", nargs="+", default=["all"], metavar="EXPRESSION", help="all, last=N, A..B (all)"
        ),
        argument("--repetitions", type=int, default=3, help="runs of each revision (3)"),
        argument(
            "--stop-at",
            default=STEPS,
            metavar="WORD",
            help=(
                "steps: no gap hides a step; noise: every revision is known as well as repeated measurements of one; "
                "1%%: every revision is known to 1 %% (steps)"
            ),
        ),
        argument(
            "--no-sharing",
            dest="sharing",
            action="store_false",
            help="measure every commit, also where its code did not change",
        ),
        argument(
            "--no-counts",
            dest="counts",
            action="store_false",
            help="times alone: do not count each version first, where the subject can be counted",
        ),
    )

    def outcome(self, job: Job) -> str | None:
        """The end of a tracking in one line, and one for each change that it saw."""
        outcomes = job.result.get("outcomes")
        if outcomes is None:
            return None
        counted = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "nothing measured"
        changes = (f"\n  {change['sentence']}" for change in job.result.get("changes", ()))
        by_counts = f"\n  {job.result['counted']}" if job.result.get("counted") else ""
        return f"{job.state}: {counted}; {job.result['stopped']}{by_counts}{''.join(changes)}"
