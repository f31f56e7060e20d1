"""Steps split into parts: they sum to the step, and the parts are those that moved."""

from itertools import chain, combinations
from math import fsum, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.step_parts import (
    Changed,
    MeasuredLevels,
    StepPart,
    StepParts,
    measured_step,
    measured_terms,
    split_regions,
    split_terms,
    term_weights,
    with_common_noise,
)

_AMOUNTS = st.floats(-1e3, 1e3, allow_subnormal=False)
_SPREADS = st.floats(0, 10)


def subsets(options: str) -> list[Changed]:
    """All configurations over some options."""
    sizes = range(len(options) + 1)
    return [frozenset(one) for one in chain.from_iterable(combinations(options, size) for size in sizes)]


def exact(*levels: float) -> MeasuredLevels:
    """What has no noise."""
    return MeasuredLevels(np.array(levels), np.zeros(len(levels)), 3)


@st.composite
def cells(draw: st.DrawFn, things: int = 1) -> dict[Changed, tuple[MeasuredLevels, MeasuredLevels]]:
    """Some configurations over three options, the one of all among them, each with its runs at both revisions."""
    chosen = draw(st.sets(st.sampled_from(subsets("ABC")), min_size=1)) | {frozenset("ABC")}

    def side() -> MeasuredLevels:
        levels = draw(st.lists(_AMOUNTS, min_size=things, max_size=things))
        spreads = draw(st.lists(_SPREADS, min_size=things, max_size=things))
        return MeasuredLevels(np.array(levels), np.array(spreads), draw(st.integers(2, 9)))

    return {one: (side(), side()) for one in chosen}


def total(parts: StepParts) -> float:
    """The sum of all rows that are shown."""
    return fsum([*(one.amount for one in parts.parts), parts.others.amount, parts.rest.amount])


@given(cells(), _AMOUNTS)
def test_terms_and_rest_sum_to_the_step(
    measured: dict[Changed, tuple[MeasuredLevels, MeasuredLevels]], size: float
) -> None:
    terms = measured_terms(frozenset("ABC"), measured.keys())
    parts = split_terms(StepPart.of("", size, 1.0), terms, measured)
    assert total(parts) == pytest.approx(size, abs=1e-9)
    assert {*(one.key for one in parts.parts), *(one.key for one in parts.folded)} == {
        "*".join(sorted(term)) for term in terms
    }


@given(cells(things=5), _AMOUNTS)
def test_regions_and_rest_sum_to_the_step(
    measured: dict[Changed, tuple[MeasuredLevels, MeasuredLevels]], size: float
) -> None:
    together = {
        changed: tuple(
            MeasuredLevels(one.levels.sum(keepdims=True), one.spreads[:1], one.runs) for one in pair
        )
        for changed, pair in measured.items()
    }
    keys = ["a", "b", "c", "d", "program"]
    whole = {frozenset("ABC"): 1.0}
    parts = split_regions(StepPart.of("", size, 1.0), keys, whole, measured, together, kept="program")  # type: ignore[arg-type]
    assert total(parts) == pytest.approx(size, abs=1e-9)
    shown = [one.key for one in parts.parts]
    assert "program" not in shown[:-1]
    assert not any(one.may_be_zero for one in parts.parts if one.key != "program")


@given(cells(), _AMOUNTS, st.sampled_from([1.0, 2.0]))
def test_common_noise_moves_no_level(
    measured: dict[Changed, tuple[MeasuredLevels, MeasuredLevels]], size: float, power: float
) -> None:
    moderated = with_common_noise(measured, power)
    terms = measured_terms(frozenset("ABC"), measured.keys())
    step = StepPart.of("", size, 1.0)
    before, after = (split_terms(step, terms, one) for one in (measured, moderated))
    assert before.rest.amount == pytest.approx(after.rest.amount, abs=1e-9)


