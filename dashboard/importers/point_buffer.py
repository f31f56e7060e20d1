"""Points on their way from the files to the database, in a temporary file: memory does not grow with their number."""

import tempfile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.record_tables import FloatArray, IntArray, PointTable

_POINT = np.dtype(
    [("series", "<i4"), ("revision", "<i4"), ("n", "<i4"), ("median", "<f8"), ("spread", "<f8")]
)
_CHUNK = 1 << 18


class PointBuffer:
    """Takes points in any order; `table` hands them out by series and revision. All belong to the first batch.

    They lie in a temporary `file`; what `table` gave out stays when that is closed. `count` points lie there already.
    """

    def __init__(self, file: IO[bytes], count: int = 0) -> None:
        self._file = file
        self._count = count

    def __len__(self) -> int:
        """Return the number of points."""
        return self._count

    def add(
        self, series: IntArray, revision: IntArray, n: IntArray, median: FloatArray, spread: FloatArray
    ) -> None:
        """Append points by column, each of shape (m,); the first three fit into 32 bits."""
        rows = np.empty(len(series), dtype=_POINT)
        for name, column in zip(_POINT.names or (), (series, revision, n, median, spread), strict=True):
            rows[name] = column
        self._file.write(rows.tobytes())
        self._count += len(rows)

    def add_all(self, other: "PointBuffer", series: IntArray, revisions: IntArray) -> None:
        """Append the points of another buffer, whose series and revisions have these places here."""
        for start in range(0, len(other), _CHUNK):
            rows = other.rows(start)
            rows["series"] = series[rows["series"]]
            rows["revision"] = revisions[rows["revision"]]
            self._file.write(rows.tobytes())
        self._count += len(other)

    def rows(self, start: int) -> NDArray[np.void]:
        """Some points from this one on, as they were added."""
        self._file.seek(start * _POINT.itemsize)
        rows = self._file.read(min(_CHUNK, self._count - start) * _POINT.itemsize)
        return np.frombuffer(rows, dtype=_POINT).copy()

    def table(self) -> PointTable:
        """All points, in the order in which tables take them fastest; columns are views of a file."""
        if not self._count:
            return PointTable()
        self._file.flush()
        taken = np.memmap(self._file, dtype=_POINT, mode="r", shape=(self._count,))
        key = taken["series"].astype(np.int64) << 32
        key |= taken["revision"]
        order = np.argsort(key, kind="stable")
        with tempfile.TemporaryFile() as file:
            file.truncate(self._count * _POINT.itemsize)
            placed = np.memmap(file, dtype=_POINT, mode="r+", shape=(self._count,))
            for start in range(0, self._count, _CHUNK):
                placed[start : start + _CHUNK] = taken[order[start : start + _CHUNK]]
        return PointTable(
            placed["series"],
            placed["revision"],
            np.broadcast_to(np.int64(0), self._count),
            placed["n"],
            placed["median"],
            placed["spread"],
        )
