"""The series of a system: which there are, and which to begin with."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FilteredRelation,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from dashboard.access import NotFound
from dashboard.models import Batch, Configuration, HistoryFit, Metric, Point, Series, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.configurations import configuration_names
from dashboard.selectors.histories.kernels import kernel_of
from dashboard.selectors.histories.rows import SeriesRow

# No database counts further.
LONGEST_ID = 18
# Up to so many series are listed as a whole; of more, so many other configurations are picked.
_FEW = 300
_PICKED = 60
_ORDER = ("subject_kind", "subject", "pk")
_LONGEST = F("measured").desc()
_CELLS = (
    "pk", "subject_kind", "subject", "label", "workload_id", "environment_id", "metric_id", "data_version", "kernel", "measured",
    "workload__name", "environment__name", "metric__quantity", "metric__unit", "metric__clock", "metric__better",
)  # fmt: skip


def list_series(
    *, system: System, kinds: Collection[str] = (), only: Q | None = None
) -> tuple[SeriesRow, ...]:
    """The series of a system that have a point, by kind and subject. Constant number of queries.

    Of some kinds only where `kinds` are given; those that `only` lets through where it is given.
    """
    found = _rows(system).filter(**({"subject_kind__in": kinds} if kinds else {}))
    if only is not None:
        found = found.filter(only)
    names = configuration_names(system)
    return tuple(_row(series, names) for series in _cells(found))


def series_to_fit(*, system: System, ids: Collection[int]) -> tuple[SeriesRow, ...]:
    """These series of a system, measured or not; their points are not counted, which may take longer than to read them."""
    found = system.series.filter(pk__in=ids).order_by(*_ORDER).annotate(measured=Value(0))
    names = configuration_names(system)
    return tuple(_row(series, names) for series in _cells(found))


def stored_series(system: System, series_id: int) -> Series:
    """The row of one series of a system. For selectors. Raises `NotFound`."""
    series = system.series.filter(pk=series_id).first()
    if series is None:
        raise _unknown(system, series_id)
    return series


def get_series(*, system: System, series_id: int) -> SeriesRow:
    """One series of a system. Raises `NotFound`."""
    series = _cells(_rows(system).filter(pk=series_id)).first()
    if series is None:
        raise _unknown(system, series_id)
    return _row(series, configuration_names(system, _configuration_of(series)))


def series_labels(system: System, identities: Collection[str]) -> dict[str, str]:
    """What histories are called, by the identity of their series; those that are no longer there have no name. Three queries at most."""
    found = list(
        _cells(system.series.filter(identity__in=identities).order_by("pk").annotate(measured=Value(0)))
    )
    names = configuration_names(system, set().union(*map(_configuration_of, found)))
    known = dict(system.series.filter(identity__in=identities).values_list("pk", "identity"))
    return {known[one.pk]: _row(one, names).label for one in found}


def find_series(*, system: System, series_id: str = "", term: str = "") -> SeriesRow:
    """The series of that id; else the one that `default_series` chooses among all. Raises `NotFound`.

    With an id only that series is read, of a suite only the one that is chosen: benchmarks may have thousands.
    """
    if series_id.isdecimal() and len(series_id) <= LONGEST_ID:
        try:
            return get_series(system=system, series_id=int(series_id))
        except NotFound:
            pass
    if not term and not system.configurations.exists():
        # As `default_series` chooses, by the database.
        on_cpu = Case(When(metric__clock=Metric.Clock.CPU, then=0), default=1)
        chosen = _cells(_rows(system).order_by(on_cpu, _LONGEST, *_ORDER)).first()
        return default_series([] if chosen is None else [_row(chosen, {})])
    first = list_series(system=system, only=_first_looked_at(system)) or list_series(system=system)
    return default_series(first, series_id=series_id, term=term)


def longest_series(system: System) -> SeriesRow | None:
    """The series of most points, two or more, one of a term only where there is no other; None where there is none."""
    is_term = Case(When(subject_kind=Series.SubjectKind.TERM, then=1), default=0)
    found = _cells(_rows(system).order_by(is_term, _LONGEST, *_ORDER)).first()
    row = found and _row(found, configuration_names(system, _configuration_of(found)))
    return row if row and row.points > 1 else None


def searched_together(system: System) -> int:
    """How many histories are searched for changes together: those of a suite, where all are of benchmarks; else 1.

    Rounded up to a power of two: one more benchmark puts no stored fit out of date. One query.
    """
    kinds = dict(
        system.series.order_by()
        .values_list("subject_kind")
        .annotate(n=Count("pk"))
        .values_list("subject_kind", "n")
    )
    benchmarks = kinds.pop(Series.SubjectKind.BENCHMARK, 0)
    return 1 if kinds or not benchmarks else 1 << (benchmarks - 1).bit_length()


def default_series(series: Sequence[SeriesRow], *, series_id: str = "", term: str = "") -> SeriesRow:
    """The series that is asked for by id or by term; else the default configuration's, by CPU time where measured.

    Raises `NotFound` where there is none at all.
    """
    if not series:
        raise NotFound("nothing was measured over more than one revision")

    def suits(row: SeriesRow) -> tuple[bool, bool, bool, bool, int]:
        is_term = bool(term) and row.kind == Series.SubjectKind.TERM
        return (
            str(row.series_id) == series_id,
            is_term and set(row.subject.split("*")) == set(term.split("*")),
            row.kind == Series.SubjectKind.CONFIGURATION and row.label == "default",
            row.clock == Metric.Clock.CPU,
            row.points,
        )

    return max(series, key=suits)


def pick_series(
    *, system: System, search: str = "", keep: Collection[int] = ()
) -> tuple[tuple[SeriesRow, ...], int]:
    """All series of a system, or those that people begin with where there are more than 300; how many are left out.

    These are the ones of the default configuration, of terms, regions and benchmarks, those in `keep`, and 60 of other
    configurations: the ones whose values lie farthest apart, or whose names hold `search`.
    """
    total = Series.objects.filter(system=system).count()
    if total <= _FEW:
        return list_series(system=system), 0
    first = list_series(system=system, only=_first_looked_at(system) | Q(pk__in=keep))
    if wanted := search.strip().lower():
        # Some series of configurations with this in their names, the shortest names first.
        names = configuration_names(system)
        fitting = [name for name in names if wanted in names[name].lower()]
        subjects = sorted(fitting, key=lambda one: (len(names[one]), names[one]))[:_PICKED]
        rows = system.series.filter(subject_kind=Series.SubjectKind.CONFIGURATION, subject__in=subjects)
        found = set(rows.values_list("pk", flat=True))
    else:
        found = _farthest_apart(system, first)
    others = list_series(system=system, only=Q(pk__in=found - {row.series_id for row in first}))
    return (*first, *others), total - len(first) - len(others)


def _first_looked_at(system: System) -> Q:
    """The series that people begin with: of the default configuration, and of whatever is no configuration."""
    default = Configuration.objects.filter(system=system, assignments={}).values_list("identity", flat=True)
    return ~Q(subject_kind=Series.SubjectKind.CONFIGURATION) | Q(subject__in=list(default))


def _farthest_apart(system: System, first: Sequence[SeriesRow]) -> set[int]:
    """The series of configurations with the largest ratio of values, by the metric that is looked at first."""
    if not first:
        return set()
    like = default_series(first)
    rows = (
        Point.objects.filter(
            series__system=system,
            series__subject_kind=Series.SubjectKind.CONFIGURATION,
            series__metric_id=like.metric_id,
            series__workload_id=like.workload_id,
            series__environment_id=like.environment_id,
            batch__state=Batch.State.VISIBLE,
            median__gt=0,
        )
        .values("series_id")
        .annotate(ratio=Max("median") / Min("median"))
        .order_by(F("ratio").desc(), "series_id")
    )
    return set(rows.values_list("series_id", flat=True)[:_PICKED])


def _rows(system: System) -> QuerySet[Series]:
    """The series that have a point. How many, their fits tell; those of a series without one in force are counted.

    Counting costs as much as there are points: 10 s for 8,000 series of 1,250 on PostgreSQL.
    """
    # Joined to its points, thousands of series would be grouped over millions of rows.
    points = Point.objects.filter(series=OuterRef("pk")).order_by()
    if unfinished := unfinished_batches(system):
        points = points.exclude(batch_id__in=unfinished)
    counted = Subquery(points.values("series").annotate(n=Count("pk")).values("n"))
    # A data version moves with each point, and one fit of a series is kept.
    in_force = FilteredRelation("fits", condition=Q(fits__data_version=F("data_version")))
    return (
        Series.objects.alias(fit=in_force)
        .filter(Q(fit__measured__gt=0) | Exists(points), system=system)
        .annotate(measured=Coalesce("fit__measured", counted))
        .order_by(*_ORDER)
    )


def count_unfitted(*, system: System) -> int:
    """How many measured histories wait for their first fit; those of terms do not, they are fitted when they are looked at."""
    fit = HistoryFit.objects.filter(series=OuterRef("pk"))
    # Looked up one by one: joined, all points would be read.
    point = Point.objects.filter(series=OuterRef("pk"))
    return system.series.filter(~Exists(fit), Exists(point), subject_kind__in=Series.FITTED_KINDS).count()


def _cells(rows: QuerySet[Series]) -> QuerySet[Series, Any]:
    """What `_row` needs of series with `measured`: thousands of models, each with its environment, take seven times as long."""
    return rows.values_list(*_CELLS, named=True)


def _unknown(system: System, series_id: int) -> NotFound:
    return NotFound(f"there is no series {series_id} in {system.slug!r}")


def _configuration_of(series: Any) -> set[str]:
    """The identity of the configuration that a series is of; of anything else none, and no name is asked for."""
    return {series.subject} if series.subject_kind == Series.SubjectKind.CONFIGURATION else set()


def _row(series: Any, names: dict[str, str]) -> SeriesRow:
    is_configuration = series.subject_kind == Series.SubjectKind.CONFIGURATION
    return SeriesRow(
        kind=series.subject_kind,
        subject=series.subject,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
        metric_id=series.metric_id,
        series_id=series.pk,
        label=names.get(series.subject, series.subject)
        if is_configuration
        else series.label or series.subject.replace("*", " × "),
        workload=series.workload__name,
        environment=series.environment__name,
        quantity=series.metric__quantity,
        unit=series.metric__unit,
        clock=series.metric__clock,
        better=series.metric__better,
        points=series.measured,
        data_version=series.data_version,
        kernel=kernel_of(series.kernel),
    )
