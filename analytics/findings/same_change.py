"""One finding for the changes of many series that one revision explains, and for drifts that go alike at the same time."""

from collections.abc import Sequence

import numpy as np

from analytics.findings.rows import SeriesChange

# Drifts are alike where what both span is at least this share of what either spans.
ALIKE = 0.5


def same_changes(
    changes: Sequence[SeriesChange], *, apart: bool = True
) -> list[tuple[list[SeriesChange], int, int]]:
    """Return groups of changes that one revision explains, with the positions around it.

    Those of a group go one way; not where improvements and regressions are not to be told `apart`.

    A change lies with equal density between `earliest` and `latest`. The revision at which most changes are expected
    takes all that may lie there, then the next one the rest: a greedy set cover (Chvatal 1979), so no revision is named
    that others make needless one by one. Every group has a revision that lies in all its intervals, also where these
    differ in width; a change that may belong to several goes to the one most expected.
    """
    groups: list[tuple[list[SeriesChange], int, int]] = []
    for ways in ({True}, {False}) if apart else ({True, False},):
        groups += _grouped([one for one in changes if one.is_worse in ways])
    return sorted(groups, key=lambda group: group[1:])


def _grouped(changes: list[SeriesChange]) -> list[tuple[list[SeriesChange], int, int]]:
    if not changes:
        return []
    earliest = np.array([one.earliest for one in changes])
    latest = np.array([one.latest for one in changes])
    # Between neighbouring edges the same changes are possible.
    edges = np.union1d(earliest, latest)
    starts, ends = np.searchsorted(edges, earliest), np.searchsorted(edges, latest)
    density = 1.0 / (latest - earliest)
    expected = np.zeros(len(edges))
    np.add.at(expected, starts, density)
    np.subtract.at(expected, ends, density)
    expected = np.cumsum(expected)
    left = np.ones(len(changes), dtype=bool)
    groups = []
    while left.any():
        slot = int(expected[:-1].argmax())
        members = np.flatnonzero(left & (starts <= slot) & (ends > slot))
        if not len(members):
            # Rounding left something where nothing is.
            expected[slot] = 0.0
            continue
        for at in members:
            expected[starts[at] : ends[at]] -= density[at]
        left[members] = False
        before, after = int(earliest[members].max()), int(latest[members].min())
        groups.append(([changes[at] for at in members], before, after))
    return groups


def same_drifts(slow: Sequence[SeriesChange]) -> list[tuple[list[SeriesChange], int, int]]:
    """Return groups of slow drifts that go one way at about the same time, with the positions around all of each.

    The surest drift takes all that are alike to it, then the surest one of the rest: no chain of neighbours joins what is far apart.
    """
    left = sorted(slow, key=lambda one: (one.is_candidate, -one.certainty, -abs(one.relative), one.series))
    groups = []
    while left:
        first = left[0]
        members = [first]
        for one in left[1:]:
            both = min(one.after, first.after) - max(one.before, first.before)
            either = max(one.after, first.after) - min(one.before, first.before)
            goes_with = one.is_worse == first.is_worse and one.series != first.series
            members += [one] if goes_with and both >= ALIKE * either else []
        taken = {id(one) for one in members}
        left = [one for one in left if id(one) not in taken]
        groups.append((members, min(one.before for one in members), max(one.after for one in members)))
    return sorted(groups, key=lambda group: group[1:])
