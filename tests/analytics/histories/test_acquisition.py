"""What to measure next: far from what is known, where steps hide, and never many neighbours at once."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.histories.acquisition import hidden_step, longest_gap, suggest
from analytics.histories.errors import HistoryError
from analytics.histories.gaps import Evidence, SuggestionReason
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings, Kernel
from studies.synthetic import Excursion, LevelStep, make_history


def evidence(positions: list[int], levels: list[float], noise: float = 0.003) -> Evidence:
    """Evidence with equal noise."""
    return Evidence(np.array(positions), np.array(levels), np.full(len(positions), noise**2), 1e-6)


def unmeasured(known: Evidence, length: int) -> npt.NDArray[np.int64]:
    """All positions of an order that are not measured yet."""
    return np.setdiff1d(np.arange(length), known.positions)


def test_the_longest_gap_is_halved() -> None:
    known = evidence([0, 10, 50, 60], [0.0] * 4)
    best = longest_gap(known, unmeasured(known, 61))
    assert best is not None
    assert (best.position, best.bracket_before, best.bracket_after) == (30, 10, 50)
    assert best.reason is SuggestionReason.LONGEST_GAP


def test_only_revisions_that_can_be_measured_count() -> None:
    """A long gap of revisions that do not build is no gap to measure."""
    candidates = np.array([3, 4, 5, 6, 70])
    best = longest_gap(evidence([0, 10, 100], [0.0] * 3), candidates)
    assert best is not None
    assert best.position == 5
    assert best.unmeasured == 4


@pytest.mark.parametrize(
    ("measured", "expected", "bracket"), [(20, 99, (20, None)), (80, 0, (None, 80))], ids=["end", "start"]
)
def test_an_open_end_is_measured_at_its_far_end(
    measured: int, expected: int, bracket: tuple[int | None, int | None]
) -> None:
    known = evidence([measured], [0.0])
    best = longest_gap(known, unmeasured(known, 100))
    assert best is not None
    assert best.position == expected
    assert (best.bracket_before, best.bracket_after) == bracket


def test_the_largest_hidden_step_is_halved() -> None:
    known = evidence([0, 100, 110, 400], [0.0, 0.0, 0.5, 0.51])
    best = hidden_step(known, unmeasured(known, 401))
    assert best is not None
    assert (best.position, best.bracket_before, best.bracket_after) == (105, 100, 110)
    assert best.relative_step == pytest.approx(0.5)
    assert best.unmeasured == 9


def test_a_wide_bracket_with_a_small_step_can_beat_a_narrow_one_with_a_large_step() -> None:
    known = evidence([0, 4, 400], [0.0, 0.5, 0.6])
    best = hidden_step(known, unmeasured(known, 401))
    assert best is not None
    assert best.bracket_after == 400


def test_differences_within_the_noise_hide_no_step() -> None:
    known = evidence([0, 100], [0.0, 0.1], noise=0.1 / (3 * np.sqrt(2)) * 1.001)
    assert hidden_step(known, unmeasured(known, 101)) is None
    louder = evidence([0, 100], [0.0, 0.1], noise=0.1 / (3 * np.sqrt(2)) * 0.999)
    assert hidden_step(louder, unmeasured(louder, 101)) is not None


def test_a_bracket_without_revisions_between_hides_nothing() -> None:
    known = evidence([10, 11], [0.0, 1.0])
    assert hidden_step(known, unmeasured(known, 30)) is None


def test_a_step_is_told_as_a_share_of_the_level() -> None:
    fitted = fit(Measurements.of([0, 40, 80], [1.0, 1.0, 1.5]))
    steps = [s for s in suggest(fitted, range(81), count=3) if s.reason is SuggestionReason.HIDDEN_STEP]
    assert steps[0].relative_step == pytest.approx(0.5, rel=0.02)


@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=8, unique=True),
    st.lists(st.integers(0, 200), min_size=1, max_size=80, unique=True),
    st.integers(1, 30),
)
@settings(max_examples=30)
def test_suggestions_are_different_unmeasured_candidates(
    measured: list[int], candidates: list[int], count: int
) -> None:
    fitted = fit(Measurements.of(measured, [1.0 + (p % 3) for p in measured]))
    found = [s.position for s in suggest(fitted, candidates, count=count)]
    left = set(candidates) - set(measured)
    assert len(found) == len(set(found)) == min(count, len(left))
    assert set(found) <= left


def test_several_suggestions_spread_out() -> None:
    fitted = fit(Measurements.of([0, 300, 600], [1.0, 1.0, 2.0]))
    places = np.sort([s.position for s in suggest(fitted, range(601), count=8)])
    assert np.diff(places).min() >= 15


def test_suggestions_are_the_same_each_time() -> None:
    fitted = fit(Measurements.of([0, 300, 600], [1.0, 1.2, 2.0]))
    assert suggest(fitted, range(601), count=10) == suggest(fitted, range(601), count=10)


def test_following_the_suggestions_brackets_a_step_and_finds_an_excursion() -> None:
    rng = np.random.default_rng(8)
    history = make_history(1000, rng, steps=[LevelStep(637, 0.2)], excursions=[Excursion(150, 320, 0.4)])
    measured = [0, 500, 999]
    for _ in range(40):
        fitted = fit(history.measure(measured, np.random.default_rng(1), noise=0.005))
        measured.append(suggest(fitted, range(1000), count=1)[0].position)
    places = np.sort(measured)
    for change in (637, 150, 321):
        after = int(np.searchsorted(places, change))
        assert places[after] - places[after - 1] == 1
    band = predict(fit(history.measure(measured, rng, noise=0.005)), range(1000))
    assert np.mean(np.abs(band.median / history.levels - 1)) < 0.01


@pytest.mark.parametrize("last", [2, 3, 4, 8, 401])
def test_the_expected_gain_of_a_step_is_the_share_of_error_that_its_middle_saves(last: int) -> None:
    """Truth by brute force: a step at a random place of the bracket, taken to be in its middle before and after."""
    inside = np.arange(1, last)
    best = hidden_step(evidence([0, last], [0.0, 0.3]), inside)
    assert best is not None
    saved = []
    for place in range(1, last + 1):
        truth = np.where(inside >= place, 0.3, 0.0)
        low, high = (0, best.position) if best.position >= place else (best.position, last)
        before, after = (np.where(2 * inside > a + b, 0.3, 0.0) for a, b in ((0, last), (low, high)))
        after[best.position - 1] = truth[best.position - 1]
        saved.append(np.mean(np.abs(before - truth)) - np.mean(np.abs(after - truth)))
    assert best.expected_gain == pytest.approx(np.mean(saved), rel=1e-9)


@pytest.mark.parametrize("measured", [[0, 400], [0]], ids=["closed", "open"])
def test_the_expected_gain_of_a_gap_is_that_of_brownian_motion(measured: list[int]) -> None:
    known = evidence(measured, [0.0] * len(measured), noise=1e-9)
    best = longest_gap(known, np.arange(1, 400))
    assert best is not None

    def error(positions: list[int]) -> float:
        settings = HistorySettings(noise_floor=1e-9)
        fitted = fit(Measurements.of(positions, [1.0] * len(positions)), settings)
        scale = np.sqrt(known.step_variance / fitted.hyperparameters.variance)
        return float(np.mean(predict(fitted, range(1, 400)).sd) * scale * np.sqrt(2 / np.pi))

    assert best.expected_gain == pytest.approx(error(measured) - error([*measured, best.position]), rel=0.02)


def test_dense_kernels_can_be_asked_too() -> None:
    points = Measurements.of([0, 100, 200, 300], [1.0, 1.0, 2.0, 2.0])
    fitted = fit(points, HistorySettings(kernel=Kernel.MATERN32))
    assert any(100 < s.position < 200 for s in suggest(fitted, range(301), count=3))


def test_nothing_is_suggested_where_all_is_measured() -> None:
    assert suggest(fit(Measurements.of([0, 1], [1.0, 1.0])), [0, 1]) == ()


def test_a_count_below_one_is_refused() -> None:
    with pytest.raises(HistoryError, match="got 0"):
        suggest(fit(Measurements.of([0], [1.0])), [1], count=0)
