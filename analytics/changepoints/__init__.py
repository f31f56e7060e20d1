"""Change points: where the level of a series steps, between which measured revisions, and by how much."""

from analytics.changepoints.changes import (
    CERTAIN,
    ChangePoint,
    ChangePointError,
    ChangePoints,
    ChangePointSettings,
    Reference,
    Undecided,
    noise_of_alike,
    series_rate,
)
from analytics.changepoints.detection import find_change_points
from analytics.changepoints.search import Detector

__all__ = [
    "CERTAIN",
    "ChangePoint",
    "ChangePointError",
    "ChangePointSettings",
    "ChangePoints",
    "Detector",
    "Reference",
    "Undecided",
    "find_change_points",
    "noise_of_alike",
    "series_rate",
]
