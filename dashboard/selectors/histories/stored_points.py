"""Points of long histories as they were packed beside their fits: to read them row by row would take as long as to fit them.

They are good as long as nothing but further points came since, which the series tells; these are found by the batches that brought them.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F, Max, Min, Q, QuerySet

from analytics.histories.measurements import IntArray
from dashboard.models import Batch, HistoryFit, Point, System
from dashboard.selectors.batch_manifests import unfinished_batches
from dashboard.selectors.histories.columns import (
    Columns,
    PointColumns,
    by_series,
    load_columns,
    read_columns,
)
from dashboard.selectors.histories.growing_fit import GrowingFit, unpack_growing
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.stored_fits import PACKED_REVISIONS, unpack_points, unpack_revisions

# Fits that are read at once.
_TOGETHER = 200


def newest_batch(system: System) -> int:
    """The newest batch before which all are visible or gone: whatever comes to be seen later came with a later one. One query.

    Ask before points are read.
    """
    ends = system.batches.aggregate(newest=Max("pk"), writing=Min("pk", filter=Q(state=Batch.State.WRITING)))
    return int(ends["newest"] or 0) if ends["writing"] is None else int(ends["writing"]) - 1


def binary_rows(rows: QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of `values_list`, those of PostgreSQL as it stores them: bytes as text would be twice as many, and take three times as long."""
    if connection.vendor != "postgresql":
        yield from rows.iterator(chunk_size=_TOGETHER)
        return
    from psycopg import Cursor  # noqa: PLC0415 -- SQLite alone needs none

    connection.ensure_connection()
    # Django's own cursors put values into the statement, and take texts alone.
    with connection.wrap_database_errors, Cursor(connection.connection) as cursor:
        yield from cursor.execute(*rows.query.sql_with_params(), binary=True)


class StoredPoints:
    """Reads points of series, those that are kept beside their fits from there; `growths` are what is kept besides of these, by series."""

    def __init__(self) -> None:
        self.growths: dict[int, GrowingFit] = {}

    def load(
        self, system: System, series_ids: Collection[int], order: OrderedRevisions
    ) -> dict[int, PointColumns]:
        """As `load_columns`. Five queries at most."""
        kept = self._kept(series_ids)
        found: dict[int, PointColumns] = {}
        if kept:
            later = self._came_since(system, {pk: own[0] for pk, own in kept.items()})
            ends = np.searchsorted(later[0], sorted(kept), side="right").tolist()
            parts, start = [], 0
            # One series after the other, each in order: so they need not be sorted.
            for pk, end in zip(sorted(kept), ends, strict=True):
                parts.append((np.full(len(kept[pk][0]), pk), *kept[pk]))
                parts.append(tuple(one[start:end] for one in later))
                start = end
            together = tuple(np.concatenate(some) for some in zip(*parts, strict=True))
            found = by_series(list(kept), together, order)
        if others := set(series_ids) - found.keys():
            found |= load_columns(system, others, order)
        return found

    def _kept(self, series_ids: Collection[int]) -> dict[int, Columns]:
        """The columns, but the first one, of each series that has kept points, if nothing but further ones came since."""
        since = Q(series__grown_to=F("series__data_version"), data_version__gte=F("series__grown_from"))
        kept = (
            HistoryFit.objects.filter(
                since | Q(data_version=F("series__data_version")), series_id__in=series_ids
            )
            .exclude(packed_growth=b"")
            .values_list("series_id", PACKED_REVISIONS, "packed_points", "packed_growth")
        )
        columns = {}
        for pk, packed, points, growth in binary_rows(kept):
            self.growths[pk] = unpack_growing(growth)
            revisions = unpack_revisions(packed)
            columns[pk] = (revisions, *unpack_points(points, len(revisions)))
        return columns

    def _came_since(self, system: System, known: Mapping[int, IntArray]) -> Columns:
        """What came since of series whose points at these revisions (ids) are known, by series."""
        first = min(self.growths[pk].batch for pk in known)
        # A batch's points lie side by side in its index.
        later = Point.objects.filter(series_id__in=list(known), batch_id__gt=first)
        came = read_columns(later.exclude(batch_id__in=unfinished_batches(system)))
        pairs = zip(came[0].tolist(), came[1].tolist(), strict=True)
        is_new = np.array([not (known[pk] == revision).any() for pk, revision in pairs], dtype=bool)
        new = np.flatnonzero(is_new)
        new = new[np.lexsort((came[1][new], came[0][new]))]
        return tuple(one[new] for one in came)
