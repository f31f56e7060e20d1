"""The metrics that our own runner measures, and setting unit and direction of those of imported data.

That is a job: everything that was measured by a metric moves, which takes long in large systems.
"""

from typing import Any, ClassVar

from django.db import connection, models, transaction

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.models import Metric, Series, System
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.systems import metric_ids
from dashboard.services import audit, data_versions
from dashboard.services.identities import identity_of
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.plain_lines import check_line
from dashboard.services.system_tables import references_to, ways_to

LONGEST_UNIT = 40
# What is counted, and its unit: weighted counts of regions, of a callable or by gcov, and instructions of a command. Those that the
# processor counted are never mixed with those of callgrind: the two count repeated and vector instructions differently.
WORK, INSTRUCTIONS, HARDWARE_INSTRUCTIONS = "work", "instructions", "hardware instructions"
COUNTED_UNITS = {WORK: "counts", INSTRUCTIONS: "instructions", HARDWARE_INSTRUCTIONS: "instructions"}
# By the tool that counted.
QUANTITIES = {"": WORK, "gcov": WORK, "callgrind": INSTRUCTIONS, "perf": HARDWARE_INSTRUCTIONS}


class MetricRequest(JobRequest):
    """The unit, and which direction is better, of the metric of that name; what is None stays.

    `present_unit` tells which is meant where several metrics have one name.
    """

    kind: ClassVar = "metric"

    quantity: str
    unit: str | None = None
    better: str | None = None
    present_unit: str | None = None


def seconds(clock: Metric.Clock) -> Metric:
    """The metric of times in seconds by one clock."""
    metric, _ = Metric.objects.get_or_create(
        quantity="time", unit="s", clock=clock, better=Metric.Better.LOWER
    )
    return metric


def counted(quantity: str) -> Metric:
    """The metric of what is counted without noise: work, or instructions."""
    metric, _ = Metric.objects.get_or_create(
        quantity=quantity, unit=COUNTED_UNITS[quantity], clock=Metric.Clock.COUNT, better=Metric.Better.LOWER
    )
    return metric


def set_metric(*, access: Access, request: MetricRequest) -> Metric:
    """Say the unit, or which direction is better, of a system's metric; values stay as they are.

    What was derived follows at once. Needs the role editor. Raises `Refused` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    system = access.system
    with transaction.atomic():
        # Serialises with whoever else moves this system's points.
        System.objects.select_for_update().get(pk=system.pk)
        old, wanted = _changed(system, request)
        new, _ = Metric.objects.get_or_create(**wanted)
        if new != old:
            ways = ways_to(System)
            for field in references_to(Metric):
                if field.model is not Series:
                    own = {field.name: old, ways[field.model]: system}
                    models.QuerySet[Any](field.model).filter(**own).update(**{field.name: new})
            # The metric is a part of what tells one series from another.
            moved = list(Series.objects.filter(system=system, metric=old))
            for series in moved:
                series.metric = new
            changed = [(new.pk, identity_of(series), series.pk) for series in moved]
            table = connection.ops.quote_name(Series._meta.db_table)  # noqa: SLF001 -- Django documents it
            with connection.cursor() as cursor:
                # `bulk_update` writes one long CASE for thousands of series: that takes seconds.
                cursor.executemany(f"UPDATE {table} SET metric_id = %s, identity = %s WHERE id = %s", changed)  # noqa: S608 -- the name is the model's
            data_versions.bump(system=system)
            words = {"from": _words(old), "to": _words(new)}
            audit.record(access.principal, "set metric", access.slug, quantity=request.quantity, **words)
        return new


def start_setting_metric(*, access: Access, request: MetricRequest) -> int:
    """Queue `set_metric`; raises what it raises, as far as that can be told at once."""
    access.check(Permission.EDIT)
    _, wanted = _changed(access.system, request)
    unit = wanted["unit"] or "unknown unit"
    title = f"Set {request.quantity} of {access.system.name} to {unit}, {wanted['better']} is better"
    return enqueue(access, request, title=title)


def set_metric_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that sets a metric; run again after that it does nothing."""
    if context.checkpoint:
        return {}
    context.progress(0.1, "moving what was measured")
    try:
        with context.fenced():
            set_metric(access=context.access, request=MetricRequest.of(context.job))
            context.save_checkpoint({"set": True})
    except (Refused, AccessError) as error:
        raise JobError(str(error)) from None
    return {}


def _changed(system: System, request: MetricRequest) -> tuple[Metric, dict[str, Any]]:
    """The metric that `set_metric` would change, and what it would be then. Raises `Refused`."""
    quantity, better = request.quantity, request.better
    asked = None if request.unit is None else request.unit.strip()
    if asked is not None and len(asked) > LONGEST_UNIT:
        raise Refused(f"the unit has {len(asked)} characters: at most {LONGEST_UNIT} are kept")
    check_line(asked or "", "the unit")
    if better is not None and better not in Metric.Better.values:
        raise Refused(f"{better!r} is no direction: lower or higher is better")
    known = list(Metric.objects.filter(pk__in=metric_ids(system)).order_by("quantity", "unit"))
    named = [one for one in known if one.quantity == quantity and request.present_unit in {None, one.unit}]
    if not named:
        names = ", ".join(sorted({one.quantity for one in known})) or "none"
        raise Refused(f"{system.slug!r} has no such metric {quantity!r}: known are {names}")
    if len(named) > 1:
        raise Refused(
            f"several metrics are called {quantity!r}: say which by its present unit, one of "
            f"{', '.join(repr(one.unit) for one in named)}"
        )
    old = named[0]
    if old.clock != Metric.Clock.NONE:
        how = "was counted" if old.clock == Metric.Clock.COUNT else "was measured by a clock"
        raise Refused(f"{quantity} {how}: its unit is {old.unit}")
    wanted: dict[str, Any] = {
        "quantity": quantity,
        "unit": old.unit if asked is None else asked,
        "clock": old.clock,
        "better": better or old.better,
    }
    held = Metric.objects.filter(pk__in=metric_ids(system) - {old.pk})
    if held.filter(**wanted).exists():
        unit = wanted["unit"] or "an unknown unit"
        raise Refused(f"{system.slug!r} has another metric that is {quantity} in {unit} already")
    return old, wanted


def _words(metric: Metric) -> str:
    return f"{metric.unit or 'unknown unit'}, {metric.better} is better"
