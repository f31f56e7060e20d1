"""Where approaches can be judged: the contexts in which configurations were measured end to end."""

from django.db.models import Count, Max

from analytics.units import SECONDS
from dashboard.access import NotFound
from dashboard.models import Metric, System
from dashboard.selectors.end_to_end import MeasuredContext, MeasurementContext, end_to_end_measurements

_CONTEXT = ("run__revision", "run__workload", "run__environment")
# The fields of a run's context and its metric, then those of `MeasuredContext` in order; configurations and batch follow.
_FIELDS = (
    *_CONTEXT,
    "metric",
    *(f"{way}__name" for way in _CONTEXT),
    "metric__quantity",
    "metric__unit",
    "metric__clock",
)


def evaluation_contexts(system: System) -> tuple[MeasuredContext, ...]:
    """Where more than one configuration was measured, the one with most of them first. One query.

    Among equals a time comes first, then CPU time, then the newest revision.
    """
    rows = (
        end_to_end_measurements(system)
        .values_list(*_FIELDS)
        .annotate(n=Count("run__configuration", distinct=True), newest=Max("run__batch_id"))
        .filter(n__gt=1)
    )

    def rank(one: MeasuredContext) -> tuple[int, bool, bool, int, int]:
        return (
            -one.configurations,
            one.unit not in SECONDS,
            one.clock != Metric.Clock.CPU,
            -one.context.revision_id,
            one.metric_id,
        )

    found = (MeasuredContext(MeasurementContext(*row[:3]), *row[3:]) for row in rows)
    return tuple(sorted(found, key=rank))


def find_context(
    system: System, *, metric: str = "", revision: str = "", ids: tuple[int, ...] | None = None
) -> MeasuredContext:
    """The first of `evaluation_contexts` with this metric (`time`, `time:cpu`), revision and ids, blank for any.

    Raises `NotFound`.
    """
    known = evaluation_contexts(system)
    fits = [
        one
        for one in known
        if metric in ("", one.quantity, one.metric)
        and revision in ("", one.revision)
        and ids in (None, one.ids)
    ]
    if fits:
        return fits[0]
    if not known:
        raise NotFound(f"{system.slug!r} has no end-to-end measurements of more than one configuration")
    metrics = ", ".join(dict.fromkeys(one.metric for one in known))
    revisions = ", ".join(dict.fromkeys(one.revision for one in known))
    raise NotFound(
        f"{system.slug!r} has no metric {metric or 'at all'!r} at revision {revision or 'any'!r}: "
        f"metrics are {metrics}; revisions {revisions}"
    )
