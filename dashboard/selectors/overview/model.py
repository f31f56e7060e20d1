"""A system's influence model in short, kept in this process until its data change."""

from functools import lru_cache

import numpy as np

from analytics.influence.variance import Explained, explain, explain_over
from dashboard.access import NotFound, Principal, require
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.influences import influences
from dashboard.selectors.influences.truth import measured
from dashboard.selectors.loaded_models import (
    ModelKey,
    NoInfluenceModel,
    SelectedModel,
    load_selected,
    resolve_model,
)
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview.rows import ModelSummary, Range


def model_summary(*, principal: Principal, slug: str) -> ModelSummary | None:
    """The model that the influences open with, in short; None where nothing tells one. Raises `NotFound`.

    Seven queries at most where the summary is kept already.
    """
    version = require(principal, slug).data_version
    try:
        return _summary(resolve_model(principal=principal, slug=slug, selection=Selection()), version)
    except NoInfluenceModel:
        return None


@lru_cache(maxsize=64)
def _summary(key: ModelKey, _version: int) -> ModelSummary | None:
    # Whoever asks was checked before the key was made; the version moves when a run is marked invalid.
    principal = Principal.operator()
    try:
        found = influences(principal=principal, slug=key.slug, selection=Selection())
    except NotFound:
        # An analysis whose runs all failed, or were all marked invalid.
        return None
    report = report_accuracy(principal=principal, system_slug=key.slug, model_id=key.model_id)
    selected = load_selected(principal=principal, slug=key.slug, selection=Selection())
    return ModelSummary(
        model=found.model,
        base=found.base,
        base_time=found.base_time,
        range=_range(key),
        terms=found.terms,
        explained=_explained(selected),
        error=report.mape_original,
        corrected_error=report.corrected_mean,
        corrected_sd=report.corrected_sd,
        error_reason=report.reasons.get("mape_original", ""),
        checked=report.predicted,
        left_out=selected.loaded.learned is not None,
        distinct_subspaces=report.distinct_subspaces,
        uncovered_subspaces=report.uncovered_subspaces,
    )


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
