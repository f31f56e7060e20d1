"""What was counted where findings lie: by how much the counts of the same configuration moved there, and in which regions."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import QuerySet

from analytics.work import CountMove
from dashboard.models import Metric, Point, Series, System
from dashboard.selectors.histories.counted import counted_amounts
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.history_list.rows import CountsBeside, ListedFinding

_CONTEXT = ("subject_kind", "subject", "workload_id", "environment_id", "metric_id")


def counted_series(system: System) -> QuerySet[Series]:
    """The series of what is counted of the configurations of a system, with their metrics."""
    own = {"subject_kind": Series.SubjectKind.CONFIGURATION, "metric__clock": Metric.Clock.COUNT}
    return Series.objects.filter(system=system, **own).select_related("metric")


def with_counts(
    system: System,
    findings: Sequence[ListedFinding],
    counted: Sequence[Series],
    positions: Mapping[str, int],
) -> tuple[ListedFinding, ...]:
    """The findings with what was counted there, those of configurations; `positions` are by the name of the revision.

    `counted` are the `counted_series`; without any no query is asked, else one and five for each that has findings beside it.
    """
    if not counted or not findings:
        return tuple(findings)
    ids = {one.series_id for finding in findings for one in finding.shown}
    configurations = Series.objects.filter(pk__in=ids, subject_kind=Series.SubjectKind.CONFIGURATION)
    series = {one.pk: one for one in configurations.select_related("metric")}
    beside = {pk: _counted_beside(own, counted) for pk, own in series.items()}
    stretches: dict[int, set[tuple[str, str]]] = {}
    for finding in findings:
        if (found := beside.get(finding.shown[0].series_id)) is not None:
            stretches.setdefault(found.pk, set()).add((finding.before, finding.after))
    by_series = {one.pk: one for one in counted}
    moves = {pk: _moves(system, by_series[pk], some, positions) for pk, some in stretches.items()}
    listed = []
    for finding in findings:
        first = finding.shown[0].series_id
        if first in series:
            found = beside[first]
            move = moves[found.pk].get((finding.before, finding.after)) if found else None
            clocks = {series[one.series_id].metric.clock for one in finding.shown if one.series_id in series}
            quantity = (found or counted[0]).metric.quantity
            counts = CountsBeside(quantity, move, is_alone=clocks == {Metric.Clock.COUNT})
            listed.append(replace(finding, counts=counts))
        else:
            listed.append(finding)
    return tuple(listed)


def _counted_beside(own: Series, counted: Sequence[Series]) -> Series | None:
    """The counted series of the same configuration and environment: itself, or that of its workload where there is one."""
    alike = [one for one in counted if (one.subject, one.environment_id) == (own.subject, own.environment_id)]
    return max(
        alike, key=lambda one: (one.pk == own.pk, one.workload_id == own.workload_id, -one.pk), default=None
    )


def _moves(
    system: System, counted: Series, stretches: set[tuple[str, str]], positions: Mapping[str, int]
) -> dict[tuple[str, str], CountMove]:
    """What moved over each stretch of revisions, between the counted ones nearest to its ends; left out where one is missing."""
    names = Point.objects.filter(series=counted).values_list("revision__name", flat=True)
    known = sorted((positions[name], name) for name in names if name in positions)
    places = [place for place, _ in known]
    ends = {}
    for before, after in stretches:
        first = bisect_right(places, positions[before]) - 1
        last = bisect_left(places, positions[after])
        if first >= 0 and last < len(known):
            ends[before, after] = (known[first][1], known[last][1])
    context = SeriesContext(*(getattr(counted, name) for name in _CONTEXT))
    wanted = {name for pair in ends.values() for name in pair}
    amounts = counted_amounts(system, context, quantity=counted.metric.quantity, revisions=wanted)
    return {
        stretch: CountMove.between(amounts[low], amounts[high])
        for stretch, (low, high) in ends.items()
        if low in amounts and high in amounts
    }
