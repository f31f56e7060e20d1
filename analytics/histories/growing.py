"""Long histories that grow: learned at milestones, and one more measured revision in constant time.

Of more than 1,000 measured revisions the variances of Brownian regression are learned at milestones only. Between these
they stay, and the last levels follow each value (`last_levels`). The full computation goes by the same milestones: a history
that grew revision by revision is the one fitted as a whole.
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.histories.brownian import predict_levels
from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory
from analytics.histories.hyperposterior import Quantiles
from analytics.histories.last_levels import REACH, LastLevels
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.milestones import LONGEST_EXACT, Learned, learn, milestone_of
from analytics.histories.settings import HistorySettings

# After so many values the levels that lie more than `REACH` behind are no longer followed: however the values came.
TRIMMED = 250


@dataclass(frozen=True, slots=True, eq=False)
class GrowingHistory:
    """A history since its milestone; what lies before is in the history that was fitted there.

    `tail` are the values since then, (t,), `noise_variances` theirs. `places` (m,) are where the regression sees all levels that
    values since then may have moved, `level_means` and `level_variances` (m,) what they are, `level_covariances` (m - 1,) those
    of neighbours: averaged over the variances. The quantiles and the `change_prior` are those of `FittedHistory`.
    """

    learned: Learned
    tail: Measurements
    noise_variances: FloatArray
    places: FloatArray
    level_means: FloatArray
    level_variances: FloatArray
    level_covariances: FloatArray
    level_quantiles: Quantiles
    step_quantiles: Quantiles
    log_evidence: float
    change_prior: ChangePrior | None
    last: LastLevels

    def __len__(self) -> int:
        """Return the number of measured revisions, all since the first one."""
        return self.learned.count + len(self.tail)

    def appended(self, later: Measurements, change_prior: ChangePrior | None = None) -> "GrowingHistory":
        """Return the history with values measured at later positions. Constant time for each without a change prior.

        `change_prior` is that of the whole history, if there is one. Raises `MilestoneError` where it is to be fitted as a
        whole, and `HistoryError` for a position that is not later.
        """
        known = int(self.tail.positions[-1]) if len(self.tail) else self.learned.ends[1]
        prior = self.learned.prior_of(change_prior, self.change_prior, known)
        grown, start = replace(self, change_prior=prior), 0
        while start < len(later):
            end = start + TRIMMED - len(grown.tail) % TRIMMED
            grown, start = _followed_by(grown, later.part(start, end)), end
        return grown

    def band_at(self, positions: IntArray) -> Band:
        """Return the band at positions not before the levels that it holds. Raises `HistoryError` for others."""
        places = places_of(positions, self.change_prior)
        if places.min(initial=np.inf) < self.places[0]:
            raise HistoryError(
                f"position {positions.min()} lies before the levels that follow: predict it from the history as a whole"
            )
        levels = (self.level_means, self.level_variances, self.level_covariances)
        variances = self.learned.variances
        moments = predict_levels(self.places, levels, float(variances.weights @ variances.steps), places)
        return Band.of(positions, moments, (self.level_quantiles, self.step_quantiles), self.learned.scale)

    def fitted(self, milestone: FittedHistory) -> FittedHistory:
        """Return the history as a whole; `milestone` is the one that was fitted there. O(n), for the copies."""
        start = len(self) - len(self.places)
        return replace(
            milestone,
            measurements=milestone.measurements.followed_by(self.tail),
            noise_variances=np.concatenate((milestone.noise_variances, self.noise_variances)),
            level_means=np.concatenate((milestone.level_means[:start], self.level_means)),
            level_variances=np.concatenate((milestone.level_variances[:start], self.level_variances)),
            level_covariances=np.concatenate((milestone.level_covariances[:start], self.level_covariances)),
            log_evidence=self.log_evidence,
            change_prior=self.change_prior,
        )


def learn_long(
    measurements: Measurements, settings: HistorySettings, change_prior: ChangePrior | None = None
) -> tuple[Learned, FittedHistory, LastLevels]:
    """Return what the last milestone of a history of more than `LONGEST_EXACT` values gives, as `learn`. O(n)."""
    values = measurements.values
    scale_ends = None
    if settings.log_scale and not (values > 0).all() and (values[:LONGEST_EXACT] > 0).all():
        scale_ends = int(np.argmin(values > 0)) + 1
    count = milestone_of(len(measurements), scale_ends)
    return learn(measurements.part(0, count), settings, change_prior)


def grow(
    measurements: Measurements, settings: HistorySettings, change_prior: ChangePrior | None = None
) -> tuple[GrowingHistory, FittedHistory]:
    """Return a history of more than `LONGEST_EXACT` values, and the one that was fitted at its milestone. O(n)."""
    learned, fitted, last = learn_long(measurements, settings, change_prior)
    count, places = learned.count, fitted.places
    start = max(count - REACH, 0)
    grown = GrowingHistory(
        learned=learned,
        tail=measurements.part(count, count),
        noise_variances=np.zeros(0),
        places=places[start:],
        level_means=fitted.level_means[start:],
        level_variances=fitted.level_variances[start:],
        level_covariances=fitted.level_covariances[start:],
        level_quantiles=fitted.level_quantiles,
        step_quantiles=fitted.step_quantiles,
        log_evidence=fitted.log_evidence,
        change_prior=fitted.change_prior,
        last=last,
    )
    return grown.appended(measurements.part(count, len(measurements)), change_prior), fitted


def _followed_by(history: GrowingHistory, later: Measurements) -> GrowingHistory:
    """The history with some later values, up to the next number of them at which levels are trimmed at most."""
    learned, variances = history.learned, history.learned.variances
    learned.check(later, len(history) + 1)
    places, tail = places_of(later.positions, history.change_prior), history.tail.followed_by(later)
    if places[0] <= history.last.place:
        raise HistoryError(
            f"position {later.positions[0]} does not lie behind the last measured one of the history"
        )
    y = learned.scale.forward(later.values)
    noise = learned.noise.noise(later, learned.scale).variances(variances.factors)
    last, densities = history.last.followed_by(places, y, noise, variances.steps)
    means, level_variances, covariances = last.averaged(variances.weights)
    kept = len(history.places) + len(later) - len(means)
    return replace(
        history,
        tail=tail,
        noise_variances=np.append(history.noise_variances, variances.weights @ noise),
        places=np.append(history.places, places),
        level_means=np.append(history.level_means[:kept], means),
        level_variances=np.append(history.level_variances[:kept], level_variances),
        level_covariances=np.append(history.level_covariances[:kept], covariances),
        log_evidence=history.log_evidence + float(variances.weights @ densities),
        last=last.followers(REACH if len(tail) % TRIMMED == 0 else None),
    )
