"""The levels at the end of a history that further values move: a Kalman filter and its smoother.

Of the local level model (Durbin & Koopman 2012, sections 2.2 and 4.4), for several pairs of variances at once. A level
follows the next one by a gain; what one more value moves falls by these gains from level to level, so few levels follow.
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.histories.brownian import LOG_TWO_PI, Levels
from analytics.histories.measurements import FloatArray

# A level follows so many later values at most, and only while they move it by more than rounding.
REACH, ROUNDING = 2_000, 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class LastLevels:
    """The last a levels given all values, for k pairs of variances; the last of them, at `place`, is that of the last value.

    `means` and `variances` (k, a) are the levels', `gains` (k, a - 1) the shares by which each follows the next one, and
    `reach` (k, a) those by which it follows the last one.
    """

    place: float
    means: FloatArray
    variances: FloatArray
    gains: FloatArray
    reach: FloatArray

    @classmethod
    def of(cls, place: float, levels: Levels) -> "LastLevels":
        """Return the last of the levels under k pairs of variances, the last one at `place`."""
        means, variances, joint = (some[:, -REACH:] for some in levels)
        gains = joint[:, -(means.shape[1] - 1) :] / variances[:, 1:]
        reach = np.ones_like(means)
        np.cumprod(gains[:, ::-1], axis=1, out=reach[:, -2::-1])
        return cls(place, means, variances, gains, reach).followers()

    def followed_by(
        self, places: FloatArray, y: FloatArray, noise: FloatArray, steps: FloatArray
    ) -> tuple["LastLevels", FloatArray]:
        """Return all these levels and those of values `y` at later `places`, (t,) each, and the log density of all these values, (k,).

        `noise` (k, t) are their variances, `steps` (k,) those of a step.
        """
        mean, variance = self.means[:, -1], self.variances[:, -1]
        filtered, densities = [(mean, variance)], np.zeros(len(steps))
        predictions = []
        for gap, value, own in zip(np.diff(places, prepend=self.place), y, noise.T, strict=True):
            predicted = variance + steps * gap
            total, surprise = predicted + own, value - mean
            densities -= 0.5 * (LOG_TWO_PI + np.log(total) + surprise**2 / total)
            mean, variance = mean + predicted / total * surprise, predicted * own / total
            filtered.append((mean, variance))
            predictions.append(predicted)
        means, variances, gains, reach = [mean], [variance], [], [np.ones(len(steps))]
        for (own_mean, own_variance), predicted in zip(filtered[-2::-1], predictions[::-1], strict=True):
            gain = own_variance / predicted
            gains.append(gain)
            reach.append(reach[-1] * gain)
            means.append(own_mean + gain * (means[-1] - own_mean))
            variances.append(own_variance + gain**2 * (variances[-1] - predicted))
        # What these values say about the last level before them, and through that about all before.
        moved, surer = (means.pop() - self.means[:, -1], variances.pop() - self.variances[:, -1])
        after = LastLevels(
            float(places[-1]),
            np.column_stack((self.means + self.reach * moved[:, None], *means[::-1])),
            np.column_stack((self.variances + self.reach**2 * surer[:, None], *variances[::-1])),
            np.column_stack((self.gains, *gains[::-1])),
            np.column_stack((self.reach * reach.pop()[:, None], *reach[::-1])),
        )
        return after, densities

    def followers(self, most: int | None = None) -> "LastLevels":
        """Return those that a further value may move, so many at most."""
        far = np.flatnonzero(self.reach.max(axis=0) < ROUNDING)
        first = int(far[-1]) + 1 if len(far) else 0
        if most is not None:
            first = max(first, self.reach.shape[1] - most)
        return replace(
            self,
            means=self.means[:, first:],
            variances=self.variances[:, first:],
            gains=self.gains[:, first:],
            reach=self.reach[:, first:],
        )

    def averaged(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return means and variances of the levels, (a,) each, and covariances of neighbours, (a - 1,), over the pairs."""
        means = weights @ self.means
        beside = self.means - means
        joint = self.gains * self.variances[:, 1:] + beside[:, :-1] * beside[:, 1:]
        return means, weights @ (self.variances + beside**2), weights @ joint
