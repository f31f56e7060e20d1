"""The list of findings of a system, from the changes of all its series."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from analytics.changepoints import CERTAIN
from analytics.findings.rows import Finding, SeriesChange, Verdict
from analytics.findings.same_change import same_changes
from analytics.findings.went_away import without_returned

# The share of the changes that are told as facts that may be false.
FALSE_SHARE = 0.05
# A level that stood for so many positions did not go away.
LONGEST = 30


def list_findings(
    changes: Sequence[SeriesChange],
    series: int,
    *,
    false_share: float = FALSE_SHARE,
    longest: int = LONGEST,
) -> tuple[Finding, ...]:
    """Return the findings of these changes, the newest first and of one revision the most certain first.

    `series` counts the series that were searched. A level that came back within `longest` positions went away. A finding
    is told where one of its changes has 90 % certainty and belongs to the list in which `false_share` of the changes
    are false on average (`chance_limit`); else it is a candidate.
    """
    standing, gone = [], []
    ordered = sorted(changes, key=lambda one: (one.series, one.after))
    for _, own in groupby(ordered, key=lambda one: one.series):
        stands, went = without_returned(list(own), longest)
        standing += stands
        gone += went
    limit = chance_limit([one.chance for one in standing], series, false_share)
    found = [_finding(*group, limit, Verdict.TOLD) for group in same_changes(standing)]
    found += [_finding(*group, limit, Verdict.WENT_AWAY) for group in same_changes(gone)]
    return tuple(sorted(found, key=lambda one: (-one.after, -one.certainty, -len(one.changes))))


def chance_limit(chances: Sequence[float], series: int, false_share: float) -> float:
    """Return up to which chance a change is told, so that of all that are told `false_share` are false on average.

    Y. Benjamini and Y. Hochberg (1995), over all `series`, those without a change too: the more of them there are, the
    clearer a change must be; also where the series resemble one another (Benjamini and Yekutieli 2001, section 1.3).
    0 where nothing is told.
    """
    tests = max(series, len(chances))
    ordered = np.sort(np.asarray(chances, dtype=np.float64))
    kept = np.flatnonzero(ordered <= false_share * np.arange(1, len(ordered) + 1) / tests)
    return float(ordered[kept[-1]]) if len(kept) else 0.0


def _finding(members: list[SeriesChange], before: int, after: int, limit: float, verdict: Verdict) -> Finding:
    def is_certain(one: SeriesChange) -> bool:
        return one.certainty >= CERTAIN and one.chance <= limit

    ranked = sorted(members, key=lambda one: (not is_certain(one), -abs(one.relative), one.series))
    if verdict is Verdict.TOLD and not is_certain(ranked[0]):
        verdict = Verdict.CANDIDATE
    return Finding(verdict, tuple(ranked), before, after)
