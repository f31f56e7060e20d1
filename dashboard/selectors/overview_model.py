"""A system's influence model in short, kept in this process until its data change."""

from functools import lru_cache
from statistics import median

from dashboard.access import NotFound, Principal, require
from dashboard.models import Measurement, Run
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.analyses import find_analysis, valid_runs
from dashboard.selectors.influences import influences
from dashboard.selectors.influences_model import NoInfluenceModel, Stamp, choose, open_model
from dashboard.selectors.influences_rows import Selection
from dashboard.selectors.overview_rows import ModelSummary, Range
from dashboard.selectors.overview_variance import explain


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
    report = report_accuracy(principal=principal, system_slug=stamp.slug, analysis_id=stamp.analysis_id)
    opened = open_model(principal=principal, slug=stamp.slug, selection=Selection())
    return ModelSummary(
        analysis=model.analysis,
        default=model.base_time,
        range=_range(principal, stamp),
        terms=model.terms,
        explained=explain(opened.model.terms),
        error=report.mape_original,
        corrected_error=report.corrected_mean,
        corrected_sd=report.corrected_sd,
        error_reason=report.reasons.get("mape_original", ""),
        checked=report.predicted,
        distinct_subspaces=report.distinct_subspaces,
        uncovered_subspaces=report.uncovered_subspaces,
    )


def _range(principal: Principal, stamp: Stamp) -> Range | None:
    """The spread of the configurations measured end to end; None where none was."""
    analysis = find_analysis(require(principal, stamp.slug), stamp.analysis_id)
    values: dict[int, list[float]] = {}
    default = None
    rows = Measurement.objects.filter(
        run__in=valid_runs(analysis, Run.Kind.PLAIN), metric_id=analysis.total_metric_id
    ).values_list("run__configuration_id", "run__configuration__assignments", "value")
    for configuration, assignments, value in rows:
        default = default if assignments else configuration
        values.setdefault(configuration, []).append(value)
    if not values:
        return None
    medians = {configuration: median(some) for configuration, some in values.items()}
    low, high = min(medians.values()), max(medians.values())
    return Range(low, high, len(medians), None if default is None else medians[default])
