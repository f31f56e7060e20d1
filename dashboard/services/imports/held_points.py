"""Points of imported series that the system holds already: an import of a grown file adds only what is new."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.identities import configuration_identity
from dashboard.importers.record_tables import FloatArray, IntArray, PointTable
from dashboard.importers.records import SystemRecords
from dashboard.models import Environment, Metric, Point, Revision, Series, System, Workload
from dashboard.services.identities import series_identity
from dashboard.services.imports.reruns import MOST, Rerun

# Series whose points are looked at together.
_TOGETHER = 200
_SHOWN = 20

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The records without the points that are there already, how many those are, and which contradict them.

    `reruns` are points that shall take the place of those there.
    """

    records: SystemRecords
    held: int
    problems: tuple[str, ...]
    reruns: tuple[Rerun, ...] = ()


def compare(system: System, records: SystemRecords, *, replaces: bool | None = None) -> Comparison:
    """Compare the points with those of the system: equal ones are left out, other values are a contradiction.

    Where the records replace what is there, other values are reruns instead. Reads the points of some hundred series
    at a time.
    """
    table = records.points
    known = _known_series(system, records) if len(table.series) else {}
    if not known:
        return Comparison(records, 0, ())
    revisions = dict(Revision.objects.filter(system=system).values_list("name", "pk"))
    # A revision that is new here has no point yet: no row has the id 0.
    ids = np.array([revisions.get(one.name, 0) for one in records.revisions], dtype=np.int64)
    order = np.argsort(table.series, kind="stable")
    ordered = table.series[order]
    new = np.ones(len(order), dtype=bool)
    differing: list[tuple[int, int]] = []
    pks: list[int] = []
    for chunk in _chunks(known):
        held = _held(list(chunk.values()))
        for position, pk in chunk.items():
            rows = order[slice(*np.searchsorted(ordered, [position, position + 1]))]
            there, differ = held.match(pk, ids[table.revision[rows]], table, rows)
            new[rows[there]] = False
            differing += ((position, int(row)) for row in rows[differ])
            pks += [pk] * int(differ.sum())
    there_already = int((~new).sum())
    if there_already:
        records = replace(
            records, points=PointTable(*(getattr(table, one.name)[new] for one in fields(table)))
        )
    if not replaces:
        return Comparison(
            records, there_already, _told(records, table, differing, may_replace=replaces is not None)
        )
    if len(differing) > MOST:
        problem = (
            f"{len(differing)} results were measured anew, and no more than {MOST} can take the place of "
            "others at once. Import into a system of another name."
        )
        return Comparison(records, there_already, (problem,))
    reruns = tuple(
        _rerun(table, pk, int(ids[table.revision[row]]), row)
        for pk, (_, row) in zip(pks, differing, strict=True)
    )
    return Comparison(records, there_already - len(reruns), (), reruns)


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Points by series, then revision; all arrays have shape (n,)."""

    series: IntArray
    revision: IntArray
    median: FloatArray
    spread: FloatArray

    def match(
        self, pk: int, wanted: IntArray, table: PointTable, rows: IntArray
    ) -> tuple[BoolArray, BoolArray]:
        """Which rows of one series, of the `wanted` revisions, are there already; which of these with another value."""
        span = slice(*np.searchsorted(self.series, [pk, pk + 1]))
        own = self.revision[span]
        if not len(own):
            none = np.zeros(len(rows), dtype=bool)
            return none, none
        places = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
        there = own[places] == wanted
        same = self.median[span][places] == table.median[rows]
        same &= np.isclose(self.spread[span][places], table.spread[rows], rtol=1e-9, atol=0.0, equal_nan=True)
        return there, there & ~same


def _held(series: list[int]) -> _Held:
    rows = Point.objects.filter(series_id__in=series).order_by("series_id", "revision_id")
    found = list(rows.values_list("series_id", "revision_id", "median", "spread"))
    columns = list(zip(*found, strict=True)) or [()] * 4
    return _Held(
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.float64),
    )


def _known_series(system: System, records: SystemRecords) -> dict[int, int]:
    """The ids of those of the records' series that the system has, by position."""
    workloads = dict(Workload.objects.filter(system=system).values_list("name", "pk"))
    digests = [one.digest for one in records.environments]
    environments = dict(Environment.objects.filter(digest__in=digests).values_list("digest", "pk"))
    metrics = {
        tuple(key): pk for *key, pk in Metric.objects.values_list("quantity", "unit", "clock", "better", "pk")
    }
    held = dict(Series.objects.filter(system=system).values_list("identity", "pk"))
    configurations = [configuration_identity(dict(one.assignments)) for one in records.configurations]
    found = {}
    for position, one in enumerate(records.series):
        metric = records.metrics[one.metric]
        is_benchmark = one.configuration is None
        identity = series_identity(
            system_id=system.pk,
            subject_kind=Series.SubjectKind.BENCHMARK if is_benchmark else Series.SubjectKind.CONFIGURATION,
            subject=one.subject if one.configuration is None else configurations[one.configuration],
            workload_id=workloads.get(one.workload, 0),
            environment_id=environments.get(records.environments[one.environment].digest, 0),
            benchmark_version=one.benchmark_version,
            metric_id=metrics.get((metric.quantity, metric.unit, metric.clock, metric.better), 0),
        )
        if identity in held:
            found[position] = held[identity]
    return found


def _chunks(known: Mapping[int, int]) -> Iterator[dict[int, int]]:
    items = list(known.items())
    for start in range(0, len(items), _TOGETHER):
        yield dict(items[start : start + _TOGETHER])


def _rerun(table: PointTable, series_id: int, revision_id: int, row: int) -> Rerun:
    spread = float(table.spread[row])
    known = None if np.isnan(spread) else spread
    return Rerun(series_id, revision_id, int(table.n[row]), float(table.median[row]), known)


def _told(
    records: SystemRecords, table: PointTable, differing: list[tuple[int, int]], *, may_replace: bool
) -> tuple[str, ...]:
    """The first of these contradictions in words, and how many more there are."""
    remedy = "import into a system of another name."
    if may_replace:
        remedy = f"give --reruns replace if it was measured anew, or {remedy}"
    shown = [
        f"{_sentence(records, table, series, row)} A point is not overwritten unasked: {remedy}"
        for series, row in differing[:_SHOWN]
    ]
    if len(differing) > _SHOWN:
        shown.append(f"... and {len(differing) - _SHOWN} more results like these.")
    return tuple(shown)


def _sentence(records: SystemRecords, table: PointTable, series: int, row: int) -> str:
    one = records.series[series]
    revision = records.revisions[int(table.revision[row])].name
    return (
        f"series {one.label or one.subject}: revision {revision} has another value here than the one in the file, "
        f"{table.median[row]:g}."
    )
