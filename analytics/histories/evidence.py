"""The measured levels of a history with their noise: the input of acquisition functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.noise import MEDIAN_OF_ABSOLUTE_NORMAL

if TYPE_CHECKING:
    from analytics.histories.change_prior import ChangePrior
    from analytics.histories.fitted import FittedHistory
    from analytics.histories.measurements import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Measured positions, levels and their noise variances, (n,) each, and the step variance.

    Levels are relative to the level: on the fitted scale, divided by its unit. `change_prior` says where the history
    is thought to move; without it every step between positions is alike.
    """

    positions: IntArray
    levels: FloatArray
    noise_variances: FloatArray
    step_variance: float
    change_prior: ChangePrior | None = None

    def places(self, positions: IntArray) -> FloatArray:
        """Return positions as the regression sees them: in prior weight where it is given."""
        return positions.astype(np.float64) if self.change_prior is None else self.change_prior.at(positions)

    @classmethod
    def of(cls, fitted: FittedHistory) -> Evidence:
        """Return the evidence of a fitted history."""
        positions, levels = fitted.measurements.positions, fitted.level_means / fitted.unit
        if fitted.settings.is_brownian:
            step_variance = fitted.hyperparameters.variance / fitted.unit**2
        else:
            step_variance = float(np.mean(np.diff(levels) ** 2 / np.diff(positions)))
        noise = fitted.noise_variances / fitted.unit**2
        return cls(positions, levels, noise, step_variance, fitted.change_prior)

    def usual_step_variance(self) -> float:
        """Return the variance of one step as most gaps show it, whatever the few large steps do.

        The median over gaps; the fitted step variance where there is no gap yet, or most show nothing.
        """
        if len(self.positions) < 2:
            return self.step_variance
        usual = float(np.median(np.abs(np.diff(self.levels)) / np.sqrt(np.diff(self.places(self.positions)))))
        return (usual / MEDIAN_OF_ABSOLUTE_NORMAL) ** 2 or self.step_variance

    def with_fantasy(self, position: int) -> Evidence:
        """Return the evidence as if `position` had been measured and had confirmed the estimate."""
        place = int(np.searchsorted(self.positions, position))
        own = self.places(np.array([position]))
        level = np.interp(own, self.places(self.positions), self.levels)[0]
        noise = float(np.median(self.noise_variances))
        return Evidence(
            np.insert(self.positions, place, position),
            np.insert(self.levels, place, level),
            np.insert(self.noise_variances, place, noise),
            self.step_variance,
            self.change_prior,
        )
