"""What a search says at its end: the answer, or why there is none and what would decide."""

import numpy as np
import pytest

from analytics.bisection import Bisection
from dashboard.services.tracking.bisecting import result_of

NAMES = [f"c{number}" for number in range(6)]


def searched(size: float, most: int, codes: list[int] | None = None) -> Bisection:
    """A search among six revisions of which the fourth one changed the time, ended after some runs."""
    bisection, rng = Bisection(codes or range(6)), np.random.default_rng(4)
    while len(bisection.runs) < most and (pair := bisection.propose()):
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        bisection.add(run, other, (1 + size * (run >= 3)) * float(np.exp(rng.normal(0, 0.01))))
    return bisection


@pytest.mark.parametrize(
    ("size", "most", "words"),
    [
        (0.3, 300, "c3 changed the time by +30.1 % (+28.5 % to +30.6 %); wrong with a prob"),
        (0.3, 4, "undecided: 4 runs between c0 and c5 are too few to tell anything: give a larger --budget"),
        (0.3, 20, "more runs would decide: give a larger --budget"),
        (0.0, 40, "undecided: no change is told between c0 and c5: "),
        (0.0, 300, "a change of 1 % or more is unlikely"),
    ],
)
def test_the_end_of_a_search_is_told_with_what_would_decide(size: float, most: int, words: str) -> None:
    bisection = searched(size, most)
    result = result_of(bisection, NAMES, NAMES)
    assert words in result["sentence"]
    assert ("error_probability" in result) == bool(bisection.answer)
    assert (result["suspects"] == ["c3"]) == bool(bisection.answer)


def test_one_revision_that_is_left_is_told_with_what_is_missing() -> None:
    """All others are excluded; the runs of it and the one before it, of nothing else, do not tell the two apart yet."""
    bisection, rng = Bisection(range(6)), np.random.default_rng(4)
    while len(bisection.suspects) != 1 and (pair := bisection.propose()):
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        bisection.add(run, other, (1 + 0.3 * (run >= 3)) * float(np.exp(rng.normal(0, 0.01))))
    assert (bisection.suspects, bisection.answer) == ((3,), ())
    sentence = result_of(bisection, NAMES, NAMES)["sentence"]
    assert (
        "only c3 explains it (error of at most 0.05), but it was not told from the one before it yet"
        in sentence
    )


def test_ends_of_equal_code_hold_no_step() -> None:
    assert (
        "both hold the same code" in result_of(searched(0.3, 9, [0, 1, 2, 3, 4, 0]), NAMES, NAMES)["sentence"]
    )
