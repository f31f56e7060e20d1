"""What a long history is fitted from between two milestones, in few numbers: all of it but the values.

The levels of all values follow from that in one solution: it takes a tenth of what learning takes, and needs nothing of the levels
that were there before. So little is kept of a history that its fit can be stored beside it.
"""

from dataclasses import dataclass

import numpy as np

from analytics.histories.brownian import Levels, RandomWalkSolver
from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.fitted import FittedHistory, Hyperparameters
from analytics.histories.growing import TRIMMED, learn_long
from analytics.histories.hyperposterior import Quantiles
from analytics.histories.last_levels import REACH
from analytics.histories.measurements import FloatArray, Measurements
from analytics.histories.milestones import Learned
from analytics.histories.settings import HistorySettings


@dataclass(frozen=True, slots=True, eq=False)
class LearnedFit:
    """What was learned at a milestone, and of the fit there what is not of single values; quantiles are those of `FittedHistory`."""

    learned: Learned
    unit: float
    noise_factor: float
    level_quantiles: Quantiles
    step_quantiles: Quantiles

    @classmethod
    def of(
        cls, measurements: Measurements, settings: HistorySettings, change_prior: ChangePrior | None = None
    ) -> "LearnedFit":
        """Return what is learned of a history of more than `LONGEST_EXACT` values. O(n). Raises `HistoryError`."""
        learned, milestone, _ = learn_long(measurements, settings, change_prior)
        return cls(
            learned,
            milestone.unit,
            milestone.hyperparameters.noise_factor,
            milestone.level_quantiles,
            milestone.step_quantiles,
        )

    def fitted(
        self, measurements: Measurements, settings: HistorySettings, change_prior: ChangePrior | None = None
    ) -> FittedHistory:
        """Return the fit of all values, the learned ones first: that of `grow`, but for rounding. O(n).

        The change prior is the one that it was learned with, up to the last of the values. Raises `MilestoneError` where the values
        reach the next milestone or are out of scale. The log evidence is not computed: NaN.
        """
        learned = self.learned
        count, pairs = learned.count, learned.variances
        if len(measurements) > count:
            learned.check(measurements.part(count, len(measurements)), count + 1)
        prior = change_prior and change_prior.per_step(*learned.ends)
        noise = learned.noise.noise(measurements, learned.scale).common_variances(pairs.factors)
        places = places_of(measurements.positions, prior)
        y = learned.scale.forward(measurements.values)

        def levels(known: int) -> tuple[FloatArray, FloatArray, FloatArray]:
            walk = RandomWalkSolver(np.diff(places[:known]), y[:known])
            return _averaged(walk.posterior(noise[:, :known], pairs.steps), pairs.weights)

        # As `GrowingHistory` has it: levels far behind were let go with so many values.
        parts, start = [], 0
        for known in range(count, len(y), TRIMMED):
            if known > REACH:
                parts.append([one[start : known - REACH] for one in levels(known)])
                start = known - REACH
        parts.append([one[start:] for one in levels(len(y))])
        means, variances, covariances = (np.concatenate(some) for some in zip(*parts, strict=True))
        return FittedHistory(
            measurements=measurements,
            settings=settings,
            scale=learned.scale,
            unit=self.unit,
            hyperparameters=Hyperparameters(float(pairs.weights @ pairs.steps), self.noise_factor),
            noise_variances=noise[0] if len(noise) == 1 else pairs.weights @ noise,
            level_means=means,
            level_variances=variances,
            level_covariances=covariances,
            level_quantiles=self.level_quantiles,
            step_quantiles=self.step_quantiles,
            log_evidence=float("nan"),
            change_prior=prior,
        )


def _averaged(levels: Levels, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means, variances, (n,) each, and covariances of neighbours, (n - 1,), over the pairs of variances."""
    means, variances, covariances = levels
    mean = weights @ means
    beside = means - mean
    return (
        mean,
        weights @ (variances + beside**2),
        weights @ (covariances + beside[:, :-1] * beside[:, 1:]),
    )
