"""What is compared has no gaps, no zeros, and values that the clock told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.workloads.sample import clock_step, complete_sample

ROWS = np.arange(6, dtype=np.int8).reshape(-1, 1)
VALUES = np.array([1.1, 2.3, 1.7, 3.1, 2.9, 4.3])


def test_a_configuration_that_one_workload_lacks_is_left_out() -> None:
    values = np.column_stack([VALUES, VALUES * 7])
    values[2, 1] = np.nan
    found = complete_sample(ROWS, values, ["a", "b"])
    assert found.configurations[:, 0].tolist() == [0, 1, 3, 4, 5]
    assert (found.workloads, found.left_out, found.without) == (("a", "b"), (), 1)


def test_a_workload_in_which_little_was_measured_is_left_out() -> None:
    values = np.column_stack([VALUES, VALUES * 7, VALUES])
    values[1:, 2] = np.nan
    found = complete_sample(ROWS, values, ["a", "b", "c"])
    assert (found.workloads, found.left_out) == (("a", "b"), (("c", "missing"),))
    assert found.is_enough


def test_values_of_zero_have_no_factor_and_coarse_ones_tell_none() -> None:
    steps = np.round(np.linspace(0.02, 0.04, 40), 2)
    fine = np.linspace(1.01, 2.3, 40) ** 2
    zero = np.where(np.arange(40) == 3, 0.0, fine)
    rows = np.zeros((40, 1), dtype=np.int8)
    found = complete_sample(rows, np.column_stack([fine, steps, zero, np.full(40, np.nan)]), list("abcd"))
    assert found.workloads == ("a",)
    assert dict(found.left_out) == {"b": "coarse", "c": "zero", "d": "missing"}
    assert not found.is_enough


def test_where_nothing_was_measured_nothing_is_compared() -> None:
    found = complete_sample(ROWS, np.full((6, 2), np.nan), ["a", "b"])
    assert (len(found.values), found.workloads, found.is_enough) == (0, (), False)


@given(st.integers(-4, 3), st.sampled_from([1.0, 0.5]))
def test_the_step_of_a_clock_is_found(places: int, part: float) -> None:
    step = part * 10.0**places
    values = np.repeat(np.array([3, 4, 5, 7]), 5) * step
    assert clock_step(values) == pytest.approx(step)
    assert clock_step(np.random.default_rng(1).random(50)) == 0.0
