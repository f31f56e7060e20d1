"""Change points: where the level of a series steps, between which measured revisions, and by how much."""

from analytics.changepoints.changes import ChangePoint, ChangePoints, Reference, Segment, Undecided
from analytics.changepoints.cusum import (
    cusum,
    cusum_alarms,
    cusum_by_window,
    cusum_drift,
    cusum_threshold,
    steadiest_cusum,
)
from analytics.changepoints.detection import find_change_points
from analytics.changepoints.errors import ChangePointError
from analytics.changepoints.settings import ChangePointSettings, Search

__all__ = [
    "ChangePoint",
    "ChangePointError",
    "ChangePointSettings",
    "ChangePoints",
    "Reference",
    "Search",
    "Segment",
    "Undecided",
    "cusum",
    "cusum_alarms",
    "cusum_by_window",
    "cusum_drift",
    "cusum_threshold",
    "find_change_points",
    "steadiest_cusum",
]
