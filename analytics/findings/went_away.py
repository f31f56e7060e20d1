"""Steps after which the level came back: they went away, and nobody needs an alarm."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analytics.findings.rows import SeriesChange

# The level is back where it is nearer to the old one than this share of the step.
BACK = 0.5


def without_returned(
    changes: Sequence[SeriesChange], longest: int
) -> tuple[list[SeriesChange], list[SeriesChange]]:
    """Return the changes of one series, in order, that stand; and those that went away, with `until` set.

    A change went away where it and the next ones add up to nothing within their 95 % intervals, at most `longest`
    positions later. The steps back are no changes of their own.
    """
    standing, gone = [], []
    at = 0
    while at < len(changes):
        end = _returned(changes[at:], longest)
        if end:
            gone.append(replace(changes[at], until=changes[at + end].before))
            at += end
        else:
            standing.append(changes[at])
        at += 1
    return standing, gone


def _returned(changes: Sequence[SeriesChange], longest: int) -> int:
    """How many changes after the first bring the level back; 0 if none do."""
    first = changes[0]
    total, error = first.size, first.error
    for count, change in enumerate(changes[1:], 1):
        if change.before - first.after >= longest:
            break
        total += change.size
        error = float(np.hypot(error, change.error))
        if abs(total) <= min(max(error, 0.0), BACK * abs(first.size)):
            return count
    return 0
