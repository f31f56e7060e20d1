"""The measured points of one series on the scale that is searched, with the noise of each."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit

from analytics.changepoints.changes import ChangePointSettings
from analytics.changepoints.search import penalty_of
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.noise import median, neighbour_variance, repetition_variances
from analytics.histories.scale import ValueScale, scale_and_unit

# Running sums of weights keep ten digits of the smallest; beyond, a value says nothing anyway.
LARGEST_RATIO = 1e10
# Neighbours that scatter by up to so many variances of the repetitions show no other noise than these.
EXPLAINED = 2.0
# The median of n absolute differences tells the noise as well as so many times n squares of it would (Rousseeuw & Croux
# 1993: the median absolute deviation has 37 % of the efficiency).
FREEDOM_OF_MEDIAN = 0.37


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Positions, values on the scale and their variances around a level; all arrays have shape (n,).

    `unit` is the size of 100 % on the scale. `is_explained` says that repetitions explain what neighbours scatter.
    `freedom` is how many degrees of freedom tell the variances, which are `enlarged` times what they were estimated as.
    """

    positions: IntArray
    y: FloatArray
    variances: FloatArray
    scale: ValueScale
    unit: float
    is_explained: bool = False
    freedom: float = math.inf
    enlarged: float = 1.0

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.positions)

    def only(self, chosen: IntArray) -> "Points":
        """Return the points with the given indices."""
        return replace(
            self, positions=self.positions[chosen], y=self.y[chosen], variances=self.variances[chosen]
        )

    def level(self, start: int, end: int) -> float:
        """Return the weighted mean of the points start..end-1, on the scale."""
        weights = 1.0 / self.variances[start:end]
        return float(weights @ self.y[start:end] / weights.sum())

    def relative(self, before: float, after: float) -> float:
        """Return the relative size of a step between two levels of the scale."""
        return math.expm1(after - before) if self.scale is ValueScale.LOG else (after - before) / self.unit

    def plain(self, level: float) -> float:
        """Return a level in the metric's unit."""
        return float(self.scale.backward(np.array(level)))


# A series is searched for changes, and then for a drift.
@lru_cache(maxsize=2)
def points_of(measurements: Measurements, settings: ChangePointSettings) -> tuple[Points, bool]:
    """Return the points of a series, and whether their noise is known at all (else it is the floor)."""
    scale, unit = scale_and_unit(
        measurements.values, log_scale=settings.log_scale, reference_level=settings.reference_level
    )
    y = scale.forward(measurements.values)
    if settings.known_noise is not None:
        noise = max(settings.known_noise, settings.noise_floor) * unit
        return Points(measurements.positions, y, np.full(len(y), noise**2), scale, unit), True
    repeated = repetition_variances(measurements, scale)
    neighbours = neighbour_variance(y)
    own = np.zeros(len(y)) if repeated is None else repeated
    typical_own = median(own)
    beyond = 0.0
    if neighbours is not None:
        # Enlarged as a Student test at the threshold of the penalty asks, with as many degrees of freedom as there are
        # differences. Without it, six points of pure noise would show a change in one series of eight.
        threshold = float(np.sqrt(penalty_of(len(y))))
        student = -float(stdtrit(len(y) - 1, ndtr(-threshold)))
        beyond = max(neighbours * (student / threshold) ** 2 - typical_own, 0.0)
    told = own + max((neighbours or 0.0) - typical_own, 0.0)
    variances = np.maximum(own + beyond, (settings.noise_floor * unit) ** 2)
    variances = np.minimum(variances, LARGEST_RATIO * variances.min())
    known = repeated is not None or neighbours is not None
    typical = max(typical_own, (settings.noise_floor * unit) ** 2)
    explained = repeated is not None and (neighbours or 0.0) <= EXPLAINED * typical
    enlarged = max(median(variances) / max(median(told), (settings.noise_floor * unit) ** 2), 1.0)
    freedom = math.inf
    if neighbours is not None and not explained:
        freedom = FREEDOM_OF_MEDIAN * (len(y) - 1)
    elif measurements.repetitions.sum() > len(y):
        freedom = float((measurements.repetitions - 1).sum())
    return Points(measurements.positions, y, variances, scale, unit, explained, freedom, enlarged), known
