"""`manage.py evaluate`: hold the models against black boxes, at equal budgets, on configurations that none has seen."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from dashboard.access import Access
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs.leases import JobId
from studies.evaluation.requests import EvaluationRequest, start_evaluating
from studies.evaluation.results import as_lines, as_page, read_result

BAD_INPUT = 2


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
        parser.add_argument(
            "--docs",
            type=Path,
            nargs="?",
            const=Path(settings.BASE_DIR) / "docs" / "reference",
            metavar="FOLDER",
            help="write the tables as a page of the documents too (docs/reference)",
        )
        parser.add_argument(
            "--no-times", action="store_true", help="counts only: one run of each configuration"
        )
        parser.add_argument(
            "--brute",
            default="",
            metavar="OPTIONS",
            help="count all configurations over these options, joined by commas, and tell what the analysis missed",
        )

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Evaluate, then print and write."""
        self._docs: Path | None = options["docs"]
        super().handle(*arguments, **options)

    def start(self, access: Access, options: dict[str, Any]) -> JobId:
        """Queue the evaluation."""
        request = EvaluationRequest(
            revision=options["revision"],
            workload=options["workload"],
            budgets=_numbers(options["budgets"]),
            seeds=options["seeds"],
            test=options["test"],
            repetitions=options["repetitions"],
            times=not options["no_times"],
            brute=tuple(name.strip() for name in options["brute"].split(",") if name.strip()),
        )
        return start_evaluating(access, request)

    def in_words(self, detail: JobDetail) -> str:
        """The tables, line by line; the page of the documents is written beside."""
        head = f"{detail.row.title}: {state_in_words(detail.row)}"
        if not detail.result:
            return head
        result = read_result(detail.result)
        if self._docs is not None:
            self._docs.mkdir(parents=True, exist_ok=True)
            page = self._docs / f"evaluation-{detail.row.system_slug}.md"
            page.write_text(as_page(result), encoding="utf-8")
            self.stderr.write(f"written: {page}", str)
        return "\n".join([head, *as_lines(result)])


def _numbers(text: str) -> tuple[int, ...]:
    """Numbers joined by commas, ascending. Raises `CommandError`."""
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise CommandError(
            f"--budgets: {text!r} is no list of numbers: write 20,40,80", returncode=BAD_INPUT
        ) from None
