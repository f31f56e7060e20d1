"""What was measured end to end, to hold predictions against."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from analytics.influence.accuracy import mape
from dashboard.access import Principal, require
from dashboard.models import Run
from dashboard.selectors.end_to_end import EndToEnd, end_to_end
from dashboard.selectors.loaded_models import Stamp, fitted, loaded
from dashboard.selectors.model_loading import LoadedModel
from dashboard.selectors.model_rows import Accuracy
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.performance_models import find_model, others_held, valid_runs


@lru_cache(maxsize=8)
def measured(stamp: Stamp) -> EndToEnd:
    """The whole runs without profiler at the place of an analysis, whatever their configuration."""
    # Whoever asks was checked before the stamp was made.
    analysis = find_model(require(Principal.operator(), stamp.slug), stamp.model_id)
    runs = valid_runs(analysis, Run.Kind.PLAIN)
    return end_to_end(runs, analysis.total_metric_id, options_of(analysis.system))


def totals(stamp: Stamp) -> Mapping[bytes, float]:
    """The median of each configuration measured end to end, by its level indices as bytes."""
    return measured(stamp).by_levels


def truth_of(loaded: LoadedModel) -> EndToEnd:
    """What a model's predictions are held against, for selectors.

    The configurations measured end to end that agree with those of an exhaustive analysis on the options that it is
    not over.
    """
    analysis = find_model(require(Principal.operator(), loaded.row.system), loaded.row.model_id)
    return end_to_end(
        valid_runs(analysis, Run.Kind.PLAIN),
        analysis.total_metric_id,
        options_of(analysis.system),
        lambda assigned: others_held(analysis, assigned) == loaded.held,
    )


@lru_cache(maxsize=8)
def accuracy_of(stamp: Stamp) -> Accuracy | None:
    """How far the model's predictions lie from `totals`; None where no configuration has both, or it is made of them.

    A learned model is made of them, so it predicts each from all others.
    """
    analysis = loaded(stamp)
    if analysis.learned is not None:
        found = analysis.learned
        return None if found.error is None else Accuracy(found.error, found.checked, left_out=True)
    if analysis.is_total:
        return None
    truth = truth_of(analysis)
    predicted = fitted(stamp).predict(truth.configurations)
    known = ~np.isnan(predicted) & (truth.values > 0)
    if not known.any():
        return None
    return Accuracy(mape(predicted[known], truth.values[known]), int(known.sum()))
