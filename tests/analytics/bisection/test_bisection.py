"""Bisection of noisy measurements by runs drawn by lot."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.bisection import Bisection, BisectionError
from benchmarks.bench_bisection import KINDS, regimes, search


def play(
    bisection: Bisection,
    step: int | None,
    size: float,
    disturbance: Callable[[int, np.random.Generator], float],
    seed: int = 0,
) -> Bisection:
    """Search a made-up step of `size` (relative) at `step`; a run takes longer by a `disturbance`, on the log scale."""
    rng = np.random.default_rng(seed)
    while (pair := bisection.propose()) is not None:
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        level = 1 + size if step is not None and run >= step else 1.0
        bisection.add(run, other, level * float(np.exp(disturbance(len(bisection.runs), rng))))
    return bisection


def calm(noise: float) -> Callable[[int, np.random.Generator], float]:
    return lambda _, rng: rng.normal(0, noise)


@settings(max_examples=8, deadline=None)
@given(positions=st.integers(2, 300), data=st.data())
def test_a_clear_step_is_found_in_logarithmically_many_runs(positions: int, data: st.DataObject) -> None:
    """Wherever it lies. The true step is excluded by chance once in twenty at most: then there is no answer."""
    step = data.draw(st.integers(1, positions - 1))
    searches = [play(Bisection(range(positions)), step, 0.2, calm(0.001), seed) for seed in range(5)]
    assert sum(one.answer == (step,) for one in searches) >= 4
    assert np.median([len(one.runs) for one in searches]) <= 30 + 3 * np.ceil(np.log2(positions))


@pytest.mark.parametrize("size", [0.0, 0.05])
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_the_error_is_no_larger_than_promised_on_a_machine_that_misbehaves(kind: int, size: float) -> None:
    """Also where it switches between two speeds, and where nothing changed: at most 5 % of the answers are wrong."""
    found = [search(kind, size, seed)[0] for seed in range(1000, 1025 if size else 1005)]
    # With at most 1.25 expected of 25, more than 5 come about once in 1,000.
    assert found.count("wrong") <= (5 if size else 1)
    assert found.count("right") >= (19 if size else 0)


def test_one_end_measured_after_the_other_would_have_seen_a_change_where_the_lot_sees_none() -> None:
    """A machine that is slower from the fifth run on; the old level is 1 in both."""
    bisection = Bisection(range(60))
    for number in range(20):
        pair = bisection.propose()
        assert pair == (0, 59)
        bisection.add(*(pair if number % 3 else pair[::-1]), 1.0 if number < 5 else 1.8)
    assert not bisection.ends_differ


def test_nothing_in_between_is_measured_before_the_ends_differ() -> None:
    """And a change that is shown to be below 1 % is not searched to the end of the budget."""
    bisection = play(Bisection(range(60)), None, 0.0, calm(0.005))
    assert {at for at, _ in bisection.runs} == {0, 59}
    assert not bisection.ends_differ
    assert not bisection.answer
    assert len(bisection.runs) < 150
    _, low, high = bisection.size()
    assert -0.01 < low < 0 < high < 0.01


def test_revisions_that_cannot_be_built_stay_suspect_with_their_neighbour() -> None:
    """The step came with 6, 7 or 8: 6 and 7 cannot be measured, so the three are told together."""
    bisection = play(Bisection(range(20), {6, 7}), 7, 0.5, calm(0.01), seed=1)
    assert bisection.answer == (6, 7, 8)
    assert not {6, 7} & {at for at, _ in bisection.runs}
    assert bisection.error_bound <= 0.05


def test_no_step_lies_between_positions_of_equal_code() -> None:
    """Position 6 holds the code of position 0, so the step came later; 7 to 9 are one code."""
    bisection = Bisection([0, 1, 2, 3, 4, 5, 0, 7, 8, 7])
    assert bisection.suspects == (7,)
    assert play(bisection, 7, 0.3, calm(0.01)).answer == (7,)
    assert {at for at, _ in bisection.runs} == {0, 9}


def test_where_the_middle_equals_neither_end_no_commit_is_named() -> None:
    """Runs as no single step makes them: beside the first position it is slower, beside the last it is quicker."""
    bisection, rng = Bisection(range(3)), np.random.default_rng(0)
    for number in range(40):
        end = 2 * (number % 2)
        pair = (1, end) if rng.random() < 0.5 else (end, 1)
        level = {0: 1.0, 2: 2.0}[pair[0]] if pair[0] != 1 else 1.0 if end else 2.0
        bisection.add(*pair, level * float(np.exp(rng.normal(0, 0.01))))
    assert bisection.ends_differ
    assert not bisection.suspects
    assert not bisection.answer
    assert bisection.propose() is None


def test_the_size_is_that_of_runs_side_by_side() -> None:
    """In a machine with two speeds: 10 %, with an interval that is far narrower than the two speeds are apart."""
    machine = regimes(np.random.default_rng(3))
    next(machine)
    now = [0.0]

    def slowness(_: int, __: np.random.Generator) -> float:
        now[0] += 1.3
        return machine.send(now[0])

    middle, low, high = play(Bisection(range(60), error=0.001), 20, 0.1, slowness).size()
    assert 0.05 < low < 0.1 < high < 0.15
    assert low < middle < high


@pytest.mark.parametrize(
    ("codes", "error", "run", "words"),
    [
        ([0], 0.05, None, "at least two"),
        ([0, 1], 1.0, None, "between 0 and 1"),
        ([0, 1], 0.05, (0, 1, -1.0), "positive"),
        ([0, 1], 0.05, (0, 2, 1.0), "outside"),
    ],
)
def test_what_cannot_be_bisected_is_refused(
    codes: list[int], error: float, run: tuple[int, int, float] | None, words: str
) -> None:
    """With what to give instead."""
    with pytest.raises(BisectionError, match=words):
        Bisection(codes, error=error).add(*(run or (0, 1, 1.0)))


def test_a_run_that_took_a_million_times_as_long_leaves_the_others_their_say() -> None:
    """It comes once, at the ends."""
    hung = play(Bisection(range(30)), 9, 0.3, lambda at, rng: rng.normal(0, 0.01) + 14 * (at == 4), seed=2)
    assert hung.answer == (9,)


@pytest.mark.parametrize("case", ["two changes", "wrong prior"])
@pytest.mark.parametrize("kind", [0, 4])
def test_neither_a_second_change_nor_a_wrong_prior_makes_answers_wrong(kind: int, case: str) -> None:
    """Of two changes one is named, or none; a prior that thinks least of the true commit costs runs and no error."""
    found = [search(kind, 0.3, seed, case)[0] for seed in range(2000, 2015)]
    # With at most 0.75 expected of 15, more than 4 come about once in 1,000.
    assert found.count("wrong") <= 4
    assert found.count("right") >= 10


def test_a_right_prior_saves_runs() -> None:
    """One commit in ten touches what takes time, and so does the change."""
    runs = {
        case: np.mean([search(0, 0.3, seed, case)[1] for seed in range(3000, 3040)])
        for case in ("one change", "right prior")
    }
    assert runs["right prior"] < runs["one change"] - 2


def test_a_commit_is_named_only_after_it_ran_beside_the_one_before_it() -> None:
    """Enough to leave one suspect under a single change is not enough: the two around it must differ."""
    bisection = Bisection(range(3))
    for number in range(40):
        pair = ((0, 2), (1, 2))[number % 2]
        bisection.add(*(pair if number % 4 < 2 else pair[::-1]), 1.0 if number % 4 < 2 else 2.0)
    assert bisection.ends_differ
    assert bisection.suspects == (2,)
    assert bisection.answer == (2,)
    bisection = Bisection(range(4))
    for number in range(60):
        pair = ((0, 3), (1, 3), (2, 0))[number % 3]
        run, other = pair if number % 2 else pair[::-1]
        bisection.add(run, other, 2.0 if run >= 2 else 1.0)
    assert bisection.suspects == (2,)
    assert not bisection.answer
    assert bisection.error_bound == 1.0
    assert bisection.propose() == (1, 2)


@pytest.mark.parametrize("weights", [[1.0, 1.0], [1.0, 0.0, 1.0], [1.0, np.nan, 1.0]])
def test_weights_are_positive_and_one_for_each_revision(weights: list[float]) -> None:
    with pytest.raises(BisectionError, match="positive, one for each of 3"):
        Bisection(range(3), weights=np.array(weights))
