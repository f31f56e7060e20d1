"""Series that came as aggregates, as records. For the selector of whole systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.record_tables import IntArray, PointTable
from dashboard.importers.records import SeriesRecord
from dashboard.models import Batch, Configuration, Measurement, Point, Run, Series, System
from dashboard.selectors.export.runs import Places

# Terms and regions have histories that are computed from runs.
_KINDS = (Series.SubjectKind.BENCHMARK, Series.SubjectKind.CONFIGURATION)
_POINT = np.dtype(
    [
        ("series", "<i8"),
        ("revision", "<i8"),
        ("batch", "<i8"),
        ("n", "<i8"),
        ("median", "<f8"),
        ("spread", "<f8"),
    ]
)
_COLUMNS = ("series_id", "revision_id", "batch_id", "n", "median", "spread")
# Points that are Python's objects at a time: an archive has millions.
_CHUNK = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class ImportedPoints:
    """The series of these points, by id, and the points themselves with the ids of what they refer to."""

    series: dict[int, Series]
    rows: NDArray[np.void]


def imported_points(system: System) -> ImportedPoints:
    """The visible points that do not come from end-to-end runs."""
    series = Series.objects.filter(system=system, subject_kind__in=_KINDS).in_bulk()
    found = Point.objects.filter(
        series__system=system, series__subject_kind__in=_KINDS, batch__state=Batch.State.VISIBLE
    ).order_by()
    stream = found.values_list(*_COLUMNS).iterator(chunk_size=_CHUNK)
    parts = [np.empty(0, dtype=_POINT)]
    while chunk := list(islice(stream, _CHUNK)):
        # None becomes NaN.
        parts.append(np.array(chunk, dtype=_POINT))
    rows = np.concatenate(parts)
    rows = rows[~np.isin(_pairs(rows["series"], rows["revision"]), _measured(system, series))]
    used = set(np.unique(rows["series"]).tolist())
    return ImportedPoints({pk: one for pk, one in series.items() if pk in used}, rows)


def _measured(system: System, series: dict[int, Series]) -> IntArray:
    """The pairs of series and revision whose points runs made."""
    by_key: dict[tuple[object, ...], int] = {
        (one.subject, one.workload_id, one.environment_id, one.metric_id): pk
        for pk, one in series.items()
        if one.subject_kind == Series.SubjectKind.CONFIGURATION
    }
    keys = (
        Measurement.objects.filter(run__batch__system=system, run__kind=Run.Kind.PLAIN)
        .values_list(
            "run__configuration__identity",
            "run__workload_id",
            "run__environment_id",
            "metric_id",
            "run__revision_id",
        )
        .distinct()
    )
    pairs = [(by_key.get((subject, *rest), 0), revision) for subject, *rest, revision in keys]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return _pairs(columns[:, 0], columns[:, 1])


def _pairs(series: IntArray, revision: IntArray) -> IntArray:
    return (series << 32) | revision


def series_and_points(
    system: System, points: ImportedPoints, places: Places, revisions: dict[int, int]
) -> tuple[tuple[SeriesRecord, ...], PointTable]:
    """The series of these points and the points, both in an order of their content."""
    identities = dict(Configuration.objects.filter(system=system).values_list("identity", "pk"))
    workloads = dict(system.workloads.values_list("pk", "name"))

    def record(series: Series) -> SeriesRecord:
        is_benchmark = series.subject_kind == Series.SubjectKind.BENCHMARK
        return SeriesRecord(
            workload=workloads[series.workload_id],
            environment=places.environments[series.environment_id],
            metric=places.metrics[series.metric_id],
            subject=series.subject if is_benchmark else "",
            configuration=None if is_benchmark else places.configurations[identities[series.subject]],
            benchmark_version=series.benchmark_version,
            label=series.label,
        )

    records = {pk: record(one) for pk, one in points.series.items()}
    ordered = sorted(records, key=lambda pk: _key(records[pk]))
    place = {pk: position for position, pk in enumerate(ordered)}
    return tuple(records[pk] for pk in ordered), _table(points.rows, place, places, revisions)


def _key(one: SeriesRecord) -> tuple[object, ...]:
    return (
        one.subject,
        one.configuration or 0,
        one.workload,
        one.environment,
        one.metric,
        one.benchmark_version,
    )


def _table(
    rows: NDArray[np.void], place: dict[int, int], places: Places, revisions: dict[int, int]
) -> PointTable:
    series = _placed(rows["series"], place)
    revision = _placed(rows["revision"], revisions)
    order = np.lexsort((revision, series))
    return PointTable(
        series[order],
        revision[order],
        _placed(rows["batch"], places.batches)[order],
        rows["n"][order],
        rows["median"][order],
        rows["spread"][order],
    )


def _placed(ids: IntArray, place: Mapping[int, int]) -> IntArray:
    """The position of each id."""
    known, where = np.unique(ids, return_inverse=True)
    return np.array([place[pk] for pk in known.tolist()], dtype=np.int64)[where]