def test_a_term_that_alone_moved_is_all_of_the_step() -> None:
    def time(changed: Changed, interaction: float) -> MeasuredLevels:
        return exact(10.0 + 2.0 * ("A" in changed) + interaction * (frozenset("AB") <= changed))

    measured = {one: (time(one, 3.0), time(one, 8.0)) for one in subsets("ABC")}
    step = measured_step({frozenset("ABC"): 1.0}, measured)
    parts = split_terms(step, measured_terms(frozenset("ABC"), measured.keys()), measured)
    assert [(one.key, one.amount, one.low, one.high) for one in parts.parts] == [("A*B", 5.0, 5.0, 5.0)]
    assert parts.rest == StepPart("", 0.0, 0.0, 0.0)


def test_terms_are_determined_by_all_that_is_below_them() -> None:
    measured = {frozenset(), frozenset("A"), frozenset("AB"), frozenset("ABC")}
    assert measured_terms(frozenset("ABC"), measured) == (frozenset(), frozenset("A"))
    assert measured_terms(frozenset("ABC"), {frozenset("A")}) == ()


def test_weights_of_a_term_are_those_of_the_moebius_transform() -> None:
    assert term_weights("AB") == {frozenset(): 1, frozenset("A"): -1, frozenset("B"): -1, frozenset("AB"): 1}


def test_the_part_that_is_largest_at_least_comes_first() -> None:
    sure, doubtful = StepPart.of("sure", 5.0, 1.0), StepPart.of("doubtful", 9.0, 8.0)
    zero, small = StepPart.of("zero", 1.0, 2.0), StepPart.of("small", 0.1, 0.01)
    parts = StepParts.of(
        StepPart.of("", 15.0, 1.0), [zero, doubtful, small, sure], lambda some: float(len(some))
    )
    assert [one.key for one in parts.parts] == ["sure", "doubtful"]
    assert {one.key for one in parts.folded} == {"zero", "small"}
    assert parts.others.amount == pytest.approx(1.1)
    assert parts.rest.amount == pytest.approx(-0.1)


def test_one_run_tells_no_interval() -> None:
    levels = MeasuredLevels.of(np.array([[2.0]]))
    part = measured_step({frozenset(): 1.0}, {frozenset(): (levels, exact(3.0))})
    assert part.amount == 1.0
    assert part.low is None
    assert isnan(part.half)
    assert part.may_be_zero


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, held, tries = np.random.default_rng(5), 0, 600
    for _ in range(tries):
        sides = [MeasuredLevels.of(rng.normal(level, 1.0, (1, 5))) for level in (10.0, 12.0)]
        part = measured_step({frozenset(): 1.0}, {frozenset(): (sides[0], sides[1])})
        assert part.low is not None
        assert part.high is not None
        held += part.low <= 2.0 <= part.high
    assert 0.93 <= held / tries <= 0.99


def test_common_noise_makes_intervals_narrower_and_keeps_what_they_hold() -> None:
    rng, held, narrower, tries = np.random.default_rng(6), 0, 0, 60
    truth = rng.uniform(1.0, 5.0, 30)
    for _ in range(tries):
        sides = [
            MeasuredLevels.of(rng.normal(truth[:, None], 0.1 * np.sqrt(truth)[:, None], (30, 3)))
            for _ in "ab"
        ]
        one = {frozenset[str](): (sides[0], sides[1])}
        plain, moderated = (
            split_regions(
                StepPart.of("", 0.0, 0.1),
                [*map(str, range(30))],
                {frozenset(): 1.0},
                some,
                {frozenset(): (exact(1.0), exact(1.0))},
            )
            for some in (one, with_common_noise(one, 1.0))
        )
        halves = [
            np.median([part.half for part in (*some.parts, *some.folded)]) for some in (plain, moderated)
        ]
        narrower += halves[1] < halves[0]
        held += sum(part.may_be_zero for part in (*moderated.parts, *moderated.folded))
    assert narrower > 0.9 * tries
    assert 0.92 <= held / (30 * tries) <= 0.99
