"""A system's influence model in short, kept in this process until its data change."""

from functools import lru_cache

import numpy as np

from analytics.influence.variance import Explained, explain, explain_over
from dashboard.access import NotFound, Principal, require
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.influences import influences
from dashboard.selectors.influences.truth import measured
from dashboard.selectors.loaded_models import NoInfluenceModel, OpenModel, Stamp, choose, open_model
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview.rows import ModelSummary, Range


def model_summary(*, principal: Principal, slug: str) -> ModelSummary | None:
    """The model that the influences open with, in short; None where nothing tells one. Raises `NotFound`.

    Seven queries at most where the summary is kept already.
    """
    version = require(principal, slug).data_version
    try:
        return _summary(choose(principal=principal, slug=slug, selection=Selection()), version)
    except NoInfluenceModel:
        return None


@lru_cache(maxsize=64)
def _summary(stamp: Stamp, _version: int) -> ModelSummary | None:
    # Whoever asks was checked before the stamp was made; the version moves when a run is marked invalid.
    principal = Principal.operator()
    try:
        model = influences(principal=principal, slug=stamp.slug, selection=Selection())
    except NotFound:
        # An analysis whose runs all failed, or were all marked invalid.
        return None
    report = report_accuracy(principal=principal, system_slug=stamp.slug, model_id=stamp.model_id)
    opened = open_model(principal=principal, slug=stamp.slug, selection=Selection())
    return ModelSummary(
        analysis=model.analysis,
        base=model.base,
        base_time=model.base_time,
        range=_range(stamp),
        terms=model.terms,
        explained=_explained(opened),
        error=report.mape_original,
        corrected_error=report.corrected_mean,
        corrected_sd=report.corrected_sd,
        error_reason=report.reasons.get("mape_original", ""),
        checked=report.predicted,
        left_out=opened.loaded.learned is not None,
        distinct_subspaces=report.distinct_subspaces,
        uncovered_subspaces=report.uncovered_subspaces,
    )


def _range(stamp: Stamp) -> Range | None:
    """The spread of the configurations measured end to end; None where none was."""
    found = measured(stamp)
    if not len(found.values):
        return None
    default = found.by_levels.get(np.zeros(found.configurations.shape[1], dtype=np.int8).tobytes())
    return Range(float(found.values.min()), float(found.values.max()), len(found.values), default)


def _explained(opened: OpenModel) -> Explained | None:
    """Over all combinations of options, or, where a learned model knows valid ones only, over the measured ones."""
    if opened.loaded.learned is None:
        return explain(opened.model.terms)
    rows = opened.loaded.configurations
    return explain_over(opened.loaded.space, rows, opened.model.predict(rows))
