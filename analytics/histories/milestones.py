"""Milestones: where a long history is learned anew, and what holds from there to the next one.

The first is the 1,000th measured revision, the next ones come whenever the history has grown by a twentieth.
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.histories.brownian import Variances, fit_brownian
from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import FittedHistory
from analytics.histories.last_levels import LastLevels
from analytics.histories.measurements import RESOLUTION, SMALLEST, Measurements
from analytics.histories.noise import NoiseRule
from analytics.histories.scale import ValueScale, scale_and_unit
from analytics.histories.settings import HistorySettings

# Up to so many measured revisions a history is learned as a whole.
LONGEST_EXACT = 1_000
# A longer one is learned anew when it has grown by this part of it.
GROWTH = 20
# A place has moved where it did by more than this share of the history.
MOVED = 1e-9


class MilestoneError(HistoryError):
    """A history has grown to its next milestone, or out of its scale: it is to be fitted as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What a milestone gives, but the levels: it holds for all values until the next one.

    `count` is the number of values it was learned from, `ends` are their first and last position, `sizes` the smallest
    magnitude among them but zero and the largest.
    """

    count: int
    ends: tuple[int, int]
    sizes: tuple[float, float]
    scale: ValueScale
    noise: NoiseRule
    variances: Variances

    def check(self, later: Measurements, count: int) -> None:
        """Check that it holds for later values, with the first of which there are so many.

        Raises `MilestoneError` at the next milestone, and for a value that is out of the scale or that makes others zero.
        """
        sizes, (smallest, largest) = np.abs(later.values), self.sizes
        out = (sizes > 0.0) & (
            (sizes * RESOLUTION > smallest) | (sizes < max(RESOLUTION * largest, SMALLEST))
        )
        if self.scale is ValueScale.LOG:
            out |= later.values <= 0
        first = int(out.argmax()) if out.any() else len(later)
        if count + min(first, len(later) - 1) >= next_milestone(self.count):
            raise MilestoneError(
                f"a history of {next_milestone(self.count)} measured revisions is learned anew"
            )
        if first < len(later):
            raise MilestoneError(
                f"the value {later.values[first]} at position {later.positions[first]} is out of scale"
            )

    def prior_of(
        self, change_prior: ChangePrior | None, former: ChangePrior | None, last: int
    ) -> ChangePrior | None:
        """Return a change prior as the regression takes it, which saw the history up to position `last` by a `former` one.

        Raises `MilestoneError` where any place up to there has moved. O(n).
        """
        prior = change_prior and change_prior.per_step(*self.ends)
        if prior is former:
            return prior
        at = np.arange(self.ends[0], last + 1)
        moved = places_of(at, prior) - places_of(at, former)
        if np.abs(moved).max() > MOVED * (self.ends[1] - self.ends[0]):
            raise MilestoneError("where the history is thought to move has changed")
        return prior


def milestone_of(count: int, scale_ends: int | None = None) -> int:
    """Return the last milestone of a history of so many values, more than `LONGEST_EXACT`.

    `scale_ends` is the number of values with which the history grew out of its first scale: a milestone of its own.
    """
    found = LONGEST_EXACT
    while (following := next_milestone(found)) <= count:
        if scale_ends is not None and found < scale_ends <= following:
            following, scale_ends = scale_ends, None
        found = following
    return scale_ends if scale_ends is not None and found < scale_ends <= count else found


def next_milestone(milestone: int) -> int:
    """Return the number of values at which a history that was learned with so many is learned anew."""
    return milestone + milestone // GROWTH


def learn(
    known: Measurements, settings: HistorySettings, change_prior: ChangePrior | None
) -> tuple[Learned, FittedHistory, LastLevels]:
    """Return what the values up to a milestone give, their history, and its last levels. O(n)."""
    ends = int(known.positions[0]), int(known.positions[-1])
    prior = change_prior and change_prior.per_step(*ends)
    scale, unit = scale_and_unit(
        known.values, log_scale=settings.log_scale, reference_level=settings.reference_level
    )
    rule = NoiseRule.of(known, scale, unit, settings)
    on_scale = (scale, unit, rule.noise(known, scale))
    # How long the order is, a long history tells itself; else each new revision would move what is learned.
    fitted, variances, levels = fit_brownian(known, replace(settings, length=None), on_scale, prior)
    magnitudes = np.abs(known.values)
    learned = Learned(
        count=len(known),
        ends=ends,
        sizes=(float(magnitudes[magnitudes > 0].min(initial=np.inf)), float(magnitudes.max())),
        scale=scale,
        noise=rule,
        variances=variances,
    )
    last = LastLevels.of(float(fitted.places[-1]), levels)
    return learned, replace(fitted, settings=settings), last
