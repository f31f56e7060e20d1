"""The levels at the end of a history that a further value moves: a Kalman filter and its smoother, one value at a time.

Of the local level model (Durbin & Koopman 2012, sections 2.2 and 4.4), for several pairs of variances at once. A level
follows the next one by a gain; what one more value moves falls by these gains from level to level, so few levels follow.
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.histories.brownian import LOG_TWO_PI, RandomWalkSolver
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
    def of(cls, places: FloatArray, y: FloatArray, noise: FloatArray, steps: FloatArray) -> "LastLevels":
        """Return the last levels of values y (n,) at places (n,), with noise (k, n) and step variances (k,). O(k n)."""
        first = max(len(y) - REACH, 0)
        if first:
            walk = RandomWalkSolver(np.diff(places[:first]), y[:first])
            found = walk.posterior(noise[:, :first], steps)
            # The last of these levels knows all that the values up to it say: the filter begins there.
            mean, variance = found[0][:, -1], found[1][:, -1]
        else:
            mean, variance, first = np.full(len(steps), y[0]), noise[:, 0], 1
        filtered, predictions = [(mean, variance)], []
        for gap, value, own in zip(np.diff(places[first - 1 :]), y[first:], noise[:, first:].T, strict=True):
            predicted = variance + steps * gap
            total = predicted + own
            mean, variance = mean + predicted / total * (value - mean), predicted * own / total
            filtered.append((mean, variance))
            predictions.append(predicted)
        means, variances, gains, reach = [mean], [variance], [], [np.ones(len(steps))]
        for (own_mean, own_variance), predicted in zip(filtered[-2::-1], predictions[::-1], strict=True):
            gain = own_variance / predicted
            gains.append(gain)
            means.append(own_mean + gain * (means[-1] - own_mean))
            variances.append(own_variance + gain**2 * (variances[-1] - predicted))
            reach.append(reach[-1] * gain)
        columns = (np.stack(some[::-1], axis=1) for some in (means, variances, gains, reach))
        return cls(float(places[-1]), *columns).followers()

    def followed_by(
        self, place: float, y: float, noise: FloatArray, steps: FloatArray
    ) -> tuple["LastLevels", FloatArray]:
        """Return all these levels and the one of a value `y` at a later `place`, and the log density of that value, (k,).

        `noise` are its variances, `steps` those of a step, (k,) each.
        """
        mean, variance = self.means[:, -1], self.variances[:, -1]
        predicted = variance + steps * (place - self.place)
        total, surprise = predicted + noise, y - mean
        new_mean, new_variance = mean + predicted / total * surprise, predicted * noise / total
        # What the value says about the level before it, and through that about all before.
        gain = variance / predicted
        moved = self.reach * (gain * (new_mean - mean))[:, None]
        surer = self.reach**2 * (gain**2 * (new_variance - predicted))[:, None]
        after = LastLevels(
            place,
            np.column_stack((self.means + moved, new_mean)),
            np.column_stack((self.variances + surer, new_variance)),
            np.column_stack((self.gains, gain)),
            np.column_stack((self.reach * gain[:, None], np.ones(len(gain)))),
        )
        return after, -0.5 * (LOG_TWO_PI + np.log(total) + surprise**2 / total)

    def followers(self) -> "LastLevels":
        """Return those that a further value may move."""
        far = np.flatnonzero(self.reach.max(axis=0) < ROUNDING)
        first = max(int(far[-1]) + 1 if len(far) else 0, int(self.reach.shape[1]) - REACH)
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
