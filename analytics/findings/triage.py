"""Which change of a new fit is the one that people spoke of: triage outlives the fit that it was made on."""

from collections.abc import Sequence
from typing import NamedTuple

# A change is still the same where a new fit finds it so many revisions further on or back.
REACH = 5


class ChangePlace(NamedTuple):
    """Where a change of one series lies: later than place `before` and not later than `after`, counted in revisions.

    `is_worse` is its direction; what `is_slow` is a drift from one to the other, and never the same as a step.
    """

    before: int
    after: int
    is_worse: bool
    is_slow: bool = False

    def apart(self, other: "ChangePlace") -> int:
        """By how many revisions one must move to meet the other; 0 where one revision may explain both."""
        return max(other.before + 1 - self.after, self.before + 1 - other.after, 0)


def same_places(
    known: Sequence[ChangePlace], found: Sequence[ChangePlace], *, reach: int = REACH
) -> dict[int, int]:
    """Return which of the `found` changes of a series is which `known` one, by index: each at most once.

    The nearest two become a pair first, then the nearest of those that are left. Both of a pair go one way, and one lies
    at most `reach` revisions from the other. Of equally near ones those whose ends are closest are paired, then the
    earlier ones.
    """
    pairs = sorted(
        (
            one.apart(other),
            abs(one.after - other.after),
            abs(one.before - other.before),
            at,
            index,
        )
        for at, one in enumerate(known)
        for index, other in enumerate(found)
        if (one.is_worse, one.is_slow) == (other.is_worse, other.is_slow) and one.apart(other) <= reach
    )
    same: dict[int, int] = {}
    taken = set()
    for *_, at, index in pairs:
        if at not in taken and index not in same:
            same[index] = at
            taken.add(at)
    return same
