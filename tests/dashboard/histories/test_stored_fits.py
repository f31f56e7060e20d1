"""The arrays of stored fits as bytes."""

import io

import numpy as np
import pytest

from dashboard.selectors.histories.stored_fits import pack, unpack


@pytest.mark.parametrize("length", [0, 3, 1000])
def test_a_stored_fit_is_two_arrays_as_numpy_saves_them(length: int) -> None:
    """Fits that another version wrote, or reads, are the same to the byte."""
    revisions, levels = np.arange(length, dtype=np.int64) + 7, np.linspace(0.5, 2.0, length)
    expected = io.BytesIO()
    for one in (revisions.astype("<i8"), levels.astype("<f8")):
        np.save(expected, one, allow_pickle=False)
    assert pack(revisions, levels) == expected.getvalue()
    found = unpack(pack(revisions, levels))
    assert [one.tolist() for one in found] == [revisions.tolist(), levels.tolist()]
