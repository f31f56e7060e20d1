"""What counts say of a change of the time, in words."""

import pytest

from analytics.work import CountMove
from dashboard.figures.counts_words import beside_time

EQUAL = CountMove(0.0, 0.0, ())
ELSEWHERE = ": memory, cache, code layout, libraries or the machine"


@pytest.mark.parametrize(
    ("time", "move", "words"),
    [
        (0.05, EQUAL, f"work equal in every function{ELSEWHERE}"),
        (0.05, CountMove(0.00004, 0.00004, (("f", 0.00004),)), f"work +0.004 % (f +0.004 %){ELSEWHERE}"),
        (0.05, CountMove(0.049, 0.05, (("f", 0.05), ("g", -0.001))), "work +4.9 % (f +5.0 %, g −0.1 %)"),
        # Another function does what one did: the sum says nothing.
        (0.05, CountMove(0.0, 0.3, (("f", 0.3), ("g", -0.3))), "work 0.000 % (f +30.0 %, g −30.0 %)"),
        (0.05, CountMove(-0.1, 0.1, tuple((name, -0.02) for name in "abcde")),
         "work −10.0 % (a −2.0 %, b −2.0 %, c −2.0 % and 2 more), the opposite: what is executed now runs more slowly"),
    ],
)  # fmt: skip
def test_the_functions_are_named_or_what_else_it_may_be(time: float, move: CountMove, words: str) -> None:
    assert beside_time(time, move, "work").replace("\N{NO-BREAK SPACE}", " ") == words
