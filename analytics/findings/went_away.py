"""Levels that came back: what later steps of a series take back is no alarm."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from analytics.findings.rows import SeriesChange

# A level that stood for so many positions did not go away.
LONGEST = 30
# The level is back where it is nearer to the old one than this share of the step.
BACK = 0.5


def without_returned(
    changes: Sequence[SeriesChange], longest: int = LONGEST
) -> tuple[list[SeriesChange], list[SeriesChange]]:
    """Return the steps that stand, and those that went away within `longest` positions, with `until` set; slow drifts in neither.

    A change went away where it and the next ones of its series add up to nothing within their 95 % intervals, at most `longest`
    positions later. The steps back are no changes of their own.
    """
    standing, gone = [], []
    steps = sorted((one for one in changes if not one.is_slow), key=lambda one: (one.series, one.after))
    for _, of_series in groupby(steps, key=lambda one: one.series):
        own, at = list(of_series), 0
        while at < len(own):
            end = _returned(own[at:], longest)
            if end:
                gone.append(replace(own[at], until=own[at + end].before))
            else:
                standing.append(own[at])
            at += end + 1
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
