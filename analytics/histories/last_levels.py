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
        t, moves = len(y), np.diff(places, prepend=self.place)[:, None] * steps
        means, variances = np.empty((2, t + 1, len(steps)))
        predicted, totals, surprises = np.empty((3, t, len(steps)))
        means[0], variances[0] = mean, variance
        for at, (move, value, own) in enumerate(zip(moves, y.tolist(), noise.T, strict=True)):
            before = predicted[at] = variance + move
            total = totals[at] = before + own
            surprise = surprises[at] = value - mean
            mean = means[at + 1] = mean + before / total * surprise
            variance = variances[at + 1] = before * own / total
        gains = variances[:-1] / predicted
        squares = gains**2
        for at in range(t - 1, -1, -1):
            mean = means[at] = means[at] + gains[at] * (mean - means[at])
            variance = variances[at] = variances[at] + squares[at] * (variance - predicted[at])
        reach = np.ones((t + 1, len(steps)))
        np.cumprod(gains[::-1], axis=0, out=reach[-2::-1])
        # What these values say about the last level before them, and through that about all before.
        moved, surer = means[0] - self.means[:, -1], variances[0] - self.variances[:, -1]
        after = LastLevels(
            float(places[-1]),
            _beside(self.means + self.reach * moved[:, None], means[1:]),
            _beside(self.variances + self.reach**2 * surer[:, None], variances[1:]),
            _beside(self.gains, gains),
            _beside(self.reach * reach[0][:, None], reach[1:]),
        )
        densities = -0.5 * (LOG_TWO_PI + np.log(totals) + surprises**2 / totals).sum(axis=0)
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


def _beside(known: FloatArray, later: FloatArray) -> FloatArray:
    """Numbers (k, a) with later ones, (t, k), behind them."""
    joined = np.empty((len(known), known.shape[1] + len(later)))
    joined[:, : known.shape[1]], joined[:, known.shape[1] :] = known, later.T
    return joined
