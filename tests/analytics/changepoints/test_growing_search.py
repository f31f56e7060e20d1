"""The changes of a long history that grew revision by revision are those of a search of the whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.changepoints import ChangePoints, ChangePointSettings, Reference, find_change_points
from analytics.changepoints.growing import (
    LONGEST_WHOLE,
    SETTLES,
    STRIDE,
    GrowingSearch,
    search_growing,
    search_together,
    searching,
)
from analytics.changepoints.noise_search import modelled
from analytics.changepoints.points import points_of
from analytics.histories.errors import HistoryError
from analytics.histories.measurements import FloatArray, Measurements

NOISE = 0.02


def noise(n: int, seed: int, *, phi: float = 0.0, tails: float | None = None) -> FloatArray:
    """Noise of 2 %, autocorrelated or with heavy tails."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) if tails is None else rng.standard_t(tails, n) / np.sqrt(3.0)
    for i in range(1, n if phi else 0):
        values[i] = phi * values[i - 1] + np.sqrt(1 - phi**2) * values[i]
    return NOISE * values


def series(logs: FloatArray, apart: int = 1) -> Measurements:
    """One value at every revision, or at every second one, ..."""
    return Measurements.of(apart * np.arange(len(logs)), np.exp(logs))


def appended(points: Measurements, first: int) -> GrowingSearch:
    """The search of the `first` points with all others appended one by one."""
    search = search_growing(points.part(0, first), ChangePointSettings())
    for end in range(first + 1, len(points) + 1):
        search = search.appended(points.part(end - 1, end))
    return search


@settings(max_examples=8, deadline=None)
@given(
    first=st.integers(LONGEST_WHOLE + 1, LONGEST_WHOLE + 400),
    more=st.integers(1, 600),
    seed=st.integers(0, 2**32 - 1),
    phi=st.sampled_from([0.0, 0.5]),
    tails=st.sampled_from([None, 3.0]),
    steps=st.lists(st.tuples(st.integers(600, 2_000), st.floats(-0.2, 0.2)), max_size=6),
    passing=st.integers(600, 2_000),
    apart=st.sampled_from([1, 3]),
    lowered=st.booleans(),
)
def test_any_series_of_appends_gives_the_changes_of_the_whole(
    *,
    first: int,
    more: int,
    seed: int,
    phi: float,
    tails: float | None,
    steps: list[tuple[int, float]],
    passing: int,
    apart: int,
    lowered: bool,
) -> None:
    logs = noise(first + more, seed, phi=phi, tails=tails)
    for place, size in steps:
        logs[place:] += size
    logs[passing : passing + 7] += 0.3
    points = series(logs, apart)
    if lowered:
        # Some values are below zero: stretches with them are searched on the plain scale.
        values = np.where(np.arange(len(points)) == first, -0.5, points.values)
        points = Measurements.of(points.positions, values)
    one = appended(points, first)
    assert one.change_points() == find_change_points(points)
    assert one.last == search_growing(points, ChangePointSettings()).last


def test_many_histories_are_searched_together_as_one_by_one() -> None:
    many = []
    for seed in range(12):
        logs = noise(1_050 + 90 * seed, seed, phi=0.3 * (seed % 3))
        logs[900 + 50 * seed :] += 0.04 * (seed % 4)
        many.append((series(logs), ChangePointSettings(false_alarm_rate=0.01 + 0.01 * (seed % 2))))
    together = search_together([(searching(*one), one[1]) for one in many])
    for found, one in zip(together, many, strict=True):
        alone = search_growing(*one)
        assert found.change_points() == alone.change_points()
        assert found.last == alone.last


def test_up_to_a_thousand_points_are_searched_as_a_whole() -> None:
    logs = noise(LONGEST_WHOLE, 3)
    logs[700:] += 0.1
    points = series(logs)
    plain = ChangePointSettings()
    found = modelled(points_of(points, plain)[0], plain)
    assert find_change_points(points) == found.change_points(plain, enough_data=True)
    assert len(found.changes) == 1


def test_steps_anywhere_in_a_long_history_are_found_once_each() -> None:
    logs = noise(3_700, 5)
    # Near the ends of stretches, in their middle, and close to one another.
    places = [120, 498, 503, 760, 995, 1_240, 1_497, 1_515, 2_003, 2_400, 2_988, 3_300, 3_660]
    for i, place in enumerate(places):
        logs[place:] += 0.15 * (-1) ** i
    # Five points alone went away; they are no two steps.
    told = [place for place in places if place not in {498, 503}]
    found = find_change_points(series(logs))
    assert [one.bracket_after for one in found.changes if not one.is_candidate] == told
    assert [(one.first, one.last) for one in found.undecided if one.went_away] == [(498, 502)]


def test_a_step_is_found_soon_and_becomes_settled() -> None:
    logs = noise(2_700, 7)
    logs[2_100:] += 0.08
    points = series(logs)
    search = search_growing(points.part(0, 2_100), ChangePointSettings())
    found_after = None
    for end in range(2_101, 2_701):
        search = search.appended(points.part(end - 1, end))
        if found_after is None and search.change_points().changes:
            found_after = end - 2_100
        if search.count % STRIDE == 0 and search.count - 2_100 > SETTLES:
            assert search.settled
    assert found_after is not None
    assert found_after <= 15
    (change,) = search.change_points().changes
    assert (change.bracket_before, change.bracket_after, change.is_candidate) == (2_099, 2_100, False)
    assert change.relative_size == pytest.approx(0.083, abs=0.01)


def test_a_level_that_returns_soon_is_no_step_again() -> None:
    logs = noise(1_400, 11)
    logs[1_300:1_309] += 0.2
    points = series(logs)
    search = appended(points.part(0, 1_309), 1_200)
    assert [one.bracket_after for one in search.change_points().changes] == [1_300]
    search = search.appended(points.part(1_309, 1_340))
    found = search.change_points()
    assert not found.changes
    assert [(one.first, one.last, one.went_away) for one in found.undecided] == [(1_300, 1_308, True)]


def test_the_last_points_that_lie_far_are_undecided_at_once() -> None:
    logs = noise(1_203, 13)
    logs[1_200:] += 0.2
    found = appended(series(logs), 1_199).change_points()
    assert [(one.first, one.last) for one in found.undecided] == [(1_200, 1_202)]
    assert not found.changes


def test_a_quiet_history_is_rarely_searched_again() -> None:
    points = series(noise(2_499, 17))
    search = search_growing(points.part(0, 1_501), ChangePointSettings())
    searched = 0
    for end in range(1_502, 2_500):
        search = search.appended(points.part(end - 1, end))
        searched += search.searched == search.count
    assert 1 <= searched < 40


def test_sizes_of_a_long_term_refer_to_its_reference_level() -> None:
    values = 1.0 * (np.arange(1_600) >= 1_300) + np.random.default_rng(1).normal(0, 0.05, 1_600)
    given_level = ChangePointSettings(log_scale=False, reference_level=10.0)
    found: ChangePoints = find_change_points(Measurements.of(np.arange(1_600), values), given_level)
    assert found.relative_to is Reference.REFERENCE_LEVEL
    assert [round(one.relative_size, 2) for one in found.changes] == [0.1]


def test_only_a_later_revision_is_appended() -> None:
    points = series(noise(1_010, 1))
    with pytest.raises(HistoryError, match="position 1009 does not lie behind"):
        search_growing(points, ChangePointSettings()).appended(Measurements.of([1_009], [1.0]))
