"""Points of imported series that the system holds already: an import of a grown file adds only what is new."""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.record_tables import IntArray, PointTable
from dashboard.importers.records import SystemRecords
from dashboard.models import Batch, Point, Series, System
from dashboard.selectors.batch_manifests import save_manifest
from dashboard.selectors.export.tables import load_columns
from dashboard.services.bulk_inserts import insert
from dashboard.services.imports.reference import find_reference, series_columns

# As many points as change place in the one transaction that shows an import, which must stay under a second.
MOST = 10_000
# Series whose points are looked at together. At so few revisions these are looked for one by one: a series has thousands of others.
_TOGETHER, _FEW = 200, 50
_SHOWN = 20
_COLUMNS = ("series_id", "revision_id", "n", "median", "spread")
_IDS = 400

BoolArray = NDArray[np.bool_]


def compare_points(
    system: System, records: SystemRecords, *, replaces: bool | None = None
) -> tuple[SystemRecords, Sequence[str], Sequence[Point]]:
    """The records without the points that the system has, and what contradicts these: other values of the same place.

    Where the records replace what is there, other values are no contradiction. They are handed out, not stored yet, to
    take the place of those there. Reads the points of some hundred series at a time.
    """
    table = records.points
    if not len(table.series):
        return records, (), ()
    ids = find_reference(system, records)
    held = dict(Series.objects.filter(system=system).values_list("identity", "pk"))
    # What is new here has no point yet: no row has the id 0.
    series = series_columns(system, records, ids)
    known = np.array([held.get(one["identity"], 0) for one in series], dtype=np.int64)
    revisions = np.array(ids.of("revisions"), dtype=np.int64)
    there, differing = _match(table, known, revisions)
    if there.any():
        left = PointTable(*(getattr(table, one.name)[~there] for one in fields(table)))
        records = replace(records, points=left)
    if not replaces:
        problems = _contradictions(records, table, differing, may_replace=replaces is not None)
        return records, problems, ()
    if len(differing) > MOST:
        problem = (
            f"{len(differing)} results were measured anew, and no more than {MOST} can take the place of "
            "others at once. Import into a system of another name."
        )
        return records, [problem], ()
    return (
        records,
        (),
        [
            Point(
                series_id=int(known[table.series[row]]),
                revision_id=int(revisions[table.revision[row]]),
                n=int(table.n[row]),
                median=float(table.median[row]),
                spread=None if np.isnan(table.spread[row]) else float(table.spread[row]),
            )
            for row in differing
        ],
    )


def replace_points(points: Sequence[Point], batch_id: int) -> None:
    """Put points in the place of those they contradict, and note those in the batch's manifest.

    Call it in the transaction that shows the batch.
    """
    wanted = {(one.series_id, one.revision_id) for one in points}
    series = sorted({one for one, _ in wanted})
    revisions = {one for _, one in wanted}
    old: list[tuple[int, int, int, int, float, float | None]] = []
    for start in range(0, len(series), _IDS):
        held = Point.objects.filter(series_id__in=series[start : start + _IDS])
        if len(revisions) <= _IDS:
            held = held.filter(revision_id__in=revisions)
        old += [row for row in held.values_list("pk", *_COLUMNS) if row[1:3] in wanted]
    for start in range(0, len(old), _IDS):
        Point.objects.filter(pk__in=[pk for pk, *_ in old[start : start + _IDS]]).delete()
    rows = [(*(getattr(one, column) for column in _COLUMNS), batch_id) for one in points]
    insert(Point, (*_COLUMNS, "batch_id"), rows)
    save_manifest(Batch.objects.get(pk=batch_id), replaced=[values for _, *values in old])


def _match(table: PointTable, known: IntArray, revisions: IntArray) -> tuple[BoolArray, Sequence[int]]:
    """Which rows are there already, shape (n,), and those of them with another value.

    `known` are the ids of series by position, `revisions` those of revisions; 0 for what is not there.
    """
    order = np.argsort(table.series, kind="stable")
    ordered = table.series[order]
    there = np.zeros(len(order), dtype=bool)
    differing: list[int] = []
    places = np.flatnonzero(known)
    for start in range(0, len(places), _TOGETHER):
        chunk = places[start : start + _TOGETHER]
        rows = order[slice(*np.searchsorted(ordered, [chunk[0], chunk[-1] + 1]))]
        series, revision = known[table.series[rows]], revisions[table.revision[rows]]
        points = Point.objects.filter(series_id__in=known[chunk].tolist()).order_by()
        at = np.unique(revision[revision > 0])
        if len(at) <= _FEW:
            points = points.filter(revision_id__in=at.tolist())
        held = load_columns(PointTable, points)
        place, is_held = _places((held["series"], held["revision"]), (series, revision))
        own, other = rows[is_held], place[is_held]
        there[own] = True
        same = table.median[own] == held["median"][other]
        same &= np.isclose(held["spread"][other], table.spread[own], rtol=1e-9, atol=0.0, equal_nan=True)
        differing += own[~same].tolist()
    return there, differing


def _places(held: tuple[IntArray, IntArray], wanted: tuple[IntArray, IntArray]) -> tuple[IntArray, BoolArray]:
    """Where each pair of series and revision that is `wanted` stands among those held, (n,), and whether it does at all."""
    keys, asked = ((series << 32) | revision for series, revision in (held, wanted))
    if not len(keys):
        return np.zeros(len(asked), dtype=np.int64), np.zeros(len(asked), dtype=bool)
    order = np.argsort(keys)
    place = order[np.minimum(np.searchsorted(keys, asked, sorter=order), len(keys) - 1)]
    return place, keys[place] == asked


def _contradictions(
    records: SystemRecords, table: PointTable, differing: Sequence[int], *, may_replace: bool
) -> list[str]:
    """The first of these contradictions in words, and how many more there are."""
    remedy = "import into a system of another name."
    if may_replace:
        remedy = f"give --reruns replace if it was measured anew, or {remedy}"
    shown = []
    for row in differing[:_SHOWN]:
        series = records.series[int(table.series[row])]
        revision = records.revisions[int(table.revision[row])].name
        shown.append(
            f"series {series.label or series.subject}: revision {revision} has another value here than the one in the "
            f"file, {table.median[row]:g}. A point is not overwritten unasked: {remedy}"
        )
    if len(differing) > _SHOWN:
        shown.append(f"... and {len(differing) - _SHOWN} more results like these.")
    return shown
