"""Stored comparisons of approaches."""

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTransform

from dashboard.access import NotFound, Permission, Principal, access_to, permission_of, require
from dashboard.models import ModelEvaluation, System
from dashboard.selectors.approaches.rows import (
    ComparisonName,
    ComparisonView,
    comparison_from_json,
    place_title,
    settings_from_json,
)
from dashboard.selectors.measuring.jobs import ActiveJob, active_jobs_of

# The kind of job that compares.
JOB_KIND = "compare"


def list_comparisons(*, principal: Principal, slug: str) -> tuple[ComparisonName, ...]:
    """The comparisons of a system by name, the newest first; their rows are not read. Raises `NotFound`."""
    system = require(principal, slug)
    listed = _rows(system).defer("payload").annotate(test=KeyTransform("test", "payload"))
    return tuple(
        ComparisonName(
            comparison_id=row.pk,
            place=place_title(row.revision.name, row.workload.name, row.metric.clock, row.metric.quantity),
            settings=settings_from_json(row.settings),
            test=row.test,
        )
        for row in listed
    )


def chosen_comparison(*, principal: Principal, slug: str, wanted: str) -> ComparisonView | None:
    """The comparison with the id `wanted`, or the newest one; None without any. Raises `NotFound`."""
    system = require(principal, slug)
    own = _rows(system).filter(pk=int(wanted)) if wanted.isdecimal() else _rows(system).none()
    row = own.first() or _rows(system).first()
    return None if row is None else _view(row, system)


def find_comparison(*, principal: Principal, slug: str, comparison_id: int) -> ComparisonView:
    """One comparison of a system. Raises `NotFound`."""
    system = require(principal, slug)
    row = _rows(system).filter(pk=comparison_id).first()
    if row is None:
        raise NotFound(f"{slug!r} has no comparison {comparison_id}: it was made anew, or deleted")
    return _view(row, system)


def newest_comparison(*, principal: Principal, slug: str) -> str:
    """What tells the newest comparison of a system from any later one; "" without any. Raises `NotFound`."""
    system = require(principal, slug)
    row = ModelEvaluation.objects.filter(system=system).values_list("pk", "created_at").first()
    return "" if row is None else f"{row[0]} {row[1].isoformat()}"


def active_comparisons(*, principal: Principal, slug: str) -> tuple[ActiveJob, ...]:
    """The jobs that compare approaches on a system now, or wait to. Raises `NotFound`."""
    return tuple(job for job in active_jobs_of(access=access_to(principal, slug)) if job.row.kind == JOB_KIND)


def may_compare(*, principal: Principal, slug: str) -> bool:
    """Whether the principal may start a comparison. Raises `NotFound`."""
    granted = permission_of(principal, require(principal, slug))
    return granted is not None and granted.value >= Permission.EDIT.value


def _rows(system: System) -> QuerySet[ModelEvaluation]:
    return ModelEvaluation.objects.filter(system=system).select_related(
        "revision", "workload", "environment", "metric"
    )


def _view(row: ModelEvaluation, system: System) -> ComparisonView:
    return ComparisonView(
        comparison_id=row.pk,
        system=system.name,
        revision=row.revision.name,
        workload=row.workload.name,
        environment=row.environment.name,
        quantity=row.metric.quantity,
        unit=row.metric.unit,
        clock=row.metric.clock,
        better=row.metric.better,
        settings=settings_from_json(row.settings),
        comparison=comparison_from_json(row.payload),
        left_out=row.payload["left_out"],
        is_current=row.data_version == system.data_version,
        created_at=row.created_at,
    )
