"""How good an influence model is: measured against end-to-end times, and against its authors' predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.accuracy import Accuracy, Correction, accuracy
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.times import FloatArray
from dashboard.access import Principal, require
from dashboard.models import Analysis, Measurement, PublishedPrediction, Run
from dashboard.models import Correction as CorrectionRow
from dashboard.selectors.analyses import (
    AnalysisRow,
    LoadedAnalysis,
    find_analysis,
    load_analysis,
    others_held,
    valid_runs,
)
from dashboard.selectors.option_spaces import SystemOptions, options_of

DRAWN = "random"


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """The accuracy of one analysis; errors in percent, None where `reasons` says why there is none.

    `per_correction` holds the corrections named random*, and mean and standard deviation are over them.
    """

    analysis: AnalysisRow
    mape_original: float | None
    corrected_mean: float | None
    corrected_sd: float | None
    per_correction: Mapping[str, float]
    terms_local_threshold: Mapping[float, int]
    terms_global_threshold: Mapping[float, int]
    configurations: int
    regions: int
    distinct_subspaces: int
    uncovered_subspaces: int
    cover_size: int
    measured: int
    predicted: int
    published_predictions_max_abs_diff: float | None
    reasons: Mapping[str, str]


def report_accuracy(
    *, principal: Principal, system_slug: str, analysis_id: int | None = None
) -> AccuracyReport:
    """The accuracy of an analysis, by default of the newest. Raises `NotFound`."""
    loaded = load_analysis(principal=principal, system_slug=system_slug, analysis_id=analysis_id)
    analysis = find_analysis(require(principal, system_slug), loaded.row.analysis_id)
    options = options_of(analysis.system)
    model = fit(loaded.times)
    configurations, truth, reasons = _truth(analysis, options, loaded)
    corrections = _corrections(analysis)
    found = accuracy(model, configurations, truth, corrections)
    difference, why = _difference(analysis, options, model, corrections)
    drawn = {name: error for name, error in found.mape_per_correction.items() if name.startswith(DRAWN)}
    if why:
        reasons["published_predictions_max_abs_diff_s"] = why
    _explain(reasons, found, drawn, corrections)
    return AccuracyReport(
        analysis=loaded.row,
        mape_original=found.mape_original,
        corrected_mean=found.mape_corrected_mean,
        corrected_sd=found.mape_corrected_sd,
        per_correction=drawn,
        terms_local_threshold=found.terms_local_threshold,
        terms_global_threshold=found.terms_global_threshold,
        configurations=found.configurations,
        regions=found.regions,
        distinct_subspaces=found.distinct_subspaces,
        uncovered_subspaces=found.uncovered_subspaces,
        cover_size=found.cover_size,
        measured=found.measured,
        predicted=found.predicted,
        published_predictions_max_abs_diff=difference,
        reasons=reasons,
    )


def _explain(
    reasons: dict[str, str], found: Accuracy, drawn: Mapping[str, float], corrections: Sequence[Correction]
) -> None:
    """Add why errors are unknown, or over less than all that was measured."""
    if found.predicted < found.measured:
        reasons["mape_original"] = (
            f"over {found.predicted} of {found.measured} configurations: the others need a subspace "
            "that no profiled configuration covers"
        )
    if not drawn:
        given = ", ".join(one.name for one in corrections)
        without = (
            f"no correction is named {DRAWN}*, only {given}" if given else "the bundle has no corrections"
        )
        reasons["mape_corrected"] = reasons["mape_original"] if found.mape_original is None else without


def _truth(
    analysis: Analysis, options: SystemOptions, loaded: LoadedAnalysis
) -> tuple[IntArray, FloatArray, dict[str, str]]:
    """Configurations measured end to end with the median of their times, and why there is less than one expects.

    Only those that agree with the profiled ones on the options that an exhaustive analysis is not over.
    """
    if loaded.is_total:
        return (
            options.encode([]),
            np.array([]),
            {"mape_original": "the model is made of the end-to-end times"},
        )
    rows = Measurement.objects.filter(
        run__in=valid_runs(analysis, Run.Kind.PLAIN), metric_id=analysis.total_metric_id
    ).values_list("run__configuration_id", "run__configuration__assignments", "value")
    assignments: dict[int, dict[str, str]] = {}
    values: dict[int, list[float]] = {}
    for configuration, assigned, value in rows:
        if others_held(analysis, assigned) == loaded.held:
            assignments[configuration] = assigned
            values.setdefault(configuration, []).append(value)
    centres = {configuration: median(some) for configuration, some in values.items()}
    # By content, not by id: a system and its imported copy give the same mean to the last digit.
    kept = sorted(
        (configuration for configuration, value in centres.items() if value > 0),
        key=lambda configuration: sorted(assignments[configuration].items()),
    )
    reasons = {}
    if not kept:
        reasons["mape_original"] = "no configuration was measured end to end"
    elif len(kept) < len(centres):
        reasons["mape_original"] = (
            f"without {len(centres) - len(kept)} configurations whose measured time is 0"
        )
    levels = options.encode(assignments[configuration] for configuration in kept)
    return levels, np.array([centres[configuration] for configuration in kept]), reasons


def _corrections(analysis: Analysis) -> tuple[Correction, ...]:
    rows = CorrectionRow.objects.filter(analysis=analysis).order_by("pk")
    return tuple(Correction(row.name, row.intercept, row.slope) for row in rows)


def _difference(
    analysis: Analysis, options: SystemOptions, model: InfluenceModel, corrections: Sequence[Correction]
) -> tuple[float | None, str]:
    """The largest difference from the authors' predictions, or None and why.

    Their predictions were made with the correction that the bundle names; without one, with none.
    """
    rows = list(
        PublishedPrediction.objects.filter(analysis=analysis).values_list(
            "configuration__assignments", "value"
        )
    )
    if not rows:
        return None, "the bundle has no published predictions"
    ours = model.predict(options.encode(assigned for assigned, _ in rows))
    if name := analysis.published_correction:
        named = [one for one in corrections if one.name == name]
        if not named:
            return None, f"the correction {name} that the predictions were made with is not in the bundle"
        ours = named[0].unprofiled(ours)
    differences = np.abs(ours - np.array([value for _, value in rows]))
    if np.isnan(differences).all():
        return None, "no predicted configuration lies in subspaces that are all covered"
    return float(np.nanmax(differences)), ""
