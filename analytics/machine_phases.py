"""What a machine did while successive runs of one fixed work were made: two speeds, bursts and drift, told from their times."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from analytics.bisection import FloatArray
from analytics.power import at_one_speed, changes_of_speed, slow_runs

BoolArray = NDArray[np.bool_]

# Slower stretches of at most so many runs each are bursts, longer ones another speed.
BURST = 3
# A run of a burst is longer than those around it by so many of their standard deviations, and by a tenth at least.
DEVIATIONS, APART, FEW = 5.0, float(np.log(1.1)), 10
# Drift is told from the medians of so many runs: where they differ by so many standard errors, and by so much at least.
PART, ERRORS, LEAST_DRIFT = 20, 6.0, 0.02
# How much more the median of many normal values varies than their mean, on the scale of standard deviations; and how the
# median of absolute normal values relates to theirs.
_OF_MEDIAN, _OF_ABSOLUTE = 1.2533, 0.6745


@dataclass(frozen=True, slots=True)
class MachinePhases:
    """What a machine did during n runs, in their order.

    `slow` (n,) are the runs at the slower of two speeds, None for one speed; `speeds_apart` is how much longer they take, a
    share, and `speed_changes` how often it changed. `burst` (n,) are runs that something slowed for a moment. `drift` is
    how much slower the slowest part was than the quickest one, a share, 0 for none. `steady` (n,) are the times without all that.
    """

    slow: BoolArray | None
    speeds_apart: float | None
    speed_changes: int
    burst: BoolArray
    drift: float
    steady: FloatArray

    @property
    def bursts(self) -> int:
        """How many bursts there were."""
        return sum(bool(value) for value, _ in groupby(self.burst))

    def as_numbers(self) -> dict[str, float]:
        """What was seen, by name: `speeds_apart`, `speed_changes`, `bursts`, `drift`; empty on a steady machine."""
        told = {"speeds_apart": self.speeds_apart or 0.0, "speed_changes": self.speed_changes}
        told |= {"bursts": self.bursts, "drift": self.drift}
        return {name: float(value) for name, value in told.items() if value}

    @property
    def is_steady(self) -> bool:
        """Whether none of it was seen."""
        return self.slow is None and not self.burst.any() and not self.drift


def machine_phases(times: FloatArray) -> MachinePhases:
    """Tell what the machine did from `times` (n,), positive and in order."""
    slow = slow_runs(times) if len(times) > 1 else None
    if slow is not None and np.median([len(list(some)) for value, some in groupby(slow) if value]) <= BURST:
        slow = None
    apart = None if slow is None else float(np.median(times[slow]) / np.median(times[~slow])) - 1
    logs = np.log(times if slow is None else at_one_speed(times, slow))
    half = PART // 2
    around = np.array([np.median(logs[max(at - half, 0) : at + half + 1]) for at in range(len(logs))])
    off = logs - around
    scatter = float(np.median(np.abs(off))) / _OF_ABSOLUTE
    # Of few runs the scatter is told too small now and then.
    burst = off > max(DEVIATIONS * (1 + FEW / len(times)) * scatter, APART)
    calm = np.where(burst, around, logs)
    medians = [np.median(part) for part in np.array_split(calm, max(len(calm) // PART, 1))]
    # Successive runs differ by their noise, whatever the drift.
    noise = float(np.median(np.abs(np.diff(calm)))) / _OF_ABSOLUTE / np.sqrt(2) if len(calm) > 1 else 0.0
    width, limit = float(np.ptp(medians)), max(ERRORS * _OF_MEDIAN * noise / np.sqrt(PART), LEAST_DRIFT)
    drift = float(np.expm1(width)) if width > limit else 0.0
    steady = calm - around + np.median(calm) if drift else calm
    changes = 0 if slow is None else changes_of_speed(slow)
    return MachinePhases(slow, apart, changes, burst, drift, np.exp(steady))
