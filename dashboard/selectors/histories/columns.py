"""Points of many series by column, read at once: rows of them would take as long to make as to read."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from analytics.histories.code_versions import CodeVersions
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from dashboard.models import Point, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.bulk_reads import read_arrays
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import MeasuredPoint

_COLUMNS = {"series_id": "i8", "revision_id": "i8", "n": "i8", "median": "f8", "spread": "f8"}
# Ids that lie so near each other are looked up in a table: in a twentieth of the time that a search for each takes.
_NEAR = 8
# Of points as they were read: their columns, (n,) each.
Columns = tuple[NDArray[Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PointColumns:
    """The visible points of one series, in an order of revisions: arrays of shape (n,).

    `places` are those of the revisions among all of the order, `revisions` their ids; spreads are NaN where unknown.
    """

    places: IntArray
    revisions: IntArray
    positions: IntArray
    repetitions: IntArray
    medians: FloatArray
    spreads: FloatArray

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.places)

    def rows(self, order: OrderedRevisions) -> tuple[MeasuredPoint, ...]:
        """The points one by one."""
        columns = (self.places, self.positions, self.repetitions, self.medians, self.spreads)
        return tuple(
            MeasuredPoint(position, order.revisions[place].name, n, value, None if isnan(spread) else spread)
            for place, position, n, value, spread in zip(*(one.tolist() for one in columns), strict=True)
        )


# Reads the visible points of series by id.
PointLoader = Callable[[System, Collection[int], OrderedRevisions], dict[int, PointColumns]]


def load_columns(
    system: System, series_ids: Collection[int], order: OrderedRevisions
) -> dict[int, PointColumns]:
    """The visible points of several series by id, at the revisions of an order. Two queries."""
    points = Point.objects.filter(series__system=system, series_id__in=series_ids).exclude(
        batch_id__in=unfinished_batches(system)
    )
    return by_series(series_ids, read_columns(points), order)


def read_columns(points: QuerySet[Point]) -> Columns:
    """The series, revisions (ids), repetitions, medians and spreads of points, (n,) each; a spread that is unknown is NaN. One query."""
    return tuple(read_arrays(points, _COLUMNS))


def by_series(
    series_ids: Collection[int], columns: Columns, order: OrderedRevisions
) -> dict[int, PointColumns]:
    """Points as they were read, by series and in an order of revisions."""
    series, revisions, n, medians, spreads = columns
    places, is_there = places_in(order, revisions)
    positions = np.array([place.position for place in order.revisions], dtype=np.int64)
    # One series after the other, each in order: so are points that are kept beside fits.
    apart = np.diff(series)
    is_sorted = is_there.all() and (apart >= 0).all() and (places[1:] >= places[:-1])[apart == 0].all()
    chosen = np.arange(len(series)) if is_sorted else np.lexsort((places, series))
    chosen = chosen[is_there[chosen]]
    ordered, found = series[chosen], {}
    for one in series_ids:
        start, end = np.searchsorted(ordered, (one, one + 1)).tolist()
        # To look numbers up takes longer than to copy them.
        at = slice(start, end) if is_sorted else chosen[start:end]
        own = places[at]
        found[one] = PointColumns(own, revisions[at], positions[own], n[at], medians[at], spreads[at])
    return found


def measured_points(
    system: System, series_ids: Collection[int], order: OrderedRevisions
) -> dict[int, tuple[MeasuredPoint, ...]]:
    """The visible points of several series, by series, in the order given. Two queries."""
    return {pk: one.rows(order) for pk, one in load_columns(system, series_ids, order).items()}


def measurements_of(columns: PointColumns, versions: CodeVersions) -> Measurements:
    """The points of runs by code version. Raises `HistoryError`."""
    by_position = Measurements.of(
        columns.positions, columns.medians, columns.repetitions, spreads=columns.spreads
    )
    return versions.by_version(by_position)


def places_in(order: OrderedRevisions, revisions: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Where revisions (ids) stand in the order, and whether they do at all; the order's positions rise."""
    ids = np.array([place.revision_id for place in order.revisions], dtype=np.int64)
    if not len(ids):
        return np.zeros(len(revisions), dtype=np.int64), np.zeros(len(revisions), dtype=bool)
    first, span = int(ids.min()), int(np.ptp(ids)) + 1
    if span <= _NEAR * (len(ids) + len(revisions)):
        # One more for all that lie outside.
        place_of = np.full(span + 1, -1)
        place_of[ids - first] = np.arange(len(ids))
        at = revisions - first
        at[(at < 0) | (at > span)] = span
        places = place_of[at]
        return np.maximum(places, 0), places >= 0
    by_id = np.argsort(ids)
    at = by_id[np.minimum(np.searchsorted(ids, revisions, sorter=by_id), len(ids) - 1)]
    return at, ids[at] == revisions
