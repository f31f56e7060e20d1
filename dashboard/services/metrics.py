"""The metrics that our own runner measures, and setting unit and direction of those of imported data.

That is a job: everything that was measured by a metric moves, which takes long in large systems.
"""

from typing import Any

from django.db import connection, models, transaction

from dashboard.access import Access, AccessError, Permission
from dashboard.models import (
    Measurement,
    Metric,
    ModelEvaluation,
    PerformanceModel,
    PublishedCoefficient,
    RegionMeasurement,
    Series,
    System,
)
from dashboard.selectors.metrics import metric_ids
from dashboard.services import audit, data_versions
from dashboard.services.identities import identity_of
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue

KIND = "metric"
LONGEST_UNIT = 40
# Everything that refers to a metric: by which field, and by which way it belongs to a system.
REFERRING: tuple[tuple[type[models.Model], str, str], ...] = (
    (Measurement, "metric", "run__batch__system"),
    (RegionMeasurement, "metric", "run__batch__system"),
    (Series, "metric", "system"),
    (PerformanceModel, "region_metric", "system"),
    (PerformanceModel, "total_metric", "system"),
    (PublishedCoefficient, "metric", "system"),
    (ModelEvaluation, "metric", "system"),
)


class MetricError(ValueError):
    """A metric cannot be changed as asked."""


class MetricNotSet(JobError):
    """The job cannot change the metric any more."""


def seconds(clock: Metric.Clock) -> Metric:
    """The metric of times in seconds by one clock."""
    metric, _ = Metric.objects.get_or_create(
        quantity="time", unit="s", clock=clock, better=Metric.Better.LOWER
    )
    return metric


def set_metric(
    *,
    access: Access,
    quantity: str,
    unit: str | None = None,
    better: str | None = None,
    present_unit: str | None = None,
) -> Metric:
    """Say the unit, or which direction is better, of a system's metric; values stay as they are.

    What is None stays. `present_unit` tells which is meant where several metrics have one name. What was derived
    follows at once. Needs the role editor. Raises `MetricError` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    system = access.system
    with transaction.atomic():
        # Serialises with whoever else moves this system's points.
        System.objects.select_for_update().get(pk=system.pk)
        old, wanted = _changed(system, quantity=quantity, unit=unit, better=better, present_unit=present_unit)
        new, _ = Metric.objects.get_or_create(**wanted)
        if new != old:
            _move(system, old, new)
            data_versions.bump(system=system)
            audit.record(
                principal=access.principal,
                action="set metric",
                system_slug=access.slug,
                details={"quantity": quantity, "from": _words(old), "to": _words(new)},
            )
        return new


def start_setting_metric(
    *, access: Access, quantity: str, unit: str, better: str, present_unit: str
) -> JobId:
    """Queue `set_metric`; raises what it raises, as far as that can be told at once."""
    access.check(Permission.EDIT)
    asked = {"quantity": quantity, "unit": unit, "better": better, "present_unit": present_unit}
    _changed(access.system, **asked)
    return enqueue(
        principal=access.principal,
        kind=KIND,
        title=f"Set {quantity} of {access.system.name} to {unit.strip() or 'unknown unit'}, {better} is better",
        parameters=asked,
        system=access.system,
    )


def set_metric_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that sets a metric; run again after that it does nothing."""
    if context.checkpoint:
        return {}
    # Jobs that an earlier version queued name their system as well.
    asked = {name: value for name, value in context.parameters.items() if name != "slug"}
    assert context.access is not None  # noqa: S101 -- it was queued with a system
    context.progress(0.1, "moving what was measured")
    try:
        with context.fenced():
            set_metric(access=context.access, **asked)
            context.save_checkpoint({"set": True})
    except (MetricError, AccessError) as error:
        raise MetricNotSet(str(error)) from None
    return {}


def _changed(
    system: System, *, quantity: str, unit: str | None, better: str | None, present_unit: str | None
) -> tuple[Metric, dict[str, Any]]:
    """The metric that `set_metric` would change, and what it would be then. Raises `MetricError`."""
    asked = None if unit is None else unit.strip()
    if asked is not None and len(asked) > LONGEST_UNIT:
        raise MetricError(f"the unit has {len(asked)} characters: at most {LONGEST_UNIT} are kept")
    if better is not None and better not in Metric.Better.values:
        raise MetricError(f"{better!r} is no direction: lower or higher is better")
    old = _wanted(system, quantity, present_unit)
    if old.clock != Metric.Clock.NONE:
        raise MetricError(f"{quantity} was measured by a clock: its unit is {old.unit}")
    wanted: dict[str, Any] = {
        "quantity": quantity,
        "unit": old.unit if asked is None else asked,
        "clock": old.clock,
        "better": better or old.better,
    }
    held = Metric.objects.filter(pk__in=metric_ids(system) - {old.pk})
    if held.filter(**wanted).exists():
        named = wanted["unit"] or "an unknown unit"
        raise MetricError(f"{system.slug!r} has another metric that is {quantity} in {named} already")
    return old, wanted


def _wanted(system: System, quantity: str, unit: str | None) -> Metric:
    """The metric of that name. Raises `MetricError` for none and for several."""
    known = list(Metric.objects.filter(pk__in=metric_ids(system)).order_by("quantity", "unit"))
    found = [one for one in known if one.quantity == quantity and unit in {None, one.unit}]
    if not found:
        names = ", ".join(sorted({one.quantity for one in known})) or "none"
        raise MetricError(f"{system.slug!r} has no such metric {quantity!r}: known are {names}")
    if len(found) > 1:
        raise MetricError(
            f"several metrics are called {quantity!r}: say which by its present unit, one of "
            f"{', '.join(repr(one.unit) for one in found)}"
        )
    return found[0]


def _move(system: System, old: Metric, new: Metric) -> None:
    for model, field, way in REFERRING:
        if model is not Series:
            rows = models.QuerySet[Any](model).filter(**{field: old, way: system})
            rows.update(**{field: new})
    # The metric is a part of what tells one series from another.
    changed = []
    for series in Series.objects.filter(system=system, metric=old):
        series.metric = new
        changed.append((new.pk, identity_of(series), series.pk))
    table = connection.ops.quote_name(Series._meta.db_table)  # noqa: SLF001 -- Django documents it
    with connection.cursor() as cursor:
        # `bulk_update` writes one long CASE for thousands of series: that takes seconds.
        cursor.executemany(f"UPDATE {table} SET metric_id = %s, identity = %s WHERE id = %s", changed)  # noqa: S608 -- the name is the model's


def _words(metric: Metric) -> str:
    return f"{metric.unit or 'unknown unit'}, {metric.better} is better"
