"""The arrays of a stored fit, packed without pickle: estimates at the measured revisions, and every change."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analytics.changepoints import ChangePoint

_CHANGE = np.dtype(
    [
        ("before", "<i8"),
        ("after", "<i8"),
        ("absolute", "<f8"),
        ("relative", "<f8"),
        ("low", "<f8"),
        ("high", "<f8"),
        ("probability", "<f8"),
    ]
)


def pack(
    revisions: Sequence[int],
    levels: NDArray[np.float64],
    changes: Sequence[ChangePoint],
    ids: Mapping[int, int],
) -> bytes:
    """The bytes of a fit; `ids` are those of the revisions by position."""
    rows = [
        (
            ids[change.bracket_before],
            ids[change.bracket_after],
            change.absolute_size,
            change.relative_size,
            change.relative_low,
            change.relative_high,
            change.location_probability,
        )
        for change in changes
    ]
    out = io.BytesIO()
    np.save(out, np.array(revisions, dtype="<i8"), allow_pickle=False)
    np.save(out, levels.astype("<f8"), allow_pickle=False)
    np.save(out, np.array(rows, dtype=_CHANGE), allow_pickle=False)
    return out.getvalue()


def unpack(packed: bytes) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.void]]:
    """The measured revisions (ids), in order, the levels there in the metric's unit, (n,) each, and the changes.

    The changes have a field per figure: revisions `before` and `after`, `absolute` and `relative` size, the 95 % interval
    `low` to `high`, and the `probability` of this bracket.
    """
    stream = io.BytesIO(packed)
    revisions, levels, changes = (np.load(stream, allow_pickle=False) for _ in range(3))
    # Fits of earlier versions hold half as many digits.
    return revisions, levels.astype(np.float64), changes
