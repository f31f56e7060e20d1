"""What counts as a change, and what a search for change points gives."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

from analytics.histories.settings import check_positive

# A change of less certainty is a candidate.
CERTAIN = 0.9
# So many alike series tell the noise of a short one.
FEWEST_ALIKE = 3
# The share of series without any change that may have one told as a fact, in a year of history.
FALSE_ALARM_RATE = 0.01


class ChangePointError(ValueError):
    """Change points cannot be searched for as asked; the message names the value and what to do."""


@dataclass(frozen=True, slots=True)
class ChangePointSettings:
    """Settings of one search.

    They hold for every detector. `minimum_effect` is the smallest relative size
    that is reported. `minimum_points` is how many measured revisions each side needs. `noise_floor` is the smallest
    noise of one value, relative to the level; `known_noise`, where given, is the noise of each value and is not
    estimated. `reference_level`, in the metric's unit, is what sizes refer to where values may be zero or negative,
    such as the base configuration's time for a term. `log_scale` asks for logarithms where all values are positive.
    `false_alarm_rate` is the share of series without any change that may have one all the same, over their whole length
    (`series_rate` of a series); among `suite` series that are searched together it is that of all of them, so that a change
    is told as a fact only where chance shows none like it in any of them. `autocorrelation` is that
    of the noise of alike series, at lag one, for one of too few points to tell its own, and `wander` is how likely it is beforehand that such
    a series drifts or wanders, as the share of alike series says that do; None where nothing is known. At each of
    the `breaks` (positions) a new level begins, whatever the values say: `find_between_breaks` tells no change there. Raises `ChangePointError`.
    """

    minimum_effect: float = 0.02
    minimum_points: int = 2
    noise_floor: float = 0.003
    known_noise: float | None = None
    log_scale: bool = True
    reference_level: float | None = None
    false_alarm_rate: float = FALSE_ALARM_RATE
    suite: int = 1
    autocorrelation: float | None = None
    wander: float | None = None
    # Stored fits are found by how settings are written: these are of single series, and kept apart from that.
    breaks: tuple[int, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Check every size."""
        if not 0 <= self.minimum_effect < math.inf:
            raise ChangePointError(f"minimum_effect must be zero or positive, got {self.minimum_effect}")
        if self.minimum_points < 1:
            raise ChangePointError(f"minimum_points must be at least 1, got {self.minimum_points}")
        if not 0 < self.false_alarm_rate < 1:
            raise ChangePointError(
                f"false_alarm_rate must lie between 0 and 1, got {self.false_alarm_rate}: 0.01 is one series of a hundred"
            )
        if self.suite < 1:
            raise ChangePointError(f"suite must be at least 1, got {self.suite}: it counts the series")
        if self.autocorrelation is not None and not 0 <= self.autocorrelation < 1:
            raise ChangePointError(f"autocorrelation must lie from 0 to below 1, got {self.autocorrelation}")
        if self.wander is not None and not 0 < self.wander <= 1:
            raise ChangePointError(
                f"wander must lie above 0 and up to 1, got {self.wander}: it is a probability"
            )
        check_positive(self, ("noise_floor", "known_noise", "reference_level"), ChangePointError)

    @property
    def certain_rate(self) -> float:
        """The false-alarm rate at which a change must stand to be told as a fact."""
        return series_rate(self.false_alarm_rate, series=self.suite)


def series_rate(rate: float, *, years: float = 1.0, series: int = 1) -> float:
    """Return the false-alarm rate of one series over its whole history, of so many `years`, at least one.

    `rate` is that of a series and year. Of `series` that are searched together, a suite, the chance that any of them
    alarms is that of one: independent series alarm in the share 1 - (1 - a)^n where each does in a (Sidak 1967). Series
    that resemble one another alarm less often.
    """
    return -math.expm1(math.log1p(-rate) * max(years, 1.0) / series)


class Reference(StrEnum):
    """What the relative size of a change refers to."""

    LEVEL_BEFORE = "level before"
    REFERENCE_LEVEL = "reference level"
    MEDIAN_MAGNITUDE = "median magnitude"


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A step of the level, later than `bracket_before` and not later than `bracket_after`.

    Positions are places in the series' order; both are measured. `absolute_size` (level after
    minus level before) is in the metric's unit; `relative_size` is `absolute_size / reference`, with its 95 % interval
    from `relative_low` to `relative_high`. `certainty` is the probability that there is a step at all, rather than one
    level or a smooth drift. `chance` is the share of series without any change that show one as clear; a candidate may have
    happened, but is not certain enough, or too likely chance, to be told as a fact. `location_probability` is the probability of this bracket, given that there is exactly one step between
    the neighbouring change points, Gaussian noise, and every revision alike beforehand; with 95 %
    the step lies later than `earliest` and not later than `latest`, given the same.
    """

    bracket_before: int
    bracket_after: int
    earliest: int
    latest: int
    absolute_size: float
    relative_size: float
    relative_low: float
    relative_high: float
    reference: float
    certainty: float
    chance: float
    is_candidate: bool
    location_probability: float


@dataclass(frozen=True, slots=True)
class Undecided:
    """Measured revisions that differ from their neighbours, too few to tell a change from an outlier.

    They lie from position `first` to `last`; `relative_size` is the difference to the nearest decided level. Measuring a
    neighbour decides. `went_away` says that these are several, and later ones have the old level again.
    """

    first: int
    last: int
    relative_size: float
    went_away: bool = False


@dataclass(frozen=True, slots=True)
class ChangePoints:
    """The change points of one series, in order of position.

    `enough_data` is False where the series has too few points for any change, or nothing tells its noise;
    then nothing is claimed. `noise` is the typical standard deviation of one value, relative to the reference
    (`relative_to` says which). `autocorrelation` is that of the noise at lag one, and `wanders` says that the series also drifts, wanders
    or leaves its level for a while; None where points are too few to tell.
    """

    changes: tuple[ChangePoint, ...]
    undecided: tuple[Undecided, ...]
    enough_data: bool
    relative_to: Reference
    noise: float
    autocorrelation: float | None
    wanders: bool | None = None


def noise_of_alike(found: Sequence[ChangePoints]) -> tuple[float | None, float | None]:
    """Return `autocorrelation` and `wander` of the settings for a short series as searches of alike ones tell them.

    That is the median, and by the rule of succession (k + 1) / (m + 2) where k of m wander (Laplace 1814). Both are None
    where fewer than three of the series have enough points.
    """
    noise = [one.autocorrelation for one in found if one.autocorrelation is not None]
    wandering = [one.wanders for one in found if one.wanders is not None]
    wander = (sum(wandering) + 1) / (len(wandering) + 2)
    return (
        median(noise) if len(noise) >= FEWEST_ALIKE else None,
        wander if len(wandering) >= FEWEST_ALIKE else None,
    )
