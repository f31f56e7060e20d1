"""The history of each series that is shown beside its difference, small: its level with the band, what it tells of a change, and whether it has two modes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from analytics.findings import SeriesChange
from analytics.revision_differences import modes_apart
from dashboard.models import Batch, HistoryFit, Measurement, Run, Series, System
from dashboard.selectors.histories.change_rows import change_rows
from dashboard.selectors.histories.columns import measured_points
from dashboard.selectors.histories.curves import is_exact, load_curves
from dashboard.selectors.histories.fits import HistoryCurve, band
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import BandRow, ChangeRow, SeriesRow
from dashboard.selectors.histories.stored_fits import unpack_changes
from dashboard.selectors.histories.unmerged import order_with
from dashboard.selectors.history_list.rows import ListedChange
from dashboard.selectors.two_revisions.rows import ComparedRevisions, RevisionDifference

# As many places as a line of a word's height can show.
_PLACES = 60
# Measured points on either side of the two revisions that are searched for modes.
_AROUND = 24


@dataclass(frozen=True, slots=True)
class DifferenceHistory:
    """The band of a history at some of its measured positions.

    `modes_apart` is how far two modes lie apart between which its values change, a share; None where one explains them. `of_runs`
    says that these are single runs at the two revisions, else the values of revisions around them. `changes` are those that the
    stored fit tells between the two; `enough_data` is False where it has too few revisions to claim or deny any.
    """

    band: tuple[BandRow, ...]
    modes_apart: float | None
    of_runs: bool = False
    changes: tuple[ListedChange, ...] = ()
    enough_data: bool = True


def difference_histories(
    *, system: System, compared: ComparedRevisions, rows: Sequence[RevisionDifference]
) -> dict[int, DifferenceHistory]:
    """The small history of the series of each row, by its id; none of a series with one point. A constant number of queries."""
    order = order_with(system, compared.before.name, compared.after.name)
    unmerged = {place.name for place in order.revisions if place.base}
    series = {row.series.series_id: row.series for row in rows}
    points = measured_points(system, series, order)
    runs = runs_at_both(
        system,
        compared,
        [one.subject for one in series.values() if one.kind == Series.SubjectKind.CONFIGURATION],
    )
    ends = (compared.before.position, compared.after.position)
    told = _told_between(system, series, order, *sorted(ends))
    found = {}
    for pk, one in series.items():
        own = points[pk]
        if len(own) < 2:
            continue
        key = (one.subject, one.workload_id, one.environment_id, one.metric_id)
        of_runs = _modes_of_runs(runs.get(key, {}), compared)
        is_term = one.kind == Series.SubjectKind.TERM
        modes = of_runs
        if modes is None and not is_term:
            # Else of the values of revisions around both ends.
            positions, values = (np.array([point[field] for point in own]) for field in (0, 3))
            at = np.searchsorted(positions, ends)
            near = (np.abs(np.arange(len(own))[:, None] - at) <= _AROUND).any(axis=1)
            modes = modes_apart(positions[near], values[near], *ends)
        # The level of a term only says which scale it is on.
        level = max(abs(point.median) for point in own) or 1.0 if is_term else None
        exact = is_exact(one.clock, [point.spread for point in own])
        # What was measured on a branch is no part of its history.
        own = tuple(point for point in own if point.revision not in unmerged)
        if len(own) < 2:
            continue
        curve = HistoryCurve(own, level, order.versions, one.kind, exact=exact)
        even = np.unique(np.linspace(0, len(own) - 1, _PLACES).astype(np.int64))
        drawn = band(curve, tuple(own[at].position for at in even))
        found[pk] = DifferenceHistory(drawn, modes, of_runs is not None, *told.get(pk, ()))
    return found


_Told = tuple[tuple[ListedChange, ...], bool]


def _told_between(
    system: System, series: Mapping[int, SeriesRow], order: OrderedRevisions, first: int, last: int
) -> dict[int, _Told]:
    """The changes between two positions that histories tell, and whether they know enough, by the id of the series.

    Of terms they are searched now, of others read from stored fits: one query.
    """
    positions = {place.revision_id: place.position for place in order.revisions}
    places = {place.position: place for place in order.revisions}

    def listed(one: ChangeRow | SeriesChange, before: int, after: int, *, is_worse: bool) -> ListedChange:
        ends = places[before], places[after]
        of_one = (one.relative, is_worse, one.certainty, one.is_candidate)
        return ListedChange(ends[0].name, ends[1].name, ends[1].released_at, *of_one)

    found: dict[int, _Told] = {}
    fits = HistoryFit.objects.filter(series__in=series).order_by("pk")
    for pk, packed, enough in fits.values_list("series_id", "packed_changes", "enough_data"):
        changes = unpack_changes(pk, bytes(packed), positions)
        between = [one for one in changes if first <= one.before and one.after <= last]
        found[pk] = (
            tuple(listed(one, one.before, one.after, is_worse=one.is_worse) for one in between),
            enough,
        )
    terms = [one for one in series.values() if one.kind == Series.SubjectKind.TERM]
    for pk, curve in load_curves(system, terms, order).items() if terms else ():
        searched = curve.changes()
        rows = change_rows(curve, order, series[pk], searched)
        ends = [(one, one.before.position, one.after.position) for one in rows]
        found[pk] = (
            tuple(
                listed(one, before, after, is_worse=one.is_slower)
                for one, before, after in ends
                if first <= before and after <= last
            ),
            searched.enough_data,
        )
    return found


_Key = tuple[str, int, int, int]


def runs_at_both(
    system: System, compared: ComparedRevisions, subjects: Collection[str]
) -> dict[_Key, dict[str, list[float]]]:
    """What the runs of these configurations took at both revisions, in their order. One query at most."""
    if not subjects:
        return {}
    rows = Measurement.objects.filter(
        run__batch__system=system,
        run__batch__state=Batch.State.VISIBLE,
        run__revision_id__in=[compared.before.revision_id, compared.after.revision_id],
        run__kind=Run.Kind.PLAIN,
        run__status=Run.Status.OK,
        run__invalid_reason="",
        run__configuration__identity__in=subjects,
    ).order_by("run_id")
    found: dict[_Key, dict[str, list[float]]] = {}
    for subject, workload, environment, metric, name, value in rows.values_list(
        "run__configuration__identity",
        "run__workload_id",
        "run__environment_id",
        "metric_id",
        "run__revision__name",
        "value",
    ):
        own = found.setdefault((subject, workload, environment, metric), {})
        own.setdefault(name, []).append(value)
    return found


def _modes_of_runs(runs: Mapping[str, Sequence[float]], compared: ComparedRevisions) -> float | None:
    """Two modes of the runs at both revisions, each beside the median of its own."""
    sides = [runs.get(place.name, ()) for place in (compared.before, compared.after)]
    if not all(sides) or not all(median(side) > 0 for side in sides):
        return None
    shares = np.array([value / median(side) for side in sides for value in side])
    # Where each run was made: one position for all of one revision.
    positions = np.repeat([0, 1], [len(side) for side in sides])
    return modes_apart(positions, shares, 0, 1)
