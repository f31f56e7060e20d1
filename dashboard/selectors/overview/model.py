"""A system's influence model in short, kept in this process until its data change."""

from functools import lru_cache

import numpy as np

from analytics.influence.variance import Explained, explain, explain_over
from dashboard.access import NotFound
from dashboard.models import System
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.influences import influences
from dashboard.selectors.influences.truth import measured
from dashboard.selectors.loaded_models import ModelKey, SelectedModel, load_selected, resolve_model
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview.rows import ModelSummary, Range
from dashboard.selectors.performance_models import NoInfluenceModel, get_model


def model_summary(system: System) -> ModelSummary | None:
    """The model that the influences open with, in short; None where nothing tells one.

    Five queries at most where the summary is kept already.
    """
    try:
        return _summary(resolve_model(system, Selection()), system.data_version)
    except NoInfluenceModel:
        return None


@lru_cache(maxsize=64)
def _summary(key: ModelKey, _version: int) -> ModelSummary | None:
    # The version moves when a run is marked invalid.
    system = get_model(key.model_id).system
    try:
        found = influences(system=system, selection=Selection())
    except NotFound:
        # A model whose runs all failed, or were all marked invalid.
        return None
    report = report_accuracy(system, key.model_id)
    return ModelSummary(found, report, _range(key), _explained(load_selected(system, Selection())))


def _range(key: ModelKey) -> Range | None:
    """The spread of the configurations measured end to end; None where none was."""
    found = measured(key)
    if not len(found.values):
        return None
    default = found.by_levels.get(np.zeros(found.configurations.shape[1], dtype=np.int8).tobytes())
    return Range(float(found.values.min()), float(found.values.max()), len(found.values), default)


def _explained(selected: SelectedModel) -> Explained | None:
    """Over all combinations of options, or, where a learned model knows valid ones only, over the measured ones."""
    if selected.loaded.learned is None:
        return explain(selected.model.terms)
    rows = selected.loaded.configurations
    return explain_over(selected.loaded.space, rows, selected.model.predict(rows))
