"""`manage.py measure`: run a subject over configurations, revisions and repetitions, and store what comes of it."""

from argparse import BooleanOptionalAction
from functools import partial

from dashboard.figures.influences_words import differing_text
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from dashboard.services.measuring import MeasuringRequest, start_measuring


class Command(MeasuringCommand):
    """Measure a subject."""

    help = "Measures a subject: its folder, or the name under which it was registered."
    verb = "measure"
    request = MeasuringRequest
    send = staticmethod(partial(start_measuring, look_again=True))

    arguments = (
        argument(
            "--configurations",
            nargs="+",
            default=["default"],
            metavar="EXPRESSION",
            help=(
                "all, default, feature-wise, pair-wise, only=a,b, a=on,b=off, analysis (those of `analyze`), "
                "analysis=REVISION or random=N (default)"
            ),
        ),
        argument(
            "--revisions",
            nargs="+",
            default=["latest"],
            metavar="EXPRESSION",
            help="all, latest, first, last=N, every=N, A..B or names (latest)",
        ),
        argument("--repetitions", type=int, default=5, help="runs of each (5)"),
        argument("--no-profile", dest="profile", action="store_false", help="end-to-end times only"),
        argument(
            "--counts",
            action=BooleanOptionalAction,
            default=None,
            help="one more run of each configuration that counts what its regions do (as the subject says: yes)",
        ),
        argument(
            "--aa",
            action="store_true",
            help="measure one revision against itself, --repetitions runs of each side in turns, and tell how often "
            "identical runs differ",
        ),
        argument(
            "--metric",
            choices=("time", "work", "instructions"),
            default="time",
            help="work (of Python) or instructions (of other programs): one run of each that counts, none timed (time)",
        ),
        argument("--seed", type=int, default=0, help="of the random order (0)"),
    )

    def outcome(self, job: Job) -> str | None:
        """The end of a measurement in one line: "done: 60 runs, 3 of them failed"."""
        counts = job.result.get("runs")
        if counts is None:
            return None
        total = sum(counts.values())
        failed = total - counts["ok"]
        runs = f"{total} run{'s' if total != 1 else ''}"
        told = f"{job.state}: {runs}, {f'{failed} of them failed' if failed else 'none failed'}"
        if again := job.result.get("again"):
            told += f"; {again} were made again, since the machine was disturbed"
        if splits := job.result.get("splits"):
            told += f"; A/A: {differing_text(job.result['differing_splits'], splits)}"
        return told
