"""What tracking says of a change after both of its revisions ran side by side."""

import re

import numpy as np
import pytest

from analytics.bisection import Bisection
from dashboard.services.tracking.confirmation import stated


def compared(size: float, runs: int, noise: float = 0.01) -> Bisection:
    """Two revisions run by lot, the second slower by `size`."""
    bisection, rng = Bisection([0, 1], error=0.025, negligible=0.02), np.random.default_rng(2)
    while len(bisection.runs) < runs and (pair := bisection.propose()):
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        bisection.add(run, other, (1 + size * run) * float(np.exp(rng.normal(0, noise))))
    return bisection


@pytest.mark.parametrize(
    ("size", "noise", "runs", "words"),
    [
        (
            0.3,
            0.01,
            300,
            r"^b changed the time by \+\d\d\.\d % \(.*\); wrong with a probability of at most \d",
        ),
        (0.0, 0.01, 300, r"^no change between a and b: .* side by side"),
        (
            0.03,
            0.05,
            24,
            r"^undecided: no change is told between a and b: .* four times the 24 runs would halve",
        ),
        (0.01, 0.01, 24, r"^undecided: the time changed by .*, with b; about \d+ more runs would decide"),
        (0.3, 0.01, 0, r"^undecided: .*the budget was spent before"),
    ],
)
def test_a_change_is_stated_with_its_error_or_with_what_would_decide(
    size: float, noise: float, runs: int, words: str
) -> None:
    bisection = compared(size, runs, noise)
    found = stated(bisection, ["1", "2"], ["a", "b"])
    assert re.search(words, found.sentence), found.sentence
    assert (found.error_probability is not None) == bool(bisection.answer)
    assert (found.before, found.after) == ("1", "2")


def test_a_revision_that_fails_now_leaves_its_change_undecided() -> None:
    assert "for b failed" in stated(compared(0.0, 2), ["1", "2"], ["a", "b"], "b").sentence
