"""The arrays of a stored fit as bytes, without pickle: estimates at the measured revisions, and all changes."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import BinaryField, F
from django.db.models.functions import Substr
from numpy.typing import NDArray

from analytics.findings import SeriesChange
from dashboard.selectors.histories.columns import PointColumns
from dashboard.selectors.histories.rows import ChangeRow, DriftRow

# A change as it is stored: revisions by their ids, so that one found later shifts nothing.
_CHANGE = np.dtype(
    [(name, "<i8") for name in ("before", "after", "earliest", "latest")]
    + [(name, "<f8") for name in ("size", "relative", "low", "high", "certainty")]
    + [(name, "?") for name in ("is_candidate", "is_worse")]
)
CHANGE_BYTES = _CHANGE.itemsize


def pack(revisions: NDArray[np.int64], levels: NDArray[np.float64]) -> bytes:
    """The bytes of a fit: the levels at the measured revisions (ids)."""
    arrays = (revisions.astype("<i8"), levels.astype("<f8"))
    return b"".join(part for one in arrays for part in (header(one.dtype.str, len(one)), one.tobytes()))


def pack_points(columns: PointColumns) -> bytes:
    """The bytes of the points of a fit, at the revisions of `pack`: medians, spreads and repetitions, of these one where all are equal."""
    n = columns.repetitions
    repetitions = n[:1] if len(n) and (n == n[0]).all() else n
    arrays = (columns.medians.astype("<f8"), columns.spreads.astype("<f8"), repetitions.astype("<i8"))
    return b"".join(one.tobytes() for one in arrays)


def unpack_points(packed: bytes, count: int) -> tuple[NDArray[Any], ...]:
    """Repetitions, medians and spreads of so many points, (n,) each."""
    values = np.frombuffer(packed, "<f8", 2 * count)
    repetitions = np.frombuffer(packed, "<i8", offset=values.nbytes)
    return np.broadcast_to(repetitions, count), values[:count], values[count:]


# Thousands of fits have the same few hundred lengths; numpy takes longer for it than for all else.
@lru_cache(maxsize=4096)
def header(kind: str, length: int) -> bytes:
    """What `np.save` writes before the numbers of a flat array."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": kind, "fortran_order": False, "shape": (length,)})
    return out.getvalue()


def unpack(packed: bytes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The measured revisions (ids), in order, and the levels there in the metric's unit, (n,) each."""
    stream = io.BytesIO(packed)
    # Fits of earlier versions hold half as many digits, and the changes behind them.
    revisions, levels = (np.load(stream, allow_pickle=False) for _ in range(2))
    return revisions, levels.astype(np.float64)


# Of the rows of fits: the part of `packed` that holds the measured revisions, behind what `np.save` writes before them.
PACKED_REVISIONS = Substr("packed", 1, len(header("<i8", 0)) + 8 * F("measured"), output_field=BinaryField())


def unpack_revisions(packed: bytes) -> NDArray[np.int64]:
    """The measured revisions (ids) alone, from `PACKED_REVISIONS`: a fifth of the time."""
    return np.frombuffer(packed, "<i8", offset=len(header("<i8", 0)))


def pack_changes(changes: Sequence[ChangeRow]) -> bytes:
    """The bytes of the changes of a fit."""
    rows = [
        (
            *(place.revision_id for place in (one.before, one.after, one.earliest, one.latest)),
            *(one.size, one.relative, one.low, one.high, one.certainty),
            *(one.is_candidate, one.is_slower),
        )
        for one in changes
    ]
    return np.array(rows, dtype=_CHANGE).tobytes()


def pack_series_changes(changes: Sequence[SeriesChange], revisions: Mapping[int, int]) -> bytes:
    """The bytes of changes on an axis of `revisions`, ids by position."""
    rows = [
        (
            *(revisions[place] for place in (one.before, one.after, one.earliest, one.latest)),
            *(one.size, one.relative, one.low, one.high, one.certainty),
            *(one.is_candidate, one.is_worse),
        )
        for one in changes
    ]
    return np.array(rows, dtype=_CHANGE).tobytes()


def pack_drift(row: DriftRow | None) -> bytes:
    """The bytes of a slow drift, which reaches from one revision to another; empty where there is none."""
    if row is None:
        return b""
    ends = (row.first.revision_id, row.last.revision_id)
    numbers = (row.size, row.relative, row.low, row.high, row.certainty)
    return np.array([(*ends, *ends, *numbers, row.is_candidate, row.is_slower)], dtype=_CHANGE).tobytes()


def unpack_changes(
    series: int, packed: bytes, positions: Mapping[int, int], *, is_slow: bool = False, of_share: bool = False
) -> list[SeriesChange]:
    """The changes of a stored fit, or its slow drift, or those of a region's share of the whole, at their places on the axis, `positions` by the id of the revision.

    Those between revisions that are in the order no more are left out.
    """
    return [
        replace(
            SeriesChange(
                series,
                positions[before],
                positions[after],
                positions[earliest],
                positions[latest],
                *further,
            ),
            is_slow=is_slow,
            of_share=of_share,
        )
        for before, after, earliest, latest, *further in np.frombuffer(packed, _CHANGE).tolist()
        if positions.keys() >= {before, after, earliest, latest}
    ]
