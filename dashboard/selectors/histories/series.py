"""Series to read: which there are, and their measured points in an order of revisions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from analytics.histories import Measurements
from dashboard.access import NotFound, Principal, require
from dashboard.models import (
    Batch,
    Configuration,
    Metric,
    Order,
    OrderPosition,
    Point,
    Series,
    System,
    SystemOption,
)
from dashboard.selectors.histories.codes import CodeVersions, code_versions
from dashboard.selectors.histories.rows import MeasuredPoint, RevisionPlace, SeriesRow

# Orders by how well they suit a first look.
_PREFERRED = ("releases", "first-parent", "all")
# No database counts further.
LONGEST_ID = 18


@dataclass(frozen=True, slots=True)
class OrderedRevisions:
    """The revisions of a system in one named order."""

    name: str
    revisions: tuple[RevisionPlace, ...]

    @property
    def by_id(self) -> dict[int, RevisionPlace]:
        """The places by revision id."""
        return {place.revision_id: place for place in self.revisions}

    @property
    def line(self) -> CodeVersions:
        """The line of the revisions' code. Read it once: it takes a while for thousands."""
        return code_versions(
            tuple(place.position for place in self.revisions),
            tuple(place.content for place in self.revisions),
            tuple(place.changed_lines for place in self.revisions),
        )

    @property
    def codes(self) -> dict[str, int]:
        """A number for the code of each revision, by name: revisions that hold the same code have the same one."""
        line = self.line
        first: dict[int, int] = {}
        for place, group in line.groups.items():
            first[group] = min(first.get(group, place), place)
        places = {one.name: line.version_at[one.position] for one in self.revisions}
        return {name: first[line.groups[at]] if at in line.groups else at for name, at in places.items()}


def list_series(
    *, principal: Principal, slug: str, kinds: Collection[str] = (), only: Q | None = None
) -> tuple[SeriesRow, ...]:
    """The series of a system that have a point, by kind and subject. Constant number of queries.

    Of some kinds only where `kinds` are given; those that `only` lets through where it is given.
    """
    system = require(principal, slug)
    found = _rows(system).filter(**({"subject_kind__in": kinds} if kinds else {}))
    if only is not None:
        found = found.filter(only)
    names = configuration_names(system)
    return tuple(_row(series, names) for series in found)


def get_series(*, principal: Principal, slug: str, series_id: int) -> SeriesRow:
    """One series of a system. Raises `NotFound`."""
    system = require(principal, slug)
    series = _rows(system).filter(pk=series_id).first()
    if series is None:
        raise NotFound(f"there is no series {series_id} in {slug!r}")
    return _row(series, configuration_names(system))


def find_series(*, principal: Principal, slug: str, series_id: str = "", term: str = "") -> SeriesRow:
    """The series of that id; else the one that `default_series` chooses among all. Raises `NotFound`.

    With an id only that series is read: a suite of benchmarks has thousands.
    """
    if series_id.isdecimal() and len(series_id) <= LONGEST_ID:
        try:
            return get_series(principal=principal, slug=slug, series_id=int(series_id))
        except NotFound:
            pass
    first = list_series(
        principal=principal, slug=slug, only=begun_with(require(principal, slug))
    ) or list_series(principal=principal, slug=slug)
    return default_series(first, series_id=series_id, term=term)


def begun_with(system: System) -> Q:
    """The series that people begin with: of the default configuration, and of whatever is no configuration.

    For selectors. There may be thousands of others.
    """
    default = Configuration.objects.filter(system=system, assignments={}).values_list("identity", flat=True)
    return ~Q(subject_kind=Series.SubjectKind.CONFIGURATION) | Q(subject__in=list(default))


def default_series(series: Sequence[SeriesRow], *, series_id: str = "", term: str = "") -> SeriesRow:
    """The series that is asked for by id or by term; else the default configuration's, by CPU time where measured.

    Raises `NotFound` where there is none at all.
    """
    if not series:
        raise NotFound("nothing was measured over more than one revision")

    def suits(row: SeriesRow) -> tuple[bool, bool, bool, bool, int]:
        return (
            str(row.series_id) == series_id,
            bool(term) and row.kind == Series.SubjectKind.TERM and _same_term(row.subject, term),
            row.kind == Series.SubjectKind.CONFIGURATION and row.label == "default",
            row.clock == Metric.Clock.CPU,
            row.points,
        )

    return max(series, key=suits)


def data_version(*, principal: Principal, slug: str) -> int:
    """The counter that moves with every write to the system. Raises `NotFound`."""
    return require(principal, slug).data_version


def ordered_revisions(*, principal: Principal, slug: str, order: str = "") -> OrderedRevisions:
    """The revisions of a system in the order named, or in the one that suits best.

    A system without any order has no history: the answer is empty then. Raises `NotFound` for an unknown order.
    """
    system = require(principal, slug)
    names = list(Order.objects.filter(system=system).values_list("name", flat=True))
    if order and order not in names:
        raise NotFound(f"{slug!r} has no order {order!r}: known are {', '.join(sorted(names)) or 'none'}")
    chosen = order or next((name for name in _PREFERRED if name in names), min(names, default=""))
    places = OrderPosition.objects.filter(order__system=system, order__name=chosen).select_related("revision")
    return OrderedRevisions(
        name=chosen,
        revisions=tuple(
            RevisionPlace(
                revision_id=place.revision_id,
                name=place.revision.name,
                position=place.position,
                commit=place.revision.commit,
                message=place.revision.message,
                released_at=place.revision.released_at,
                content=place.revision.content,
                changed_lines=place.revision.changed_lines,
            )
            for place in places.order_by("position")
        ),
    )


