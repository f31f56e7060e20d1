"""How good an influence model is: measured against end-to-end times, and against its authors' predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from analytics.configurations.options import OptionSpace
from analytics.influence.accuracy import (
    DRAWN,
    THRESHOLDS,
    ModelAccuracy,
    OverheadCorrection,
    PredictionQuality,
    accuracy,
    mean_as_prediction,
    prediction_quality,
)
from analytics.influence.models import InfluenceModel
from analytics.influence.stored import LearnedModel
from dashboard.models import ModelCorrection, PerformanceModel, PublishedPrediction, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import EndToEnd
from dashboard.selectors.feature_models.valid import feature_model_of
from dashboard.selectors.learned_models import measured_of
from dashboard.selectors.loaded_models import cached_fit, cached_model
from dashboard.selectors.model_loading import LoadedModel
from dashboard.selectors.model_rows import ModelIdentity, ModelKey
from dashboard.selectors.performance_models import PUBLISHED, get_model, newest_model, others_held


@lru_cache(maxsize=8)
def measured(key: ModelKey) -> EndToEnd:
    """The whole runs without profiler at the place of an analysis, whatever their configuration."""
    model = get_model(key.model_id)
    return measured_of(model, options_of(model.system))


def truth_of(loaded: LoadedModel) -> EndToEnd:
    """What a model's predictions are held against, for selectors.

    The configurations measured end to end that agree with those of an exhaustive analysis on the options that it is
    not over.
    """
    model = get_model(loaded.row.model_id)
    return measured_of(
        model, options_of(model.system), lambda assigned: others_held(model, assigned) == loaded.held
    )


@lru_cache(maxsize=8)
def quality_of(key: ModelKey) -> PredictionQuality:
    """The quality of the model's predictions of what was `measured`.

    Of nothing where the model is made of them. A learned model is, too: it predicts each by a model made without it.
    """
    model = cached_model(key)
    if model.learned is not None:
        return model.learned.quality
    if model.is_total:
        return PredictionQuality()
    truth = truth_of(model)
    kept = truth.values > 0
    predicted = cached_fit(key).predict(truth.configurations[kept])
    return prediction_quality(predicted, truth.values[kept], lower_is_better=model.row.lower_is_better)


@lru_cache(maxsize=8)
def error_of_mean(key: ModelKey) -> float | None:
    """What the error would be if the mean of the other configurations were expected of each; None where too few tell it."""
    model = cached_model(key)
    if model.is_total:
        return None
    return mean_as_prediction((measured(key) if model.learned is not None else truth_of(model)).values)


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """The accuracy of one model; errors in percent, None where `reasons` says why there is none.

    `predictions_difference` is the largest difference from the predictions that the model's authors published.
    """

    model: ModelIdentity
    accuracy: ModelAccuracy
    predictions_difference: float | None
    reasons: Mapping[str, str]


def report_accuracy(system: System) -> AccuracyReport:
    """The accuracy of the newest model. Raises `NotFound`."""
    model = newest_model(system)
    return report_of(ModelKey(model.pk, model.batch.created_at, model.data_version, model.region_metric_id))


def report_of(key: ModelKey) -> AccuracyReport:
    """The accuracy of a model, as it is kept."""
    model, loaded = get_model(key.model_id), cached_model(key)
    if loaded.learned is not None:
        return _learned(loaded, loaded.learned)
    # What is not learned is composed of regions.
    fitted = cast("InfluenceModel", cached_fit(key))
    reasons: dict[str, str] = {}
    if loaded.is_total:
        configurations, truth = loaded.configurations[:0], np.array([])
        reasons["mape_original"] = "the model is made of the end-to-end times"
    else:
        measured_truth = truth_of(loaded)
        kept = measured_truth.values > 0
        configurations, truth = measured_truth.configurations[kept], measured_truth.values[kept]
        if not kept.any():
            reasons["mape_original"] = "no configuration was measured end to end"
        elif not kept.all():
            reasons["mape_original"] = f"without {(~kept).sum()} configurations whose measured time is 0"
    corrections = corrections_of(model)
    features = feature_model_of(model.system)
    valid = features.valid if features is not None and features.valid.space == loaded.space else None
    lower_is_better = loaded.row.lower_is_better
    found = accuracy(fitted, configurations, truth, corrections, valid=valid, lower_is_better=lower_is_better)
    difference, why = _difference(model, loaded.space, fitted, corrections)
    if why:
        reasons["published_predictions_max_abs_diff_s"] = why
    if found.quality.checked < found.measured:
        reasons["mape_original"] = (
            f"over {found.quality.checked} of {found.measured} configurations: the others need a subspace "
            "that no profiled configuration covers"
        )
    if not found.drawn:
        given = ", ".join(one.name for one in corrections)
        without = (
            f"no correction is named {DRAWN}*, only {given}" if given else "the bundle has no corrections"
        )
        reasons["mape_corrected"] = reasons["mape_original"] if found.quality.error is None else without
    return AccuracyReport(loaded.row, found, difference, reasons)


def _learned(loaded: LoadedModel, found: LearnedModel) -> AccuracyReport:
    """The accuracy of a learned model: what it was not told of each configuration, and its size."""
    table = found.model.terms
    counts = {limit: int((np.abs(table.coefficients) >= limit).sum()) for limit in THRESHOLDS}
    reasons = {
        "mape_original": (
            "each configuration predicted by a model learned from all others, over the same terms"
            if loaded.row.terms_from == PUBLISHED
            else "each configuration predicted by a model whose terms were chosen and learned without it"
        ),
        "mape_corrected": "nothing was profiled",
    }
    if loaded.row.is_hybrid:
        reasons["mape_original"] = "each configuration predicted by a model made without its part"
    if found.quality.error is None:
        reasons["mape_original"] = "no configuration can be predicted from the others"
    return AccuracyReport(
        loaded.row,
        ModelAccuracy(
            quality=found.quality,
            measured=found.configurations,
            terms_global_threshold=counts,
            configurations=found.configurations,
        ),
        predictions_difference=None,
        reasons=reasons,
    )


def corrections_of(model: PerformanceModel) -> tuple[OverheadCorrection, ...]:
    """The corrections of the profiler's overhead that came with an analysis. One query. For selectors."""
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
