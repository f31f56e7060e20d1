"""A long history that grew revision by revision is the one that is fitted as a whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from analytics.histories.brownian import RandomWalkSolver, fit_brownian
from analytics.histories.change_prior import ChangePrior
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import FittedHistory
from analytics.histories.growing import GrowingHistory, grow
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.milestones import LONGEST_EXACT, MilestoneError, milestone_of, next_milestone
from analytics.histories.noise import noise_of
from analytics.histories.scale import ValueScale, scale_and_unit
from analytics.histories.settings import HistorySettings, NoisePolicy

# Arithmetic in another order: numbers agree to this share of themselves.
ROUNDING = 1e-9


def history(
    n: int,
    *,
    seed: int = 1,
    walk: float = 0.002,
    noise: float = 0.02,
    repeated: bool = False,
    low: float = 0.0,
) -> Measurements:
    """A history that wanders, at every second revision or so; with single runs, or with one to four repetitions."""
    rng = np.random.default_rng(seed)
    positions = np.cumsum(rng.integers(1, 4, n))
    logs = np.cumsum(rng.normal(0, walk, n)) + rng.normal(0, noise, n)
    values = np.exp(logs) - low
    if not repeated:
        return Measurements.of(positions, values)
    counts = rng.integers(1, 5, n)
    spreads = np.where(counts > 1, noise * rng.uniform(0.5, 2.0, n), np.nan)
    errors = np.where(rng.random(n) < 0.1, noise, np.nan)
    return Measurements.of(positions, values, counts, spreads, errors)


def grown(
    points: Measurements, first: int, settings: HistorySettings, prior: ChangePrior | None = None
) -> FittedHistory:
    """The history of the `first` points with all others appended one by one; fitted as a whole where it outgrew."""
    growing, milestone = grow(points.part(0, first), settings, prior)
    for end in range(first + 1, len(points) + 1):
        try:
            growing = growing.appended(points.part(end - 1, end), prior)
        except MilestoneError:
            growing, milestone = grow(points.part(0, end), settings, prior)
    return growing.fitted(milestone)


SETTINGS = {
    "repetitions": HistorySettings(),
    "beyond repetitions": HistorySettings(noise=NoisePolicy.BEYOND_REPETITIONS, length=5_000),
    "bounded": HistorySettings(noise=NoisePolicy.BOUNDED),
    "known": HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.01),
    "a term": HistorySettings(log_scale=False, reference_level=2.0),
}


@hypothesis_settings(max_examples=20, deadline=None)
@given(
    kind=st.sampled_from(sorted(SETTINGS)),
    first=st.integers(LONGEST_EXACT + 1, LONGEST_EXACT + 60),
    more=st.integers(1, 130),
    seed=st.integers(0, 2**32 - 1),
    walk=st.sampled_from([0.0, 0.0005, 0.01]),
    repeated=st.booleans(),
    # From here on values are below zero: the history outgrows its scale there, or never.
    falls=st.one_of(st.none(), st.integers(900, 1_200)),
    with_prior=st.booleans(),
)
def test_any_series_of_appends_gives_the_history_that_is_fitted_as_a_whole(
    *,
    kind: str,
    first: int,
    more: int,
    seed: int,
    walk: float,
    repeated: bool,
    falls: int | None,
    with_prior: bool,
) -> None:
    points = history(first + more, seed=seed, walk=walk, repeated=repeated)
    if falls is not None:
        points = replace(points, values=points.values - 3.0 * (np.arange(len(points)) >= falls))
    prior = None
    if with_prior:
        lines = np.random.default_rng(seed).integers(0, 300, points.positions[-1] + 10).astype(np.float64)
        prior = ChangePrior.of_changes(0, lines)
    settings = SETTINGS[kind]
    one = grown(points, first, settings, prior)
    whole = fit(points, settings, change_prior=prior)
    for name in ("level_means", "level_variances", "level_covariances", "noise_variances"):
        np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=ROUNDING, atol=1e-15)
    assert one.log_evidence == pytest.approx(whole.log_evidence, rel=ROUNDING)
    assert (one.hyperparameters, one.level_quantiles, one.step_quantiles, one.scale, one.unit) == (
        whole.hyperparameters,
        whole.level_quantiles,
        whole.step_quantiles,
        whole.scale,
        whole.unit,
    )
    at = np.arange(0, points.positions[-1] + 50, 7)
    for name in ("median", "lower_95", "upper_95", "sd"):
        np.testing.assert_allclose(
            getattr(predict(one, at), name), getattr(predict(whole, at), name), rtol=ROUNDING, atol=1e-12
        )


@pytest.mark.parametrize("walk", [0.0, 0.0005, 0.01])
def test_the_levels_are_the_exact_posterior_under_the_variances_of_the_milestone(walk: float) -> None:
    points = history(1_330, walk=walk)
    growing, milestone = grow(points, HistorySettings())
    found, known = growing.fitted(milestone), growing.learned.variances
    assert growing.learned.count == 1_274
    noise = growing.learned.noise.noise(points, ValueScale.LOG).variances(known.factors)
    means, variances, joint = RandomWalkSolver(np.diff(found.places), np.log(points.values)).posterior(
        noise, known.steps
    )
    middle = known.weights @ means
    beside = means - middle
    np.testing.assert_allclose(found.level_means, middle, atol=1e-9)
    np.testing.assert_allclose(found.level_variances, known.weights @ (variances + beside**2), rtol=1e-7)
    # Those between the last level that followed and the first that did not are of the milestone.
    np.testing.assert_allclose(
        found.level_covariances, known.weights @ (joint + beside[:, :-1] * beside[:, 1:]), rtol=1e-5
    )


def test_a_flat_history_follows_two_thousand_revisions_back_and_is_hardly_off_before() -> None:
    rng = np.random.default_rng(4)
    points = Measurements.of(np.arange(12_400), np.exp(rng.normal(0, 0.02, 12_400)))
    growing, milestone = grow(points, HistorySettings())
    found, known = growing.fitted(milestone), growing.learned.variances
    noise = growing.learned.noise.noise(points, ValueScale.LOG).variances(known.factors)
    means, variances, _ = RandomWalkSolver(np.diff(found.places), np.log(points.values)).posterior(
        noise, known.steps
    )
    middle = known.weights @ means
    exact = known.weights @ (variances + (means - middle) ** 2)
    assert np.abs(found.level_means - middle).max() < 0.1 * np.sqrt(exact.min())
    np.testing.assert_allclose(found.level_variances, exact, rtol=0.02)


@pytest.mark.parametrize("n", [3, 400, LONGEST_EXACT])
def test_a_history_of_up_to_a_thousand_revisions_is_learned_as_a_whole(n: int) -> None:
    points, settings = history(n), HistorySettings(length=3_000)
    scale, unit = scale_and_unit(points.values, log_scale=True, reference_level=None)
    noise = noise_of(points, scale, unit, settings)
    whole, *_ = fit_brownian(points, settings, (scale, unit, noise), None)
    found = fit(points, settings)
    assert found.hyperparameters == whole.hyperparameters
    np.testing.assert_array_equal(found.level_means, whole.level_means)
    np.testing.assert_array_equal(found.level_variances, whole.level_variances)


def test_milestones_lie_a_twentieth_apart_and_where_the_scale_ends() -> None:
    assert [milestone_of(n) for n in (1_001, 1_049, 1_050, 1_101, 1_102)] == [
        1_000,
        1_000,
        1_050,
        1_050,
        1_102,
    ]
    assert next_milestone(100_000) == 105_000
    assert [milestone_of(n, 1_060) for n in (1_059, 1_060, 1_102, 1_112, 1_113)] == [
        1_050,
        1_060,
        1_060,
        1_060,
        1_113,
    ]


def growing_history(points: Measurements, prior: ChangePrior | None = None) -> GrowingHistory:
    """The growing one of some points."""
    return grow(points, HistorySettings(), prior)[0]


def test_a_history_outgrows_itself_at_a_milestone_and_out_of_its_scale() -> None:
    points = history(1_049)
    growing, last = growing_history(points), int(points.positions[-1])
    with pytest.raises(MilestoneError, match="1050 measured revisions"):
        growing.appended(Measurements.of([last + 1], [1.0]))
    growing = growing_history(points.part(0, 1_010))
    for value in (0.0, -1.0, 1e-13, 1e14):
        with pytest.raises(MilestoneError, match="out of scale"):
            growing.appended(Measurements.of([last + 1], [value]))


def test_the_band_of_the_last_levels_needs_no_copy_of_the_whole() -> None:
    points = history(3_300)
    growing, milestone = grow(points, HistorySettings())
    last = int(points.positions[-1])
    at = np.arange(last - 500, last + 20)
    whole, own = predict(growing.fitted(milestone), at), growing.band_at(at)
    for name in ("median", "lower_50", "upper_95", "sd"):
        np.testing.assert_array_equal(getattr(own, name), getattr(whole, name))
    with pytest.raises(HistoryError, match="position 5 lies before the levels that follow"):
        growing.band_at(np.array([5]))


def test_only_a_later_revision_is_appended() -> None:
    points = history(1_010)
    for position in (int(points.positions[-1]), 0):
        with pytest.raises(HistoryError, match=f"position {position} does not lie behind"):
            growing_history(points).appended(Measurements.of([position], [1.0]))


def test_a_change_prior_that_moved_earlier_is_not_gone_on_with() -> None:
    points = history(1_010)
    end = int(points.positions[-1])
    lines = np.full(end + 5, 10.0)
    growing = growing_history(points, ChangePrior.of_changes(0, lines))
    later = Measurements.of([end + 2], [1.0])
    assert len(growing.appended(later, ChangePrior.of_changes(0, np.append(lines, 500.0)))) == 1_011
    with pytest.raises(MilestoneError, match="thought to move"):
        growing.appended(later, ChangePrior.of_changes(0, lines, [(300, 301)]))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param((300, 304), (301, 305), id="by little, long ago"),
        pytest.param((3_010, 3_012), (3_004, 3_006), id="since the milestone"),
    ],
)
def test_a_change_prior_that_moved_anywhere_is_not_gone_on_with(
    before: tuple[int, int], now: tuple[int, int]
) -> None:
    points = Measurements.of(3 * np.arange(1_010), history(1_010).values)
    lines = np.full(3_040, 10.0)
    growing = growing_history(points.part(0, 1_008), ChangePrior.of_changes(0, lines, [before]))
    with pytest.raises(MilestoneError, match="thought to move"):
        growing.appended(points.part(1_008, 1_010), ChangePrior.of_changes(0, lines, [now]))


@pytest.mark.parametrize("known", [1.0, 0.5, 0.0])
def test_a_history_whose_siblings_changed_goes_on_with_each_new_revision(known: float) -> None:
    """The order grows by each; how many of its steps tell their lines makes no difference."""
    points, rng = history(1_049), np.random.default_rng(8)
    last = int(points.positions[-1])
    lines = np.where(rng.random(last + 1) < known, rng.integers(0, 300, last + 1), np.nan)

    def prior(end: int) -> ChangePrior:
        return ChangePrior.of_changes(0, lines[: points.positions[end - 1] + 1], [(300, 304), (900, 901)])

    growing, milestone = grow(points.part(0, 1_001), HistorySettings(), prior(1_001))
    for end in range(1_002, len(points) + 1):
        growing = growing.appended(points.part(end - 1, end), prior(end))
    one, whole = growing.fitted(milestone), fit(points, change_prior=prior(len(points)))
    np.testing.assert_allclose(one.level_means, whole.level_means, rtol=ROUNDING, atol=1e-15)
    np.testing.assert_allclose(one.places, whole.places, rtol=ROUNDING)
    at = np.arange(last + 5)
    np.testing.assert_allclose(predict(one, at).sd, predict(whole, at).sd, rtol=ROUNDING)
