"""`manage.py accuracy NAME [--json]`: how good a system's influence model is."""

import json
from typing import Any

from dashboard.access import Access
from dashboard.figures.histories_words import revision_text
from dashboard.management.model_output import percent_text
from dashboard.management.system_command import SystemCommand, argument
from dashboard.selectors.accuracy import AccuracyReport, report_accuracy

# Of the accuracy, under the same name in JSON.
_SIZES = ("configurations", "regions", "distinct_subspaces", "uncovered_subspaces", "cover_size")


class Command(SystemCommand):
    """Print how far predictions lie from measured times, and how large the model is."""

    help = "Compare a system's influence model with end-to-end measurements."

    arguments = (argument("--json", action="store_true", help="print one JSON object"),)

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Print the accuracy of the system's newest model."""
        report = report_accuracy(access.system)
        as_text = "\n".join(as_lines(report))
        self.stdout.write(json.dumps(as_json(report), indent=1) if options["json"] else as_text)


def as_json(report: AccuracyReport) -> dict[str, Any]:
    """The report as docs/reference/accuracy.md describes it."""
    found = report.accuracy
    told: dict[str, Any] = {
        "mape_original": found.quality.error,
        "rank_correlation": found.quality.rank_correlation,
        "regret": found.quality.regret,
        "mape_corrected": {
            "mean": found.mape_corrected_mean,
            "sd": found.mape_corrected_sd,
            "per_correction": report.accuracy.drawn,
        },
        "terms": {
            "local_threshold": {str(one): count for one, count in found.terms_local_threshold.items()},
            "global_threshold": {str(one): count for one, count in found.terms_global_threshold.items()},
        },
        **{name: getattr(found, name) for name in _SIZES},
        "published_predictions_max_abs_diff_s": report.predictions_difference,
    }
    return {**told, "reasons": dict(report.reasons)} if report.reasons else told


def as_lines(report: AccuracyReport) -> list[str]:
    """The report in aligned text."""
    model, found = report.model, report.accuracy
    unit = model.unit
    corrected = percent_text(found.mape_corrected_mean)
    if found.mape_corrected_sd is not None:
        corrected += f", sd {found.mape_corrected_sd:.2f} %"
    rows = [
        ("mean error, as profiled", percent_text(found.quality.error)),
        *(("rank correlation", f"{one:.3f}") for one in (found.quality.rank_correlation,) if one is not None),
        ("regret of its choice", percent_text(found.quality.regret)),
        ("mean error, corrected", corrected),
        *((f"  {name}", percent_text(value)) for name, value in report.accuracy.drawn.items()),
        ("compared with", f"{found.quality.checked} of {found.measured} measured configurations"),
        ("profiled configurations", str(found.configurations)),
        ("regions", str(found.regions)),
        (
            "distinct subspaces",
            f"{found.distinct_subspaces}, {found.distinct_subspaces - found.covered_subspaces} uncovered",
        ),
        ("greedy cover", f"{found.cover_size} configurations"),
    ]
    for threshold, count in found.terms_local_threshold.items():
        overall = found.terms_global_threshold[threshold]
        rows.append((f"terms of {threshold} {unit}", f"{count} (some region), {overall} (their sum)"))
    if report.predictions_difference is not None:
        difference = f"at most {report.predictions_difference:.4f} {unit}"
        rows.append(("off published values", difference))
    title = f"{model.system_name} {revision_text(model.revision)}, {model.workload}, {model.environment}"
    width = max(len(name) for name, _ in rows)
    notes = [f"note on {name}: {reason}" for name, reason in report.reasons.items()]
    return [title, *(f"  {name:<{width}}  {value}" for name, value in rows), *notes]
