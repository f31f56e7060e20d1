"""Where the other histories of a system changed: a revision that moved one of them often moves more."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from dashboard.access import Principal, require
from dashboard.models import Series
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.fits import changes
from dashboard.selectors.histories.series import OrderedRevisions, measured_points

# Other histories that are looked at: more of them tell little more, and each costs a search.
_LOOKED_AT = 24


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What a history is of, as ids: others of the same metric in the same environment may tell of it."""

    kind: str
    subject: str
    workload_id: int
    environment_id: int
    metric_id: int


def whereabouts(*, principal: Principal, slug: str, series_ids: Sequence[int]) -> dict[int, Whereabouts]:
    """What some series of a system are of. One query. Raises `NotFound` for the system."""
    rows = Series.objects.filter(system=require(principal, slug), pk__in=series_ids).values_list(
        "pk", "subject_kind", "subject", "workload_id", "environment_id", "metric_id"
    )
    return {
        pk: Whereabouts(kind, subject, workload, environment, metric)
        for pk, kind, subject, workload, environment, metric in rows
    }


def changes_elsewhere(
    *, principal: Principal, slug: str, own: Whereabouts, order: OrderedRevisions
) -> tuple[Bracket, ...]:
    """The brackets, as places of the order's line, of what changed other histories of the system.

    Those of other configurations and workloads, for a benchmark those of other benchmarks. Two queries.
    """
    system = require(principal, slug)
    benchmark = Series.SubjectKind.BENCHMARK
    others = (
        Series.objects.filter(
            system=system,
            subject_kind=benchmark if own.kind == benchmark else Series.SubjectKind.CONFIGURATION,
            environment_id=own.environment_id,
            metric_id=own.metric_id,
        )
        .exclude(Q(subject=own.subject) & Q(workload_id=own.workload_id))
        .order_by("pk")
        .values_list("pk", flat=True)[:_LOOKED_AT]
    )
    points = measured_points(principal=principal, slug=slug, series_ids=tuple(others), order=order)
    line = order.line
    return tuple(
        (change.bracket_before, change.bracket_after)
        for one in points.values()
        if one
        for change in changes(one, None, line).changes
    )
