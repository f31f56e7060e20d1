"""`manage.py accuracy NAME [--json]`: how good a system's influence model is."""

import json
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Access
from dashboard.management.system_command import SystemCommand
from dashboard.selectors.accuracy import AccuracyReport, report_accuracy


class Command(SystemCommand):
    """Print how far predictions lie from measured times, and how large the model is."""

    help = "Compare a system's influence model with end-to-end measurements."

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's own arguments."""
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print the accuracy of the system's newest model."""
        report = report_accuracy(access.system)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(report), indent=1))
            return
        for line in as_lines(report):
            self.stdout.write(line)


def as_json(report: AccuracyReport) -> dict[str, Any]:
    """The report as docs/reference/accuracy.md describes it."""
    found: dict[str, Any] = {
        "mape_original": report.accuracy.mape_original,
        "mape_corrected": {
            "mean": report.accuracy.mape_corrected_mean,
            "sd": report.accuracy.mape_corrected_sd,
            "per_correction": dict(report.per_correction),
        },
        "terms": {
            "local_threshold": _keyed(report.accuracy.terms_local_threshold),
            "global_threshold": _keyed(report.accuracy.terms_global_threshold),
        },
        "configurations": report.accuracy.configurations,
        "regions": report.accuracy.regions,
        "distinct_subspaces": report.accuracy.distinct_subspaces,
        "uncovered_subspaces": report.accuracy.uncovered_subspaces,
        "cover_size": report.accuracy.cover_size,
        "published_predictions_max_abs_diff_s": report.predictions_difference,
    }
    return {**found, "reasons": dict(report.reasons)} if report.reasons else found


def as_lines(report: AccuracyReport) -> list[str]:
    """The report in aligned text."""
    model = report.model
    unit = model.unit
    corrected = _percent(report.accuracy.mape_corrected_mean)
    if report.accuracy.mape_corrected_sd is not None:
        corrected += f" ± {report.accuracy.mape_corrected_sd:.2f}"
    rows = [
        ("mean error, as profiled", _percent(report.accuracy.mape_original)),
        ("mean error, corrected", corrected),
        *((f"  {name}", _percent(value)) for name, value in report.per_correction.items()),
        (
            "compared with",
            f"{report.accuracy.predicted} of {report.accuracy.measured} measured configurations",
        ),
        ("profiled configurations", str(report.accuracy.configurations)),
        ("regions", str(report.accuracy.regions)),
        (
            "distinct subspaces",
            f"{report.accuracy.distinct_subspaces}, {report.accuracy.uncovered_subspaces} uncovered",
        ),
        ("greedy cover", f"{report.accuracy.cover_size} configurations"),
    ]
    for threshold, count in report.accuracy.terms_local_threshold.items():
        overall = report.accuracy.terms_global_threshold[threshold]
        rows.append((f"terms of {threshold} {unit}", f"{count} (some region), {overall} (their sum)"))
    if report.predictions_difference is not None:
        difference = f"at most {report.predictions_difference:.4f} {unit}"
        rows.append(("off published values", difference))
    title = f"{model.system_name} {model.revision}, {model.workload}, {model.environment}"
    width = max(len(name) for name, _ in rows)
    notes = [f"note on {name}: {reason}" for name, reason in report.reasons.items()]
    return [title, *(f"  {name:<{width}}  {value}" for name, value in rows), *notes]


def _keyed(counts: Mapping[float, int]) -> dict[str, int]:
    return {str(threshold): count for threshold, count in counts.items()}


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f} %"
