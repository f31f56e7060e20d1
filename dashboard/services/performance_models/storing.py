"""Making the row of a performance model, moving its version, and keeping the newest fit."""

from dashboard.models import ModelFit, PerformanceModel, System
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.performance_models import settings_digest


def model_of(
    system: System,
    context: MeasurementContext,
    kind: PerformanceModel.Kind,
    metric_id: int,
    batch_id: int | None = None,
) -> PerformanceModel:
    """The model of a kind over a metric in a context (and of a batch, if given), or a new row, which is not saved yet."""
    wanted = {"kind": kind, "total_metric_id": metric_id, **context.as_filter()}
    if batch_id is not None:
        wanted["batch_id"] = batch_id
    return PerformanceModel.objects.filter(system=system, **wanted).first() or PerformanceModel(
        system=system,
        region_metric_id=metric_id,
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
        **wanted,
    )


def save_next_version(model: PerformanceModel) -> None:
    """Save a model of other data than before: pages and stored fits go by its version."""
    model.data_version += 1
    model.save()


def store_fit(
    model: PerformanceModel, payload: bytes, method_version: str, *, is_current: bool = True
) -> None:
    """Keep a fit in place of older ones; `is_current` where no run came in since its data were read."""
    ModelFit.objects.filter(model=model).delete()
    ModelFit.objects.create(
        model=model,
        data_version=model.data_version if is_current else model.data_version - 1,
        settings_digest=settings_digest(model.settings),
        method_version=method_version,
        payload=payload,
    )
