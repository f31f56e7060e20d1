"""What a search for change points gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    from `relative_low` to `relative_high`. `location_probability` is the probability of this bracket, given that there is exactly one step between
    the neighbouring change points, Gaussian noise, and every revision alike beforehand.
    """

    bracket_before: int
    bracket_after: int
    absolute_size: float
    relative_size: float
    relative_low: float
    relative_high: float
    reference: float
    location_probability: float


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
class ChangePoints:
    """The change points of one series, in order of position.

    `enough_data` is False where the series has too few points for any change, or nothing tells its noise;
    then nothing is claimed. `noise` is the typical standard deviation of one value, relative to the reference
    (`relative_to` says which). `probability` is that the whole series has a step at all, whatever its size; 0.5 where nothing is known.
    """

    changes: tuple[ChangePoint, ...]
    undecided: tuple[Undecided, ...]
    enough_data: bool
    relative_to: Reference
    noise: float
    probability: float
