"""`manage.py evaluate`: hold the models against black boxes, at equal budgets, on configurations that none has seen."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from dashboard.access import Access
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.management.system_command import BAD_INPUT
from dashboard.models import Job
from studies.evaluation.requests import EvaluationRequest, start_evaluating
from studies.evaluation.results import as_lines, as_page, read_result
from studies.management.reference_pages import add_docs_argument, write_page


class Command(MeasuringCommand):
    """Evaluate approaches on a subject."""

    help = "Compares composed, hybrid and black-box models of a subject at equal budgets."
    verb = "evaluate"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        parser.add_argument("--revision", default="latest", help="name of one analyzed revision (latest)")
        parser.add_argument(
            "--budgets", default="20,40,80", help="numbers of configurations to learn from (20,40,80)"
        )
        parser.add_argument("--seeds", type=int, default=5, help="random splits into training and test (5)")
        parser.add_argument(
            "--test", type=int, default=200, help="configurations held back in each split (200)"
        )
        parser.add_argument("--repetitions", type=int, default=2, help="runs of each configuration (2)")
        add_docs_argument(parser, "the tables")
        parser.add_argument(
            "--no-times",
            dest="times",
            action="store_false",
            help="counts only: one run of each configuration",
        )
        parser.add_argument(
            "--brute",
            default="",
            metavar="OPTIONS",
            help="count all configurations over these options, joined by commas, and tell what the analysis missed",
        )

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Evaluate, then print and write."""
        self._docs = options["docs"]
        super().handle(*arguments, **options)

    def start(self, access: Access, options: dict[str, Any]) -> int:
        """Queue the evaluation."""
        try:
            budgets = sorted({int(part) for part in options["budgets"].split(",")})
        except ValueError:
            raise CommandError(
                f"--budgets: {options['budgets']!r} is no list of numbers: write 20,40,80",
                returncode=BAD_INPUT,
            ) from None
        brute = [name.strip() for name in options["brute"].split(",") if name.strip()]
        request = EvaluationRequest.model_validate({**options, "budgets": budgets, "brute": brute})
        return start_evaluating(access, request)

    def outcome(self, job: Job) -> str:
        """The tables, line by line; the page of the documents is written beside."""
        result = read_result(job.result)
        if self._docs is not None:
            write_page(self, self._docs, f"evaluation-{job.system_slug}", as_page(result))
        return "\n".join([state_in_words(job), *as_lines(result)])
