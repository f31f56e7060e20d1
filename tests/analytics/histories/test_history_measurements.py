"""Measured points: sorted, merged and checked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.histories.errors import HistoryError
from analytics.histories.measurements import Measurements


def test_points_are_sorted_by_position() -> None:
    points = Measurements.of([5, 1, 3], [50.0, 10.0, 30.0], [2, 3, 4], [0.5, 0.1, 0.3])
    assert points.positions.tolist() == [1, 3, 5]
    assert points.values.tolist() == [10.0, 30.0, 50.0]
    assert points.repetitions.tolist() == [3, 4, 2]
    assert points.spreads.tolist() == [0.1, 0.3, 0.5]


@given(
    st.lists(st.floats(0.1, 10.0), min_size=2, max_size=6),
    st.lists(st.floats(0.1, 10.0), min_size=2, max_size=6),
)
def test_points_of_one_position_merge_as_if_their_runs_were_one_group(a: list[float], b: list[float]) -> None:
    merged = Measurements.of(
        [7, 7],
        [float(np.mean(a)), float(np.mean(b))],
        [len(a), len(b)],
        [float(np.std(a, ddof=1)), float(np.std(b, ddof=1))],
    )
    together = np.array(a + b)
    assert merged.positions.tolist() == [7]
    assert merged.repetitions[0] == len(together)
    assert merged.values[0] == pytest.approx(together.mean())
    assert merged.spreads[0] == pytest.approx(together.std(ddof=1), abs=1e-12)


def test_single_runs_of_one_position_tell_a_spread_together() -> None:
    merged = Measurements.of([1, 2, 2], [1.0, 2.0, 4.0])
    assert np.isnan(merged.spreads[0])
    assert merged.spreads[1] == pytest.approx(np.std([2.0, 4.0], ddof=1))


def test_the_spread_of_a_single_run_is_unknown() -> None:
    assert np.isnan(Measurements.of([1, 2], [1.0, 2.0], [1, 3], [0.0, 0.1]).spreads[0])


def test_standard_errors_of_one_position_merge_by_weight() -> None:
    merged = Measurements.of([3, 3], [1.0, 2.0], [1, 3], errors=[0.4, 0.2])
    assert merged.values[0] == pytest.approx(1.75)
    assert merged.errors[0] == pytest.approx(np.hypot(0.4, 3 * 0.2) / 4)


def test_arrays_cannot_be_changed() -> None:
    points = Measurements.of([1], [1.0])
    with pytest.raises(ValueError, match="read-only"):
        points.values[0] = 2.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "not empty"),
        (([1, 2], [1.0]), "equally long"),
        (([1, 2], [1.0, np.nan]), "position 2 is not finite"),
        (([1.5], [1.0]), "whole number"),
        (([1], [1.0], [0]), "0 repetitions"),
        (([1], [1.0], [2], [-0.1]), "spread at position 1"),
        (([1], [1.0], [2], [0.1], [np.inf]), "error at position 1"),
    ],
)
def test_bad_points_are_refused_with_their_place(arguments: tuple[list[float], ...], message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        Measurements.of(*arguments)  # type: ignore[arg-type]  # wrong on purpose
