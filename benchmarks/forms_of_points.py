"""Forms in which points can be stored, for benches: the rows as they are, lean rows, blocks of one series, blocks of one revision.

Each form is a table beside the rows, made of the points of some series; what a point takes of it, how long one series takes to read, and
two revisions of all these series. Django is set up before this is imported.
"""

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from dashboard.models import Point

COLUMNS = ("series_id", "revision_id", "n", "median", "spread")
_KINDS = ("i8", "<i4", "<i4", "<f8", "<f8")
_BYTES = {"postgresql": "bytea", "sqlite": "blob"}
_ROUNDS, _PATIENCE_SECONDS = 40, 20.0


@dataclass(frozen=True, slots=True)
class FormMeasured:
    """Bytes of a point with all indexes, and milliseconds: one series as arrays, and two revisions of all series."""

    name: str
    bytes_a_point: float
    series_ms: float
    revisions_ms: float


def measured_forms(series: Sequence[int]) -> Iterator[FormMeasured]:
    """Make each form of the points of these series, measure it, and take it away again."""
    rows = list(
        Point.objects.filter(series_id__in=series).order_by("series_id", "revision_id").values_list(*COLUMNS)
    )
    points = [np.array(column, kind) for column, kind in zip(zip(*rows, strict=True), _KINDS, strict=True)]
    revisions = np.unique(points[1])
    pair = (int(revisions[len(revisions) // 2]), int(revisions[len(revisions) // 2 + 1]))
    total = Point.objects.count()
    yield FormMeasured(
        "rows as they are",
        size_of("dashboard_point") / total,
        _ms(
            lambda at: _arrays(
                _all(
                    "SELECT series_id, revision_id, n, median, spread FROM dashboard_point WHERE series_id = %s",
                    at,
                )
            ),
            series,
        ),
        # All rows of the table are looked through: of more points it takes longer.
        _ms(
            lambda _: _all(
                "SELECT series_id, median FROM dashboard_point WHERE revision_id IN (%s, %s)", *pair
            ),
            [0],
        ),
    )
    for make in (_lean_rows, _series_blocks, _packed_series_blocks, _revision_blocks):
        yield make(points, series, pair)
        _do("DROP TABLE bench_points")


def _lean_rows(points: list[NDArray[Any]], series: Sequence[int], pair: tuple[int, int]) -> FormMeasured:
    """Neither id nor batch nor adjustment; series and revision are the key."""
    end = "WITHOUT ROWID" if connection.vendor == "sqlite" else ""
    _do(
        "CREATE TABLE bench_points (series_id integer, revision_id integer, n integer, median double precision, "
        f"spread double precision, PRIMARY KEY (series_id, revision_id)) {end}"
    )
    _fill(5, zip(*(column.tolist() for column in points), strict=True))
    return _measured(
        "lean rows",
        len(points[0]),
        lambda one: _arrays(_all("SELECT * FROM bench_points WHERE series_id = %s", one)),
        lambda: _all("SELECT series_id, median FROM bench_points WHERE revision_id IN (%s, %s)", *pair),
        series,
    )


def _series_blocks(
    points: list[NDArray[Any]], series: Sequence[int], pair: tuple[int, int], *, packs: bool = False
) -> FormMeasured:
    """All points of a series in one row of packed columns: 24 bytes a point before the database, or we, compress it."""
    _do(f"CREATE TABLE bench_points (id integer PRIMARY KEY, packed {_BYTES[connection.vendor]})")
    ends = np.searchsorted(points[0], series, side="right").tolist()
    blocks = [
        b"".join(column[at:end].tobytes() for column in points[1:])
        for at, end in zip([0, *ends], ends, strict=False)
    ]
    _fill(2, zip(series, map(zlib.compress, blocks) if packs else blocks, strict=True))

    def read(row: Sequence[Any]) -> list[NDArray[Any]]:
        return _unpacked(zlib.decompress(row[0]) if packs else bytes(row[0]))

    def both() -> list[Any]:
        columns = (read(row) for row in _all("SELECT packed FROM bench_points"))
        return [values[np.isin(places, pair)] for places, _, values, _ in columns]

    return _measured(
        "blocks of a series" + (", compressed" if packs else ""),
        len(points[0]),
        lambda one: read(_all("SELECT packed FROM bench_points WHERE id = %s", one)[0]),
        both,
        series,
    )


def _packed_series_blocks(
    points: list[NDArray[Any]], series: Sequence[int], pair: tuple[int, int]
) -> FormMeasured:
    """The same, compressed by zlib."""
    return _series_blocks(points, series, pair, packs=True)


def _revision_blocks(
    points: list[NDArray[Any]], series: Sequence[int], pair: tuple[int, int]
) -> FormMeasured:
    """All points of a revision in one row: the other order, beside one by series."""
    _do(f"CREATE TABLE bench_points (id integer PRIMARY KEY, packed {_BYTES[connection.vendor]})")
    order = np.argsort(points[1], kind="stable")
    columns = [points[at][order] for at in (1, 0, 2, 3, 4)]
    revisions, starts = np.unique(columns[0], return_index=True)
    columns[1] = columns[1].astype("<i4")
    parts = zip(starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True)
    blocks = (b"".join(column[at:end].tobytes() for column in columns[1:]) for at, end in parts)
    _fill(2, zip(revisions.tolist(), blocks, strict=True))

    def both() -> list[Any]:
        return [
            _unpacked(bytes(row[0]))
            for row in _all("SELECT packed FROM bench_points WHERE id IN (%s, %s)", *pair)
        ]

    return _measured("blocks of a revision", len(order), None, both, series)


def _measured(
    name: str,
    points: int,
    one: Callable[[int], object] | None,
    both: Callable[[], object],
    series: Sequence[int],
) -> FormMeasured:
    if connection.vendor == "postgresql":
        _do("VACUUM ANALYZE bench_points")
    of_one = float("nan") if one is None else _ms(one, series)
    return FormMeasured(name, size_of("bench_points") / points, of_one, _ms(lambda _: both(), [0]))


def _unpacked(block: bytes) -> list[NDArray[Any]]:
    """Places, numbers, medians and spreads of a block."""
    n = len(block) // 24
    return [np.frombuffer(block, kind, n, at * n) for kind, at in zip(_KINDS[1:], (0, 4, 8, 16), strict=True)]


def _arrays(rows: list[Any]) -> list[NDArray[Any]]:
    return [np.array(column, kind) for column, kind in zip(zip(*rows, strict=True), _KINDS, strict=True)]


def size_of(table: str) -> int:
    """Bytes of a table with its indexes and what stands beside it."""
    if connection.vendor == "postgresql":
        return int(_all("SELECT pg_total_relation_size(%s)", table)[0][0])
    own = "SELECT name FROM sqlite_master WHERE tbl_name = %s"
    return int(_all(f"SELECT SUM(pgsize) FROM dbstat WHERE name IN ({own})", table)[0][0])  # noqa: S608 -- no input


def _ms(read: Callable[[int], object], over: Sequence[int]) -> float:
    """The median milliseconds of a read; those beyond twenty seconds are not made."""
    taken: list[float] = []
    for one in np.random.default_rng(1).choice(over, _ROUNDS if len(over) > 1 else 5).tolist():
        if sum(taken) > _PATIENCE_SECONDS:
            break
        began = time.perf_counter()
        read(one)
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1e3


def _all(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[Any] = cursor.fetchall()
        return rows


def _do(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _fill(width: int, rows: Any) -> None:
    with connection.cursor() as cursor, suppress(StopIteration):
        cursor.executemany(f"INSERT INTO bench_points VALUES ({', '.join(['%s'] * width)})", rows)  # noqa: S608 -- no input
