"""Histories of a benchmark that was changed: the levels before and after a break are searched on their own."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from analytics.changepoints.changes import ChangePoints, ChangePointSettings
from analytics.changepoints.detection import find_change_points
from analytics.histories.measurements import Measurements

Search = Callable[[Measurements, ChangePointSettings], ChangePoints]


def find_between_breaks(
    measurements: Measurements, settings: ChangePointSettings, search: Search = find_change_points
) -> ChangePoints:
    """Return the change points of one series as `search` finds them between the `breaks` of the settings.

    No change lies at a break, and none is told across one. Each part may give its share of the false-alarm rate away: by how many of
    the points it holds, so that all parts together alarm as often as one series. Noise and autocorrelation are those of the
    last part that has any change or most points. Raises what `search` raises.
    """
    edges = np.searchsorted(measurements.positions, settings.breaks)
    bounds = np.unique([0, *edges, len(measurements)]).tolist()
    if len(bounds) < 3:
        return search(measurements, settings)
    found = []
    for start, end in pairwise(bounds):
        part = slice(start, end)
        share = (end - start) / len(measurements)
        rate = -np.expm1(np.log1p(-settings.false_alarm_rate) * share)
        own = Measurements.of(
            measurements.positions[part],
            measurements.values[part],
            measurements.repetitions[part],
            measurements.spreads[part],
            measurements.errors[part],
        )
        found.append((end - start, search(own, replace(settings, false_alarm_rate=float(rate), breaks=()))))
    _, most = max(found, key=lambda one: one[0])
    parts = [one for _, one in found]
    return replace(
        most,
        changes=tuple(change for one in parts for change in one.changes),
        undecided=tuple(one for part in parts for one in part.undecided),
        enough_data=any(one.enough_data for one in parts),
    )
