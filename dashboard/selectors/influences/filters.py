"""Which of many terms are shown: by size, by number of options, and by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from dashboard.selectors.model_rows import TermRow

ALL_DEGREES = (1, 2, 3)
_FEW = 20  # terms that are shown unasked
_STEPS = (1, 2, 3, 5, 7)
_DECADES = 4
_SLACK = 1e-9  # relative: a sum that rounding left just below the threshold still reaches it


@dataclass(frozen=True, slots=True)
class TermFilter:
    """What a term must be to be shown.

    At least `threshold` in size (the metric's unit), of one of `degrees` (3 stands for three and more), with
    every word of `text` inside one of its options' names, and significant unless `uncertain` ones are wanted too.
    """

    threshold: float = 0.0
    degrees: tuple[int, ...] = ALL_DEGREES
    text: str = ""
    uncertain: bool = True

    def shown(self, terms: Sequence[TermRow]) -> tuple[TermRow, ...]:
        """Those of `terms` that pass, in their order."""
        words = self.text.lower().split()
        return tuple(
            term
            for term in terms
            if abs(term.influence.value) >= self.threshold * (1 - _SLACK)
            and min(term.degree, ALL_DEGREES[-1]) in self.degrees
            and (self.uncertain or not term.influence.may_be_zero)
            and all(any(word in change.option.lower() for change in term.changes) for word in words)
        )


def thresholds(terms: Sequence[TermRow]) -> tuple[float, ...]:
    """Round thresholds to choose from: 0, then over four decades up to the largest influence."""
    largest = max((abs(term.influence.value) for term in terms), default=0.0)
    if largest == 0.0:
        return (0.0,)
    top = floor(log10(largest))
    steps = [round(step * 10.0**power, 12) for power in range(top - _DECADES, top + 1) for step in _STEPS]
    return (0.0, *(step for step in steps if step <= largest))


def sensible_threshold(terms: Sequence[TermRow]) -> float:
    """The smallest threshold that leaves few enough terms to read."""
    choices = thresholds(terms)
    return next((one for one in choices if len(TermFilter(one).shown(terms)) <= _FEW), choices[-1])
