"""How good an influence model is: measured against end-to-end times, and against its authors' predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.accuracy import THRESHOLDS, ModelAccuracy, OverheadCorrection, accuracy
from analytics.influence.linear import LinearModel
from analytics.influence.located import LocatedModel
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.stored import LearnedModel
from analytics.influence.times import FloatArray
from dashboard.models import ModelCorrection, PerformanceModel, PublishedPrediction, System
from dashboard.selectors.feature_models.valid import feature_model_of
from dashboard.selectors.influences.truth import truth_of
from dashboard.selectors.model_loading import LoadedModel, load_model
from dashboard.selectors.model_rows import ModelRow
from dashboard.selectors.performance_models import find_model

DRAWN = "random"


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """The accuracy of one model; errors in percent, None where `reasons` says why there is none.

    `predictions_difference` is the largest difference from the predictions that the model's authors published.
    """

    model: ModelRow
    accuracy: ModelAccuracy
    predictions_difference: float | None
    reasons: Mapping[str, str]

    @property
    def per_correction(self) -> Mapping[str, float]:
        """The errors with the corrections named random*, over which mean and standard deviation are."""
        return _drawn(self.accuracy)


def report_accuracy(system: System, model_id: int | None = None) -> AccuracyReport:
    """The accuracy of a model, by default of the newest. Raises `NotFound`."""
    model = find_model(system, model_id)
    loaded = load_model(model)
    if loaded.learned is not None:
        return _learned(loaded, loaded.learned)
    fitted = fit(loaded.times)
    configurations, truth, reasons = _truth(loaded)
    corrections = _corrections(model)
    features = feature_model_of(system)
    valid = features.valid if features is not None and features.valid.space == loaded.space else None
    found = accuracy(fitted, configurations, truth, corrections, valid=valid)
    difference, why = _difference(model, loaded.space, fitted, corrections)
    if why:
        reasons["published_predictions_max_abs_diff_s"] = why
    _explain(reasons, found, corrections)
    return AccuracyReport(loaded.row, found, difference, reasons)


def _drawn(found: ModelAccuracy) -> dict[str, float]:
    return {name: error for name, error in found.mape_per_correction.items() if name.startswith(DRAWN)}


def _explain(
    reasons: dict[str, str], found: ModelAccuracy, corrections: Sequence[OverheadCorrection]
) -> None:
    """Add why errors are unknown, or over less than all that was measured."""
    if found.predicted < found.measured:
        reasons["mape_original"] = (
            f"over {found.predicted} of {found.measured} configurations: the others need a subspace "
            "that no profiled configuration covers"
        )
    if not _drawn(found):
        given = ", ".join(one.name for one in corrections)
        without = (
            f"no correction is named {DRAWN}*, only {given}" if given else "the bundle has no corrections"
        )
        reasons["mape_corrected"] = reasons["mape_original"] if found.mape_original is None else without


def _truth(loaded: LoadedModel) -> tuple[IntArray, FloatArray, dict[str, str]]:
    """Configurations measured end to end with the median of their times, and why there is less than one expects."""
    if loaded.is_total:
        none = loaded.configurations[:0]
        return none, np.array([]), {"mape_original": "the model is made of the end-to-end times"}
    truth = truth_of(loaded)
    kept = truth.values > 0
    reasons = {}
    if not kept.any():
        reasons["mape_original"] = "no configuration was measured end to end"
    elif not kept.all():
        reasons["mape_original"] = f"without {(~kept).sum()} configurations whose measured time is 0"
    return truth.configurations[kept], truth.values[kept], reasons


def _learned(
    loaded: LoadedModel, found: LearnedModel[LinearModel] | LearnedModel[LocatedModel]
) -> AccuracyReport:
    """The accuracy of a learned model: what it was not told of each configuration, and its size."""
    table = found.model.terms
    counts = {limit: int((np.abs(table.coefficients) >= limit).sum()) for limit in THRESHOLDS}
    reasons = {
        "mape_original": "each configuration predicted by a model learned from all others, over the same terms",
        "mape_corrected": "nothing was profiled",
    }
    if loaded.row.is_hybrid:
        reasons["mape_original"] = "each configuration predicted by a model of four fifths of all, without it"
    if found.error is None:
        reasons["mape_original"] = "no configuration can be predicted from the others"
    return AccuracyReport(
        loaded.row,
        ModelAccuracy(
            mape_original=found.error,
            mape_per_correction={},
            mape_corrected_mean=None,
            mape_corrected_sd=None,
            measured=found.configurations,
            predicted=found.checked,
            terms_local_threshold={},
            terms_global_threshold=counts,
            undetermined_terms=int((~table.determined).sum()),
            configurations=found.configurations,
            regions=0,
            distinct_subspaces=0,
            uncovered_subspaces=0,
            cover_size=0,
        ),
        predictions_difference=None,
        reasons=reasons,
    )


def _corrections(model: PerformanceModel) -> tuple[OverheadCorrection, ...]:
    rows = ModelCorrection.objects.filter(model=model).order_by("pk")
    return tuple(OverheadCorrection(row.name, row.intercept, row.slope) for row in rows)


def _difference(
    model: PerformanceModel,
    space: OptionSpace,
    fitted: InfluenceModel,
    corrections: Sequence[OverheadCorrection],
) -> tuple[float | None, str]:
    """The largest difference from the authors' predictions, or None and why.

    Their predictions were made with the correction that the bundle names; without one, with none.
    """
    rows = list(
        PublishedPrediction.objects.filter(model=model).values_list("configuration__assignments", "value")
    )
    if not rows:
        return None, "the bundle has no published predictions"
    ours = fitted.predict(space.encode(assigned for assigned, _ in rows))
    if name := model.published_correction:
        named = [one for one in corrections if one.name == name]
        if not named:
            return None, f"the correction {name} that the predictions were made with is not in the bundle"
        ours = named[0].unprofiled(ours)
    differences = np.abs(ours - np.array([value for _, value in rows]))
    if np.isnan(differences).all():
        return None, "no predicted configuration lies in subspaces that are all covered"
    return float(np.nanmax(differences)), ""
