"""What is known of a history and what may be measured of it: the one answer for pages, commands and tracking jobs."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from analytics.histories import FittedHistory, Suggestion, suggest
from analytics.histories.stopping import StopReason, StopRule, next_or_stop
from dashboard.selectors.histories.fits import HistoryCurve, fitted_history
from dashboard.selectors.histories.rows import RevisionPlace

# Without any sign of a step at its ends, a gap of more than this share of all codes in line is looked into.
_LONGEST_SHARE = 20
_LONGEST_AT_LEAST = 5


@dataclass(frozen=True, slots=True)
class NextRevision:
    """A fitted history, and by place, in order, the revision that may be measured for it."""

    fitted: FittedHistory
    candidates: Mapping[int, RevisionPlace]

    def best(self, count: int) -> tuple[Suggestion, ...]:
        """Up to `count` places that tell most."""
        return suggest(self.fitted, list(self.candidates), count=count)

    def next_or_stop(self, rule: StopRule) -> Suggestion | StopReason:
        """The place to measure next, or why to stop."""
        return next_or_stop(self.fitted, list(self.candidates), rule)


def outlook(
    curve: HistoryCurve, revisions: Iterable[RevisionPlace], unbuildable: Collection[str] = ()
) -> NextRevision:
    """The outlook of a curve with points, where of these revisions of its order all but the `unbuildable` can be measured.

    Left out are those that were measured, and those that hold the code of a measured or of a unbuildable one. Of several
    revisions with the same code the first one stands for all.
    """
    line, fitted = curve.line, fitted_history(curve)
    offered = list(revisions)
    done = {*fitted.measurements.positions.tolist()}
    done |= {line.version_at[one.position] for one in offered if one.name in unbuildable}
    seen = {line.groups[place] for place in done if place in line.groups}
    candidates: dict[int, RevisionPlace] = {}
    for one in offered:
        place = line.version_at[one.position]
        group = line.groups.get(place)
        if place in done or place in candidates or group in seen:
            continue
        candidates[place] = one
        seen |= set() if group is None else {group}
    return NextRevision(fitted, candidates)


def usual_rule(length: int) -> StopRule:
    """When tracking ends, unless it was told otherwise, with so many codes in line.

    Where no gap hides a step beyond the noise, none promises much and none is long.
    """
    return StopRule(longest_gap=max(length // _LONGEST_SHARE, _LONGEST_AT_LEAST))
