"""`manage.py evaluate`: hold the models against black boxes, at equal budgets, on configurations that none has seen."""

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from studies.evaluation.requests import EvaluationRequest, start_evaluating
from studies.evaluation.results import as_lines, as_page, read_result
from studies.management.reference_pages import add_docs_argument, write_page


def whole_numbers(text: str) -> list[int]:
    """The different numbers of "20,40,80", in order. Raises `ArgumentTypeError`."""
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no list of numbers: write 20,40,80") from None


def names(text: str) -> list[str]:
    """The names of "a, b"; none of an empty text."""
    return [name.strip() for name in text.split(",") if name.strip()]


class Command(MeasuringCommand):
    """Evaluate approaches on a subject."""

    help = "Compares composed, hybrid and black-box models of a subject at equal budgets."
    verb = "evaluate"

    request = EvaluationRequest
    send = staticmethod(start_evaluating)

    arguments = (
        argument("--revision", default="latest", help="name of one analyzed revision (latest)"),
        argument(
            "--budgets",
            type=whole_numbers,
            default="20,40,80",
            help="numbers of configurations to learn from (20,40,80)",
        ),
        argument("--seeds", type=int, default=5, help="random splits into training and test (5)"),
        argument("--test", type=int, default=200, help="configurations held back in each split (200)"),
        argument("--repetitions", type=int, default=2, help="runs of each configuration (2)"),
        argument(
            "--no-times",
            dest="times",
            action="store_false",
            help="counts only: one run of each configuration",
        ),
        argument(
            "--brute",
            type=names,
            default="",
            metavar="OPTIONS",
            help="count all configurations over these options, joined by commas, and tell what the analysis missed",
        ),
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Those of a measuring command, and where the tables are written."""
        super().add_arguments(parser)
        add_docs_argument(parser, "the tables")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Evaluate, then print and write."""
        self._docs = options["docs"]
        super().handle(*arguments, **options)

    def outcome(self, job: Job) -> str:
        """The tables, line by line; the page of the documents is written beside."""
        result = read_result(job.result)
        if self._docs is not None:
            write_page(self, self._docs, f"evaluation-{job.system_slug}", as_page(result))
        return "\n".join([state_in_words(job), *as_lines(result)])
