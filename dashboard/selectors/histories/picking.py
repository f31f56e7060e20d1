"""Series to choose from where a system has more of them than anybody looks through."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import F, Max, Min, Q

from dashboard.access import Principal, require
from dashboard.models import Batch, Point, Series, System
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import begun_with, configuration_names, default_series, list_series

# Up to so many are listed as a whole.
_FEW = 300
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class PickedSeries:
    """Series to choose from, and how many more there are."""

    rows: tuple[SeriesRow, ...]
    left_out: int = 0


def pick_series(
    *, principal: Principal, slug: str, search: str = "", keep: Collection[int] = ()
) -> PickedSeries:
    """All series of a system; where they are more than 300, those that people begin with.

    These are the ones of the default configuration, of terms, regions and benchmarks, those in `keep`, and 60 of other
    configurations: the ones whose values lie farthest apart, or whose names hold `search`. Raises `NotFound`.
    """
    system = require(principal, slug)
    total = Series.objects.filter(system=system).count()
    if total <= _FEW:
        return PickedSeries(list_series(principal=principal, slug=slug))
    first = list_series(principal=principal, slug=slug, only=begun_with(system) | Q(pk__in=keep))
    found = _named(system, search) if search.strip() else _farthest_apart(system, first)
    shown = {row.series_id for row in first}
    others = list_series(principal=principal, slug=slug, only=Q(pk__in=found - shown))
    rows = (*first, *others)
    return PickedSeries(rows, total - len(rows))


def _named(system: System, search: str) -> set[int]:
    """Some series of configurations with this in their names, the shortest names first."""
    words = search.strip().lower()
    names = configuration_names(system)
    fitting = [name for name in names if words in names[name].lower()]
    subjects = sorted(fitting, key=lambda one: (len(names[one]), names[one]))[:_SHOWN]
    rows = Series.objects.filter(
        system=system, subject_kind=Series.SubjectKind.CONFIGURATION, subject__in=subjects
    )
    return set(rows.values_list("pk", flat=True))


def _farthest_apart(system: System, first: Collection[SeriesRow]) -> set[int]:
    """The series of configurations with the largest ratio of values, by the metric that is looked at first."""
    if not first:
        return set()
    like = Series.objects.get(pk=default_series(tuple(first)).series_id)
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
    return set(rows.values_list("series_id", flat=True)[:_SHOWN])
