"""Series that came as aggregates, as records. For the selector of whole systems."""

import math

import numpy as np

from dashboard.importers.records import PointTable, SeriesRecord
from dashboard.models import Batch, Configuration, Measurement, Point, Run, Series, System
from dashboard.selectors.system_runs import Places

# Terms and regions have histories that are computed from runs.
_KINDS = (Series.SubjectKind.BENCHMARK, Series.SubjectKind.CONFIGURATION)


def imported_points(system: System) -> list[Point]:
    """The visible points that do not come from end-to-end runs, each with its series."""
    found = Point.objects.filter(
        series__system=system, series__subject_kind__in=_KINDS, batch__state=Batch.State.VISIBLE
    ).select_related("series")
    measured = set(
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
    return [
        point
        for point in found
        if (
            point.series.subject,
            point.series.workload_id,
            point.series.environment_id,
            point.series.metric_id,
            point.revision_id,
        )
        not in measured
    ]


def series_and_points(
    system: System, points: list[Point], places: Places, revisions: dict[int, int]
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
        )

    records = {point.series_id: record(point.series) for point in points}
    ordered = sorted(records, key=lambda pk: _key(records[pk]))
    place = {pk: position for position, pk in enumerate(ordered)}
    table = _table(points, place, places, revisions)
    return tuple(records[pk] for pk in ordered), table


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
    points: list[Point], place: dict[int, int], places: Places, revisions: dict[int, int]
) -> PointTable:
    rows = sorted(
        (
            place[point.series_id],
            revisions[point.revision_id],
            places.batches[point.batch_id],
            point.n,
            point.median,
            math.nan if point.spread is None else point.spread,
        )
        for point in points
    )
    columns = list(zip(*rows, strict=True)) or [()] * 6
    series, revision, batch, n = (np.array(column, dtype=np.int64) for column in columns[:4])
    median, spread = (np.array(column, dtype=np.float64) for column in columns[4:])
    return PointTable(series, revision, batch, n, median, spread)
