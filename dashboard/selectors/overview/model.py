"""A system's influence model in short, kept in this process until its data change."""

from functools import lru_cache

from analytics.influence.variance import explain, explain_over
from dashboard.access import NotFound
from dashboard.models import System
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.influences import influences
from dashboard.selectors.influences.truth import measured
from dashboard.selectors.loaded_models import ModelKey, load_selected, resolve_model
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview.rows import ModelSummary
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
    selected = load_selected(system, Selection())
    if selected.loaded.learned is None:
        explained = explain(selected.model.terms)
    else:
        # A learned model knows valid configurations only: over the measured ones, not over all combinations.
        rows = selected.loaded.configurations
        explained = explain_over(selected.loaded.space, rows, selected.model.predict(rows))
    return ModelSummary(found, report, measured(key), explained)
