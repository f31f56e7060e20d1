"""`manage.py approaches SYSTEM`: samplings and learners side by side, beside the model composed of regions."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from analytics.evaluation import SIZES, ApproachRow, ApproachSettings
from dashboard.access import Access, Refused
from dashboard.figures.approaches_words import fixed_text
from dashboard.figures.numbers import GAP, DisplayScale, long_scale, number
from dashboard.management.system_command import SystemCommand
from dashboard.selectors.evaluation_rows import EvaluationView
from dashboard.selectors.evaluations import find_evaluation
from dashboard.services.evaluation import ApproachRequest
from studies.evaluation.approach_jobs import evaluate


class Command(SystemCommand):
    """Evaluate approaches, store the rows and print them."""

    help = (
        "Hold samplings and learners side by side on what was measured of a system: cost and error of each."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's own arguments."""
        super().add_arguments(parser)
        usual = ApproachSettings()
        parser.add_argument(
            "--metric", default="", help="a quantity, or quantity:clock as time:cpu (the most measured)"
        )
        parser.add_argument("--revision", default="", help="name of a revision (the most measured)")
        parser.add_argument("--seeds", type=int, default=usual.seeds, help=f"test sets ({usual.seeds})")
        parser.add_argument(
            "--test", type=int, help="configurations in a test set (half of the measured ones, at most 1000)"
        )
        parser.add_argument(
            "--sizes",
            help=f"sizes of random samples ({_listed(SIZES)}, or half of what is left where both are too many)",
        )
        parser.add_argument(
            "--samplings",
            default=_listed(usual.samplings),
            help=f"others: exhaustive, feature-wise, negative-feature-wise, pair-wise, plackett-burman, plackett-burman-ROWS, t-wise-T, distance, diversified-distance ({_listed(usual.samplings)})",
        )
        parser.add_argument("--learners", default=_listed(usual.learners), help="by name (all)")
        parser.add_argument(
            "--thresholds", default="", help="count terms from these values on (1 %% of the median value)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Evaluate, then print the table. Raises `Refused` for what is no number, too."""
        request = ApproachRequest(
            metric=options["metric"],
            revision=options["revision"],
            settings=ApproachSettings(
                samplings=_split(options["samplings"], str, "--samplings"),
                sizes=None if options["sizes"] is None else _split(options["sizes"], int, "--sizes"),
                learners=_split(options["learners"], str, "--learners"),
                seeds=options["seeds"],
                test=options["test"],
                thresholds=_split(options["thresholds"], float, "--thresholds"),
            ),
        )
        evaluation = evaluate(access, request, lambda share, words: self.note(f"{share:4.0%} {words}"))
        view = find_evaluation(access.system, evaluation)
        lines = [json.dumps(_as_json(view), indent=1)] if options["json"] else as_lines(view)
        for line in lines:
            self.stdout.write(line)


def _split(text: str, read: Callable[[str], Any], option: str) -> tuple[Any, ...]:
    try:
        return tuple(read(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        raise Refused(f"{option} {text!r}: give numbers separated by commas") from None


def _listed(values: Sequence[object]) -> str:
    return ",".join(str(value) for value in values)


def _as_json(view: EvaluationView) -> dict[str, Any]:
    """The evaluation as docs/reference/approaches.md describes it."""
    found = {
        key: value
        for key, value in asdict(view).items()
        if key not in ("evaluation_id", "evaluation", "created_at", "is_current")
    }
    found["comparison"] = asdict(view.evaluation)
    found["comparison"]["rows"] = [
        {
            **asdict(row),
            "median": row.error,
            "rank_correlation": row.rank_correlation,
            "regret": row.regret,
            "mean": row.mean,
            "deviation": row.deviation,
        }
        for row in view.evaluation.rows
    ]
    return found


def as_lines(view: EvaluationView) -> list[str]:
    """The evaluation as a table in aligned text."""
    found = view.evaluation
    thresholds = [
        f"terms ≥ {number(threshold, unit=view.unit)}".replace(GAP, " ") for threshold in found.thresholds
    ]
    scale = long_scale(row.machine_seconds or 0.0 for row in found.rows)
    head = [
        "sampling",
        "learner",
        "n",
        f"{scale.unit} once",
        "runs",
        f"{scale.unit} in all",
        "error %",
        "sd",
        "min to max",
        "rank",
        "regret %",
        *thresholds,
        "training s",
        "",
    ]
    table = [head, *(_cells(row, len(thresholds), scale) for row in found.rows if not row.reason)]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(head))]
    lines = [
        f"{view.system} {view.title}, {view.environment}",
        f"{found.measured:,} of {found.valid:,} configurations measured",
        f"errors are medians over {found.seeds} test sets of {found.test:,}, none of them trained on",
        "once: the time of measuring each of n configurations once; in all: of all runs that were made",
        *([f"never varied, so held fixed: {fixed_text(view)}"] if found.fixed else []),
        "",
    ]
    for cells in table:
        padded = [
            cell.ljust(width) if column < 2 or column == len(head) - 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return [*lines, *_left_out(view)]


def _left_out(view: EvaluationView) -> list[str]:
    """What has no error, and why."""
    lines = [
        f"no error for {row.sampling_title} {row.learner_title}".rstrip() + f": {row.reason}"
        for row in view.evaluation.rows
        if row.reason
    ]
    if view.left_out:
        lines.insert(0, f"left out: {view.left_out:,} configurations whose value is not above 0")
    return lines


def _cells(row: ApproachRow, thresholds: int, scale: DisplayScale) -> list[str]:
    counts = [str(count) for _, count in row.terms] or ["–"] * thresholds
    kind = ["" if row.interpretable else "black box", "local" if row.local else ""]
    if row.missing:
        kind.append(f"{row.missing} of {row.wanted} never measured")
    if row.seen:
        kind.append("tested on configurations it was made from")
    if row.unpredicted:
        kind.append(f"{row.unpredicted} predictions unknown")
    return [
        row.sampling_title,
        row.learner_title,
        f"{row.configurations:,}",
        _scaled(row.seconds_once, scale),
        f"{row.executions:,}",
        _scaled(row.machine_seconds, scale),
        f"{row.error or 0:,.1f}",
        "–" if row.deviation is None else f"{row.deviation:,.1f}",
        f"{min(row.errors):,.1f} to {max(row.errors):,.1f}",
        "–" if row.rank_correlation is None else f"{row.rank_correlation:.2f}",
        "–" if row.regret is None else f"{row.regret:,.1f}",
        *counts,
        f"{row.training_seconds or 0:.3f}",
        ", ".join(part for part in kind if part),
    ]


def _scaled(seconds: float | None, scale: DisplayScale) -> str:
    return "–" if seconds is None else f"{seconds * scale.factor:,.1f}"
