"""Analyses: what there is, and which runs count for one."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from dashboard.access import NotFound, Principal, require
from dashboard.models import Analysis, Batch, Metric, Run, System


@dataclass(frozen=True, slots=True)
class MetricRow:
    """What is measured: quantity, unit, clock, and which direction is better."""

    quantity: str
    unit: str
    clock: str
    better: str


@dataclass(frozen=True, slots=True)
class AnalysisRow:
    """An analysis in a list; `kind` is partitioned, exhaustive, learned or hybrid (over `options`).

    `terms_from` tells whose choice the terms of a learned one are: "published" or "own", "" of others.
    """

    analysis_id: int
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


def list_analyses(*, principal: Principal, system_slug: str) -> tuple[AnalysisRow, ...]:
    """The visible analyses of a system, the newest first. Raises `NotFound`."""
    return tuple(analysis_row(analysis) for analysis in _visible(require(principal, system_slug)))


def measured_kind(analysis: Analysis) -> Run.Kind:
    """Which runs an analysis is made of. For selectors and services; two queries at most.

    The profiled ones; of a learned analysis the end-to-end ones; of an exhaustive analysis likewise, where only they
    compare configurations.
    """
    if analysis.kind == Analysis.Kind.PARTITIONED:
        return Run.Kind.PROFILED
    if analysis.kind in Analysis.LEARNED_KINDS:
        return Run.Kind.PLAIN
    profiled, plain = (
        valid_runs(analysis, kind).aggregate(n=Count("configuration", distinct=True))["n"]
        for kind in (Run.Kind.PROFILED, Run.Kind.PLAIN)
    )
    return Run.Kind.PLAIN if profiled < 2 <= plain else Run.Kind.PROFILED


def others_held(analysis: Analysis, assignments: Mapping[str, str]) -> dict[str, str]:
    """What a configuration assigns to options that an exhaustive analysis is not over. For selectors."""
    if analysis.kind != Analysis.Kind.EXHAUSTIVE:
        return {}
    return {name: label for name, label in assignments.items() if name not in analysis.options}


def find_analysis(system: System, analysis_id: int | None) -> Analysis:
    """A visible analysis of a system, by default the newest. For selectors. Raises `NotFound`."""
    found = _visible(system)
    analysis = (found if analysis_id is None else found.filter(pk=analysis_id)).first()
    if analysis is None:
        wanted = "no analysis" if analysis_id is None else f"no analysis {analysis_id}"
        raise NotFound(f"{system.slug!r} has {wanted}: import one or measure the system's regions")
    return analysis


def valid_runs(analysis: Analysis, kind: Run.Kind) -> QuerySet[Run]:
    """The runs that count for an analysis. For selectors."""
    runs = Run.objects.filter(
        revision_id=analysis.revision_id,
        workload_id=analysis.workload_id,
        environment_id=analysis.environment_id,
        kind=kind,
        status=Run.Status.OK,
        invalid_reason="",
        batch__state=Batch.State.VISIBLE,
    )
    # An imported analysis and its runs belong together: a corrected import must not mix with an earlier one.
    return runs.filter(batch_id=analysis.batch_id) if analysis.kind == Analysis.Kind.PARTITIONED else runs


def analysis_row(analysis: Analysis) -> AnalysisRow:
    """An analysis as a row. For selectors."""
    return AnalysisRow(
        analysis_id=analysis.pk,
        system=analysis.system.slug,
        system_name=analysis.system.name,
        revision=analysis.revision.name,
        workload=analysis.workload.name,
        environment=analysis.environment.name,
        kind=analysis.kind,
        options=tuple(analysis.options),
        region_metric=_metric(analysis.region_metric),
        total_metric=_metric(analysis.total_metric),
        data_version=analysis.data_version,
        terms_from=str(analysis.settings.get("terms", "")),
    )


def _metric(metric: Metric) -> MetricRow:
    return MetricRow(metric.quantity, metric.unit, metric.clock, metric.better)


def _visible(system: System) -> QuerySet[Analysis]:
    return (
        Analysis.objects.filter(system=system, batch__state=Batch.State.VISIBLE)
        .select_related("system", "revision", "workload", "environment", "region_metric", "total_metric")
        .order_by("-pk")
    )
