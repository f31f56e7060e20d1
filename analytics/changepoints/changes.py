"""What a search for change points gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analytics.histories import ValueScale


class Reference(StrEnum):
    """What the relative size of a change refers to."""

    LEVEL_BEFORE = "level before"
    REFERENCE_LEVEL = "reference level"
    MEDIAN_MAGNITUDE = "median magnitude"


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A step of the level, later than `bracket_before` and not later than `bracket_after`.

    Positions are places in the series' order; both are measured. Levels and `absolute_size` (after minus
    before) are in the metric's unit; `relative_size` is `absolute_size / reference`, with its 95 % interval
    from `relative_low` to `relative_high`. `points_before` and `points_after` count the measured revisions of
    each level.

    `probability` is that there is a step at all between the neighbouring change points, rather than one
    level. `location_probability` is the probability of this bracket, given that there is exactly one step between
    the neighbouring change points, Gaussian noise, and every revision alike beforehand; the step lies between
    `likely_before` and `likely_after` with at least 95 %.
    """

    bracket_before: int
    bracket_after: int
    before_level: float
    after_level: float
    absolute_size: float
    relative_size: float
    relative_low: float
    relative_high: float
    reference: float
    points_before: int
    points_after: int
    probability: float
    location_probability: float
    likely_before: int
    likely_after: int


@dataclass(frozen=True, slots=True)
class Undecided:
    """Measured revisions that differ from their neighbours, too few to tell a change from an outlier.

    They lie from position `first` to `last`; `level` is in the metric's unit and `relative_size` is the
    difference to the nearest decided level. Measuring a neighbour decides.
    """

    first: int
    last: int
    points: int
    level: float
    relative_size: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of measured revisions at one level, in the metric's unit, from position `first` to `last`."""

    first: int
    last: int
    points: int
    level: float


@dataclass(frozen=True, slots=True)
class ChangePoints:
    """The change points of one series, in order of position.

    `enough_data` is False where the series has too few points for any change, or nothing tells its noise;
    then nothing is claimed. `noise` is the typical standard deviation of one value, relative to the reference
    (`relative_to` says which); `penalty` is the cost of one change, in units of the noise variance.
    `probability` is that the whole series has a step at all, whatever its size; 0.5 where nothing is known.
    """

    changes: tuple[ChangePoint, ...]
    undecided: tuple[Undecided, ...]
    segments: tuple[Segment, ...]
    enough_data: bool
    scale: ValueScale
    relative_to: Reference
    noise: float
    penalty: float
    probability: float
