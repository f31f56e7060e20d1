"""Changes of values without noise: constant ones have none, and every step of the minimum effect is told as it is."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.changepoints.changes import ChangePointSettings, Reference
from analytics.changepoints.exact import exact_changes
from analytics.histories.measurements import Measurements

ONE_PERCENT = ChangePointSettings(minimum_effect=0.01)


def brackets(values: list[float], positions: list[int] | None = None) -> list[tuple[int, int]]:
    found = exact_changes(Measurements.of(positions or range(len(values)), values), ONE_PERCENT)
    return [(one.bracket_before, one.bracket_after) for one in found.changes]


@given(st.floats(1e-6, 1e15), st.integers(1, 50))
def test_a_constant_series_of_single_runs_has_no_change(value: float, n: int) -> None:
    found = exact_changes(Measurements.of(range(n), [value] * n))
    assert (found.changes, found.undecided, found.noise) == ((), (), 0.0)
    assert found.enough_data == (n > 1)


def test_one_step_is_one_certain_change_of_its_size() -> None:
    found = exact_changes(Measurements.of([0, 4, 9], [200.0, 200.0, 210.0]), ONE_PERCENT)
    (step,) = found.changes
    assert (step.bracket_before, step.bracket_after) == (4, 9)
    assert step.relative_size == step.relative_low == step.relative_high == pytest.approx(0.05)
    assert (step.absolute_size, step.reference, step.certainty) == (10.0, 200.0, 1.0)
    assert found.relative_to is Reference.LEVEL_BEFORE


def test_a_revision_that_stands_out_alone_is_two_changes() -> None:
    """Without noise there is no outlier."""
    assert brackets([100.0, 130.0, 100.0]) == [(0, 1), (1, 2)]


def test_a_step_below_the_minimum_effect_is_not_told() -> None:
    assert brackets([100.0, 100.9, 100.0, 100.9]) == []


def test_small_steps_that_add_up_are_one_change_from_the_last_revision_at_the_old_level() -> None:
    assert brackets([100.0, 100.0, 100.4, 100.8, 101.2, 101.2]) == [(1, 4)]


def test_values_that_may_be_zero_are_measured_by_their_usual_size() -> None:
    found = exact_changes(Measurements.of(range(4), [0.0, 50.0, 50.0, 50.0]), ONE_PERCENT)
    assert [one.relative_size for one in found.changes] == [1.0]
    assert found.relative_to is Reference.MEDIAN_MAGNITUDE


@given(st.lists(st.sampled_from([100.0, 100.5, 103.0, 107.0, 90.0]), min_size=2, max_size=30))
def test_every_step_of_the_minimum_effect_is_told_and_none_of_equal_values(values: list[float]) -> None:
    found = brackets(values)
    for at in range(1, len(values)):
        if abs(values[at] / values[at - 1] - 1) >= 0.01:
            assert (at - 1, at) in found
    assert all(values[before] != values[after] for before, after in found)
    assert all(first[1] <= second[0] for first, second in pairwise(found))
