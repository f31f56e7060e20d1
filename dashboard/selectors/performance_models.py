"""Analyses: what there is, and which runs count for one."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Metric, PerformanceModel, Run, System


@dataclass(frozen=True, slots=True)
class MetricRow:
    """What is measured: quantity, unit, clock, and which direction is better."""

    quantity: str
    unit: str
    clock: str
    better: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """An analysis in a list; `kind` is partitioned, exhaustive, learned or hybrid (over `options`).

    `terms_from` tells whose choice the terms of a learned one are: "published" or "own", "" of others.
    """

    model_id: int
    system: str
    system_name: str
    revision: str
    workload: str
    environment: str
    kind: str
    options: tuple[str, ...]
    region_metric: MetricRow
    total_metric: MetricRow
    data_version: int
    terms_from: str = ""

    @property
    def metric(self) -> str:
        """What tells this analysis from those of other metrics, as an address says it."""
        return self.region_metric.quantity


def list_models(*, principal: Principal, system_slug: str) -> tuple[ModelRow, ...]:
    """The visible analyses of a system, the newest first. Raises `NotFound`."""
    return tuple(model_row(model) for model in _visible(require(principal, system_slug)))


def measured_kind(model: PerformanceModel) -> Run.Kind:
    """Which runs an analysis is made of. For selectors and services; two queries at most.

    The profiled ones; of a learned analysis the end-to-end ones; of an exhaustive analysis likewise, where only they
    compare configurations.
    """
    if model.kind == PerformanceModel.Kind.PARTITIONED:
        return Run.Kind.PROFILED
    if model.kind in PerformanceModel.LEARNED_KINDS:
        return Run.Kind.PLAIN
    profiled, plain = (
        valid_runs(model, kind).aggregate(n=Count("configuration", distinct=True))["n"]
        for kind in (Run.Kind.PROFILED, Run.Kind.PLAIN)
    )
    return Run.Kind.PLAIN if profiled < 2 <= plain else Run.Kind.PROFILED


def others_held(model: PerformanceModel, assignments: Mapping[str, str]) -> dict[str, str]:
    """What a configuration assigns to options that an exhaustive analysis is not over. For selectors."""
    if model.kind != PerformanceModel.Kind.FULL_FACTORIAL:
        return {}
    return {name: label for name, label in assignments.items() if name not in model.options}


def find_model(system: System, model_id: int | None) -> PerformanceModel:
    """A visible analysis of a system, by default the newest. For selectors. Raises `NotFound`."""
    found = _visible(system)
    model = (found if model_id is None else found.filter(pk=model_id)).first()
    if model is None:
        wanted = "no analysis" if model_id is None else f"no analysis {model_id}"
        raise NotFound(f"{system.slug!r} has {wanted}: import one or measure the system's regions")
    return model


def valid_runs(model: PerformanceModel, kind: Run.Kind) -> QuerySet[Run]:
    """The runs that count for an analysis. For selectors."""
    runs = Run.objects.filter(
        revision_id=model.revision_id,
        workload_id=model.workload_id,
        environment_id=model.environment_id,
        kind=kind,
        status=Run.Status.OK,
        invalid_reason="",
        batch__state=Batch.State.VISIBLE,
    )
    # An imported analysis and its runs belong together: a corrected import must not mix with an earlier one.
    return runs.filter(batch_id=model.batch_id) if model.kind == PerformanceModel.Kind.PARTITIONED else runs


def model_row(model: PerformanceModel) -> ModelRow:
    """An analysis as a row. For selectors."""
    return ModelRow(
        model_id=model.pk,
        system=model.system.slug,
        system_name=model.system.name,
        revision=model.revision.name,
        workload=model.workload.name,
        environment=model.environment.name,
        kind=model.kind,
        options=tuple(model.options),
        region_metric=_metric(model.region_metric),
        total_metric=_metric(model.total_metric),
        data_version=model.data_version,
        terms_from=str(model.settings.get("terms", "")),
    )


def _metric(metric: Metric) -> MetricRow:
    return MetricRow(metric.quantity, metric.unit, metric.clock, metric.better)


def _visible(system: System) -> QuerySet[PerformanceModel]:
    return (
        PerformanceModel.objects.filter(system=system, batch__state=Batch.State.VISIBLE)
        .select_related("system", "revision", "workload", "environment", "region_metric", "total_metric")
        .order_by("-pk")
    )
