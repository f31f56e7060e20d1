"""Where a benchmark was changed a new level begins, and nothing is told of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.breaks import find_between_breaks
from analytics.changepoints.exact import exact_changes
from analytics.changepoints.slow_drift import find_drift
from analytics.histories.measurements import Measurements

SETTINGS = ChangePointSettings()


def series(*levels: tuple[int, float], seed: int = 1) -> Measurements:
    """So many points at each level, with noise of 1 %, at every second position."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.full(n, level) for n, level in levels])
    return Measurements.of(2 * np.arange(len(values)), values * np.exp(0.01 * rng.normal(size=len(values))))


def test_a_step_at_a_break_is_no_change_and_others_are_found_as_ever() -> None:
    measured = series((30, 1.0), (30, 2.0), (30, 3.0))
    assert [one.bracket_after for one in find_change_points(measured, SETTINGS).changes] == [60, 120]
    for at in (59, 60):
        found = find_between_breaks(measured, replace(SETTINGS, breaks=(at,)))
        assert [one.bracket_after for one in found.changes] == [120]
        (change,) = found.changes
        assert change.relative_size == pytest.approx(0.5, abs=0.02)
        assert change.earliest >= 60


def test_nothing_is_told_across_a_break() -> None:
    """The break lies beside the step: what is left of it is a step of its own, on one side."""
    measured = series((30, 1.0), (30, 2.0))
    found = find_between_breaks(measured, replace(SETTINGS, breaks=(40,)))
    assert [one.bracket_after for one in found.changes] == [60]
    assert all(one.bracket_before >= 40 for one in found.changes)


@given(st.lists(st.integers(-5, 130), max_size=4), st.integers(0, 9))
def test_breaks_that_part_nothing_change_nothing_and_no_bracket_holds_one(
    breaks: list[int], seed: int
) -> None:
    measured = series((20, 1.0), (20, 1.3), (20, 1.0), seed=seed)
    found = find_between_breaks(measured, replace(SETTINGS, breaks=tuple(breaks)))
    for change in found.changes:
        assert not any(change.bracket_before < at <= change.bracket_after for at in breaks)
    outside = tuple(at for at in breaks if at <= 0 or at > 118)
    assert find_between_breaks(measured, replace(SETTINGS, breaks=outside)) == find_change_points(
        measured, SETTINGS
    )


def test_exact_values_have_breaks_too() -> None:
    measured = Measurements.of(np.arange(6), [10.0, 10.0, 20.0, 20.0, 30.0, 30.0])
    found = find_between_breaks(measured, replace(SETTINGS, breaks=(2,)), exact_changes)
    assert [one.bracket_after for one in found.changes] == [4]


def test_a_drift_begins_behind_the_last_break() -> None:
    """What rises before the benchmark was changed and stays level after it does not drift."""
    rise = np.concatenate([np.linspace(1.0, 1.2, 60), np.full(60, 1.2)])
    values = rise * np.exp(0.002 * np.random.default_rng(2).normal(size=120))
    measured = Measurements.of(np.arange(120), values)
    settings = replace(SETTINGS, breaks=(60,))
    assert find_drift(measured, find_between_breaks(measured, settings), settings) is None
