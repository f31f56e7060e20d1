"""`manage.py measure`: run a subject over configurations, revisions and repetitions, and store what comes of it."""

from argparse import ArgumentTypeError, BooleanOptionalAction
from functools import partial

from analytics.repetitions import USUAL_RULE
from dashboard.figures.influences_words import differing_text
from dashboard.figures.numbers import GAP
from dashboard.figures.repetitions_words import made_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from dashboard.services.measuring import MeasuringRequest, start_measuring


def repetitions(text: str) -> int | tuple[int, int]:
    """A fixed number as "5", or the least and the most as "3..10". Raises `ArgumentTypeError`."""
    least, _, most = text.partition("..")
    try:
        return (int(least), int(most)) if ".." in text else int(text)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is no number of repetitions: write 5, or 3..10 for as needed"
        ) from None


def percentage(text: str) -> float:
    """The share that a percentage is, with or without its sign. Raises `ArgumentTypeError`."""
    try:
        return float(text.strip().removesuffix("%")) / 100
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no percentage: write a number such as 2") from None


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
                "all, default, feature-wise, pair-wise, plackett-burman, only=a,b, a=on,b=off, analysis (those of "
                "`analyze`), analysis=REVISION, reads or static (of `analyze --approach`), random=N, distance=N or diversified-distance=N (default)"
            ),
        ),
        argument(
            "--revisions",
            nargs="+",
            default=["latest"],
            metavar="EXPRESSION",
            help="all, latest, first, last=N, every=N, A..B, names, tags, or a branch that the subject names (latest)",
        ),
        argument(
            "--repetitions",
            type=repetitions,
            default=(USUAL_RULE.least, USUAL_RULE.most),
            metavar="N|LEAST..MOST",
            help="runs of each: a fixed number, or as needed, between two (3..10)",
        ),
        argument(
            "--half-width",
            type=percentage,
            default=USUAL_RULE.half_width,
            metavar="PERCENT",
            help="how narrow the interval of each is to be where runs are repeated as needed: half of it (2)",
        ),
        argument("--no-profile", dest="profile", action="store_false", help="end-to-end times only"),
        argument(
            "--counts",
            action=BooleanOptionalAction,
            default=None,
            help="one more run of each configuration that counts what its regions do, or the instructions of a command (as the "
            "subject says: yes for a callable, no for a command)",
        ),
        argument(
            "--aa",
            action="store_true",
            help="measure one revision against itself, --repetitions runs of each side in turns, and tell how often "
            "identical runs differ",
        ),
        argument(
            "--comparisons",
            type=int,
            default=20,
            help="of --aa: so many comparisons, each of runs of its own (20)",
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
        again, repeating = job.result.get("again", 0), job.result.get("repeating", {})
        told = f"{job.state}: {made_in_words(total, failed=total - counts['ok'], again=again, repeating=repeating)}"
        if comparisons := job.result.get("comparisons"):
            told += (
                f"; A/A: {differing_text(job.result['differing'], comparisons, job.result['runs_of_each'])}"
            )
        return told.replace(GAP, " ")
