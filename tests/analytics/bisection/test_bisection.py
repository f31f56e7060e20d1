"""Bisection of noisy measurements."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import cauchy, norm

from analytics.bisection import BisectionError, Location, locate, next_position, suspects


def play(
    step: int,
    *,
    positions: int,
    size: float,
    noise: float,
    seed: int,
    unbuildable: frozenset[int] = frozenset(),
    wild: float = 0.0,
) -> tuple[Location, int]:
    """Search a made-up step of `size` (relative) at `step`; what was found, and after how many runs.

    A share `wild` of the runs takes longer, by some tens of percent.
    """
    rng = np.random.default_rng(seed)
    measured: dict[int, list[float]] = {}
    runs = 0
    while True:
        position, found = next_position(measured, positions, unbuildable, 0.05)
        if position is None:
            assert found is not None
            return found, runs
        assert position not in unbuildable
        level = 1 + size if position >= step else 1.0
        slower = abs(rng.normal(0, 0.4)) if rng.random() < wild else 0.0
        measured.setdefault(position, []).append(level * float(np.exp(rng.normal(0, noise) + slower)))
        runs += 1
        assert runs < 1000


@settings(max_examples=30)
@given(positions=st.integers(2, 300), data=st.data())
def test_without_noise_the_step_is_found_in_logarithmically_many_runs(
    positions: int, data: st.DataObject
) -> None:
    """Wherever it lies: a few runs at each end, and then a few for each halving."""
    step = data.draw(st.integers(1, positions - 1))
    found, runs = play(step, positions=positions, size=0.2, noise=0.0, seed=0)
    assert found.best == step
    assert runs <= 6 + 3 * np.ceil(np.log2(positions))


def test_the_error_is_no_larger_than_promised() -> None:
    """A step of two standard deviations among 64 revisions, 50 times: at most the accepted 5 % name a wrong one."""
    rng = np.random.default_rng(5)
    wrong = 0
    for seed in range(50):
        step = int(rng.integers(1, 64))
        found, _ = play(step, positions=64, size=0.04, noise=0.02, seed=seed)
        wrong += found.best != step
    assert wrong <= 7  # with 2.5 expected, more than 7 come about once in 300


def test_single_wild_runs_name_no_revision() -> None:
    """A step of 8 % at 1 % of noise, and one run in ten disturbed: the promise holds."""
    rng = np.random.default_rng(6)
    wrong = 0
    for seed in range(50):
        step = int(rng.integers(1, 64))
        found, _ = play(step, positions=64, size=-0.08, noise=0.01, seed=seed, wild=0.1)
        wrong += found.best != step
    assert wrong <= 7  # with 2.5 expected, more than 7 come about once in 300


def test_ends_that_do_not_differ_are_told_and_nothing_in_between_is_measured() -> None:
    """Each look at the ends has its share of the accepted error, so that many looks do not add up to more."""
    found = [play(5, positions=64, size=0.0, noise=0.01, seed=seed) for seed in range(20)]
    assert sum(location.error_probability < 0.05 for location, _ in found) <= 4
    assert max(runs for _, runs in found) <= 300


def test_revisions_that_cannot_be_built_stay_suspect_with_their_neighbour() -> None:
    """The step came with 6, 7 or 8: 6 and 7 cannot be measured, so the three are told together."""
    unbuildable = frozenset({6, 7})
    found, _ = play(7, positions=20, size=0.5, noise=0.01, seed=1, unbuildable=unbuildable)
    groups = suspects(found, unbuildable)
    assert groups[6, 7, 8] > 0.95


def test_the_likelihood_is_that_of_two_levels_with_common_noise_and_wild_runs() -> None:
    """Against the integral over both levels and the noise, done on grids of its own, value by value."""
    measured = {0: [1.0, 1.1], 1: [1.05], 2: [1.6], 3: [1.5, 1.7]}
    logs = {place: np.log(some) for place, some in measured.items()}
    levels = np.linspace(-1.5, 2.0, 4001)

    def by_grid(step: int) -> float:
        total = 0.0
        for sigma in np.geomspace(0.003, 0.5, 200):
            product = 1.0
            for after in (False, True):
                density = np.ones(len(levels))
                for place, some in logs.items():
                    for value in some if (place >= step) == after else ():
                        density *= 0.9 * norm.pdf(value, levels, sigma) + 0.1 * cauchy.pdf(value, levels, 0.3)
                product *= float(density.sum())
            total += product
        return total

    weights = np.array([by_grid(step) for step in (1, 2, 3)])
    assert locate(measured, 4).probabilities[1:] == pytest.approx(weights / weights.sum(), rel=0.05)


@pytest.mark.parametrize(
    ("measured", "positions", "words"),
    [
        ({0: [1.0]}, 1, "at least two"),
        ({0: [1.0, 1.0]}, 3, "first and the last"),
        ({0: [1.0, -1.0], 2: [1.0]}, 3, "positive"),
        ({0: [1.0], 2: [1.0]}, 3, "twice"),
        ({0: [1.0, 1.0], 2: [1.0], 3: [1.0]}, 3, "outside"),
    ],
)
def test_what_cannot_be_bisected_is_refused(
    measured: dict[int, list[float]], positions: int, words: str
) -> None:
    """With what to give instead."""
    with pytest.raises(BisectionError, match=words):
        locate(measured, positions)


def test_a_run_that_took_a_million_times_as_long_leaves_the_others_their_say() -> None:
    found = locate({0: [1, 1.01, 1.02], 5: [1.0, 1e6], 9: [2.0, 2.02, 2.03]}, 10)
    assert found.probabilities.sum() == pytest.approx(1)
    assert 5 < found.best <= 9
