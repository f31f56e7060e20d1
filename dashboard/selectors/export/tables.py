"""What there is too much of for one object each: measurements and points of imported series, as arrays."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from dashboard.importers.bundle.files import KEYS, record_class
from dashboard.importers.record_fields import fields_of
from dashboard.importers.record_tables import FloatArray, IntArray, PointTable
from dashboard.importers.records import SeriesRecord
from dashboard.models import Batch, Configuration, Measurement, Point, Run, Series, System
from dashboard.selectors.record_columns import Positions, column_of, load_values

# The columns of a table, with the ids of what they refer to.
Columns = dict[str, NDArray[Any]]
# Terms and regions have histories that are computed from runs.
_KINDS = (Series.SubjectKind.BENCHMARK, Series.SubjectKind.CONFIGURATION)
# Rows that are Python's objects at a time: an archive has millions of points.
_CHUNK = 20_000


def imported_points(system: System) -> tuple[dict[int, Series], Columns]:
    """The visible points that do not come from end-to-end runs, and their series by id."""
    series = Series.objects.filter(system=system, subject_kind__in=_KINDS).in_bulk()
    rows = Point.objects.filter(
        series__system=system, series__subject_kind__in=_KINDS, batch__state=Batch.State.VISIBLE
    ).order_by()
    columns = load_columns(PointTable, rows)
    by_key: dict[tuple[object, ...], int] = {
        (one.subject, one.workload_id, one.environment_id, one.metric_id): pk
        for pk, one in series.items()
        if one.subject_kind == Series.SubjectKind.CONFIGURATION
    }
    # The pairs of series and revision whose points runs made.
    measured = (
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
    pairs = [(by_key.get((subject, *rest), 0), revision) for subject, *rest, revision in measured]
    of_runs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    imported = ~np.isin(_pairs(columns["series"], columns["revision"]), _pairs(of_runs[:, 0], of_runs[:, 1]))
    columns = {name: column[imported] for name, column in columns.items()}
    used = set(np.unique(columns["series"]).tolist())
    return {pk: one for pk, one in series.items() if pk in used}, columns


def series_records(
    system: System, series: Mapping[int, Series], positions: Positions
) -> tuple[SeriesRecord, ...]:
    """These series in an order of their content; keeps their positions."""
    rows = Series.objects.filter(system=system)
    identities = dict(Configuration.objects.filter(system=system).values_list("identity", "pk"))
    others = set(rows.values_list("pk", flat=True)) - series.keys()
    records = {}
    for pk, values in load_values(SeriesRecord, rows, positions, left_out=others):
        if series[pk].subject_kind == Series.SubjectKind.CONFIGURATION:
            configuration = positions["configurations"][identities[values["subject"]]]
            values |= {"subject": "", "configuration": configuration}
        records[pk] = SeriesRecord(**values)

    def key(pk: int) -> tuple[object, ...]:
        one = records[pk]
        place = (one.workload, one.environment, one.metric)
        return (one.subject, one.configuration or 0, *place, one.benchmark_version)

    ordered = sorted(records, key=key)
    positions["series"] = {pk: position for position, pk in enumerate(ordered)}
    return tuple(records[pk] for pk in ordered)


def _pairs(series: IntArray, revision: IntArray) -> IntArray:
    return (series << 32) | revision


def load_columns(table_class: type, rows: QuerySet[Any]) -> Columns:
    """The rows by column, in their order, with the ids of what they refer to; unknown numbers are NaN."""
    fields = fields_of(table_class)
    plain = {IntArray: np.int64, FloatArray: np.float64}
    dtypes = {field.name: np.dtype(plain.get(field.shape, np.object_)) for field in fields}
    parts = {name: [np.empty(0, dtype)] for name, dtype in dtypes.items()}
    stream = rows.values_list(*map(column_of, fields)).iterator(chunk_size=_CHUNK)
    while chunk := list(islice(stream, _CHUNK)):
        for name, cells in zip(parts, zip(*chunk, strict=True), strict=True):
            parts[name].append(np.array(cells, dtype=dtypes[name]))
    return {name: np.concatenate(some) for name, some in parts.items()}


def load_table(collection: str, rows: QuerySet[Any], positions: Positions) -> Any:
    """The table of a field of `SystemRecords`, which `rows` are, ordered by its key."""
    return table_of(collection, load_columns(record_class(collection), rows), positions)


def table_of(collection: str, columns: Columns, positions: Positions) -> Any:
    """The table of these columns with positions in place of ids, ordered by its key."""
    table_class = record_class(collection)
    placed = dict(columns)
    for field in fields_of(table_class):
        if field.collection:
            ids, where = np.unique(columns[field.name], return_inverse=True)
            position = positions[field.collection]
            placed[field.name] = np.array([position[pk] for pk in ids.tolist()], dtype=np.int64)[where]
    _, key = KEYS[collection]
    order = np.lexsort(tuple(placed[name] for name in reversed(key)))
    content: dict[str, Any] = {name: column[order] for name, column in placed.items()}
    for name, column in content.items():
        if column.dtype == np.object_:
            content[name] = {row: value for row, value in enumerate(column.tolist()) if value is not None}
    return table_class(**content)