def measured_points(
    system: System, series_ids: Collection[int], order: OrderedRevisions
) -> dict[int, tuple[MeasuredPoint, ...]]:
    """The visible points of several series of one system, by series, in the order given. One query.

    For selectors and services, behind their check.
    """
    places = order.by_id
    found: dict[int, list[MeasuredPoint]] = {series_id: [] for series_id in series_ids}
    points = Point.objects.filter(
        series__system=system, series_id__in=series_ids, batch__state=Batch.State.VISIBLE
    ).values_list("series_id", "revision_id", "n", "median", "spread")
    for series_id, revision_id, n, median, spread in points:
        place = places.get(revision_id)
        if place is not None:
            found[series_id].append(MeasuredPoint(place.position, place.name, n, median, spread))
    return {key: tuple(sorted(value, key=lambda point: point.position)) for key, value in found.items()}


def with_same_code(points: Sequence[MeasuredPoint], order: OrderedRevisions) -> tuple[MeasuredPoint, ...]:
    """The points, and those of all other revisions that hold the code of a measured one: of the nearest such one."""
    content = {place.position: place.content for place in order.revisions}
    measured: dict[str, list[MeasuredPoint]] = {}
    for point in points:
        measured.setdefault(content[point.position], []).append(point)
    # Of releases no code is known.
    measured.pop("", None)
    own = {point.position for point in points}
    shared = []
    for place in order.revisions:
        if place.content in measured and place.position not in own:
            position = place.position
            nearest = min(measured[place.content], key=lambda point: abs(point.position - position))
            shared.append(replace(nearest, position=position, revision=place.name, same_as=nearest.revision))
    return tuple(sorted([*points, *shared], key=lambda point: point.position))


def as_measurements(points: tuple[MeasuredPoint, ...], *, are_estimates: bool = False) -> Measurements:
    """Points as the input of a fit; estimates (a term's) carry their standard error instead of a spread of runs."""
    spreads = np.array([np.nan if point.spread is None else point.spread for point in points])
    n = np.array([point.n for point in points])
    return Measurements.of(
        [point.position for point in points],
        [point.median for point in points],
        n,
        spreads=None if are_estimates else spreads,
        errors=spreads / np.sqrt(n) if are_estimates else None,
    )


def configuration_names(system: System) -> dict[str, str]:
    """What people call the configurations of a system, by identity."""
    several = options_of_several_levels(system)
    return {
        identity: name or words(assignments, several)
        for identity, name, assignments in Configuration.objects.filter(system=system).values_list(
            "identity", "name", "assignments"
        )
    }


def options_of_several_levels(system: System) -> frozenset[str]:
    """The options that are no switches: of more than two levels. One query. For selectors."""
    counted = SystemOption.objects.filter(system=system).annotate(n=Count("levels"))
    return frozenset(counted.filter(n__gt=2).values_list("name", flat=True))


def words(assignments: dict[str, str], several: Collection[str]) -> str:
    """A configuration in words: what differs from the reference configuration.

    Options in `several` have more than two levels: their level 1 is none that is switched on.
    """
    # By name: not every database keeps the order in which they were stored.
    switched = [
        name if label in {"on", "1", "true"} and name not in several else f"{name} = {label}"
        for name, label in sorted(assignments.items())
    ]
    return " + ".join(switched) or "default"


def _same_term(one: str, other: str) -> bool:
    return set(one.split("*")) == set(other.split("*"))


def _rows(system: System) -> QuerySet[Series]:
    # Joined to its points, a suite of thousands of series would be grouped over millions of rows.
    points = Point.objects.filter(series=OuterRef("pk")).order_by()
    if writing := list(
        Batch.objects.filter(system=system, state=Batch.State.WRITING).values_list("pk", flat=True)
    ):
        points = points.exclude(batch_id__in=writing)
    return (
        Series.objects.filter(Exists(points), system=system)
        .annotate(measured=Subquery(points.values("series").annotate(n=Count("pk")).values("n")))
        .select_related("workload", "environment", "metric")
        .order_by("subject_kind", "subject", "pk")
    )


def _row(series: Series, names: dict[str, str]) -> SeriesRow:
    is_configuration = series.subject_kind == Series.SubjectKind.CONFIGURATION
    return SeriesRow(
        series_id=series.pk,
        kind=series.subject_kind,
        subject=series.subject,
        label=names.get(series.subject, series.subject)
        if is_configuration
        else series.label or series.subject.replace("*", " × "),
        workload=series.workload.name,
        environment=series.environment.name,
        quantity=series.metric.quantity,
        unit=series.metric.unit,
        clock=series.metric.clock,
        better=series.metric.better,
        points=series.measured,  # type: ignore[attr-defined]  # annotated by `_rows`
        data_version=series.data_version,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
        metric_id=series.metric_id,
    )
