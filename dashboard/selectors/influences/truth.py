"""What was measured end to end, to hold predictions against."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from analytics.influence.accuracy import mape
from dashboard.models import Run
from dashboard.selectors.end_to_end import EndToEnd, end_to_end
from dashboard.selectors.loaded_models import ModelKey, cached_fit, cached_model
from dashboard.selectors.model_loading import LoadedModel
from dashboard.selectors.model_rows import PredictionError
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.performance_models import get_model, others_held, valid_runs


@lru_cache(maxsize=8)
def measured(key: ModelKey) -> EndToEnd:
    """The whole runs without profiler at the place of an analysis, whatever their configuration."""
    model = get_model(key.model_id)
    runs = valid_runs(model, Run.Kind.PLAIN)
    return end_to_end(runs, model.total_metric_id, options_of(model.system))


def totals(key: ModelKey) -> Mapping[bytes, float]:
    """The median of each configuration measured end to end, by its level indices as bytes."""
    return measured(key).by_levels


def truth_of(loaded: LoadedModel) -> EndToEnd:
    """What a model's predictions are held against, for selectors.

    The configurations measured end to end that agree with those of an exhaustive analysis on the options that it is
    not over.
    """
    model = get_model(loaded.row.model_id)
    return end_to_end(
        valid_runs(model, Run.Kind.PLAIN),
        model.total_metric_id,
        options_of(model.system),
        lambda assigned: others_held(model, assigned) == loaded.held,
    )


@lru_cache(maxsize=8)
def accuracy_of(key: ModelKey) -> PredictionError | None:
    """How far the model's predictions lie from `totals`; None where no configuration has both, or it is made of them.

    A learned model is made of them, so it predicts each from all others.
    """
    model = cached_model(key)
    if model.learned is not None:
        found = model.learned
        return None if found.error is None else PredictionError(found.error, found.checked, left_out=True)
    if model.is_total:
        return None
    truth = truth_of(model)
    predicted = cached_fit(key).predict(truth.configurations)
    known = ~np.isnan(predicted) & (truth.values > 0)
    if not known.any():
        return None
    return PredictionError(mape(predicted[known], truth.values[known]), int(known.sum()))
