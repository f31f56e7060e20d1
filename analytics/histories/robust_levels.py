"""The single best value of each revision: a history that mostly stays where it is, and now and then jumps.

The model on the fitted scale: y_i = f(x_i) + e_i, where f is a Cauchy process (its increment over a distance d is
Cauchy with scale g d: many tiny moves and rare large ones) and e_i has Student's t with 4 degrees of freedom (rare wild
runs). A Cauchy and a Student variable are normal ones of random variance; so the levels are found by repeated Brownian
regression, each time with the variances that the last levels suggest (EM, Dempster, Laird & Rubin 1977; for t:
Lange, Little & Taylor 1989). Between two levels the history is a Cauchy bridge.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from analytics.histories.brownian import RandomWalkSolver, smallest_step
from analytics.histories.change_prior import places_of
from analytics.histories.fitted import Band, FittedHistory
from analytics.histories.gaps import GATE
from analytics.histories.history import predict
from analytics.histories.measurements import FloatArray
from analytics.histories.noise import MEDIAN_OF_ABSOLUTE_NORMAL

# The degrees of freedom of the noise and of an increment (Cauchy).
NOISE_FREEDOM, STEP_FREEDOM = 4.0, 1.0
# The largest noise, relative to the level, that is believed at first: runs of one revision on a quiet machine.
QUIET = 0.01
# How often the variances are drawn from the levels; the levels hardly move after a dozen times.
ROUNDS = 25
# What was known beforehand of the scale of the increments and of the noise counts as one value.
PRIOR_COUNT = 1.0
# Halvings of a bracket of the median: far below what a float of a level tells.
HALVINGS = 45
# Below this many scales a step between two levels cannot be told from a slope.
NO_STEP = 0.05
# The smallest step, relative to the level, that counts as one.
SMALLEST = 0.02


def robust_levels(
    places: FloatArray,
    y: FloatArray,
    noise_variances: FloatArray,
    *,
    expected_scale: float,
    quiet: float = QUIET,
) -> tuple[FloatArray, FloatArray, float]:
    """Return the levels given increasing places, values and the least noise variances, (n,) each. O(n).

    Beside the levels (n,) it gives the standard deviations of the values' noise (n,), and the scale of an increment over
    one position. The noise may be larger than given, by one factor that is estimated, beginning with at most `quiet`.
    `expected_scale` is what such an increment is thought to be beforehand; it counts as one measured difference.
    """
    if len(y) == 1:
        return np.array(y), np.sqrt(noise_variances), expected_scale
    gaps, steps = np.diff(places), np.diff(y)
    # At first noise and movement both account for all that neighbours differ by.
    scale = max(float(np.median(np.abs(steps) / gaps)), expected_scale)
    scatter = (float(np.median(np.abs(steps))) / MEDIAN_OF_ABSOLUTE_NORMAL) ** 2 / 2
    factor = max(min(scatter, quiet**2) / float(np.median(noise_variances)), 1.0)
    squares, calm, means = steps**2, np.ones(len(y)), y
    for _ in range(ROUNDS):
        still = (STEP_FREEDOM + 1) / (STEP_FREEDOM + squares / (scale * gaps) ** 2)
        noise = factor * noise_variances / calm
        walk = RandomWalkSolver(np.maximum((scale * gaps) ** 2 / still, smallest_step(noise)), y)
        means, variances, covariances = (array[0] for array in walk.posterior(noise[None, :], np.ones(1)))
        # Of three large numbers that nearly cancel rounding may leave less than nothing.
        squares = np.diff(means) ** 2 + np.maximum(variances[1:] + variances[:-1] - 2 * covariances, 0.0)
        residuals = ((y - means) ** 2 + variances) / noise_variances
        calm = (NOISE_FREEDOM + 1) / (NOISE_FREEDOM + residuals / factor)
        still = (STEP_FREEDOM + 1) / (STEP_FREEDOM + squares / (scale * gaps) ** 2)
        factor = max(float(calm @ residuals + PRIOR_COUNT) / (len(y) + PRIOR_COUNT), 1.0)
        moved = float(still @ (squares / gaps**2)) + PRIOR_COUNT * expected_scale**2
        scale = float(np.sqrt(moved / (len(gaps) + PRIOR_COUNT)))
    return means, np.sqrt(factor * noise_variances), scale


def median_between(
    wanted: FloatArray, places: FloatArray, levels: FloatArray, scale: float, middles: FloatArray
) -> FloatArray:
    """Return the median of the history at the wanted places, (m,); beyond the measured ones it stays.

    `levels` (n,) are those at the measured `places`, `scale` is that of an increment over one position. `middles` (n - 1,) is the share of each gap at which a large step across it is made.
    """
    if len(places) == 1:
        return np.full(len(wanted), levels[0])
    left = np.clip(np.searchsorted(places, wanted, side="right") - 1, 0, len(places) - 2)
    gaps = places[left + 1] - places[left]
    shares = np.clip((wanted - places[left]) / gaps, 0.0, 1.0)
    middle = middles[left]
    shares = np.where(shares < middle, shares / middle / 2, 1 - (1 - shares) / (1 - middle) / 2)
    steps = levels[left + 1] - levels[left]
    return levels[left] + steps * bridge_medians(shares, np.abs(steps) / (scale * gaps))


def step_middles(
    significant: npt.NDArray[np.bool_], level: npt.NDArray[np.bool_], lengths: FloatArray
) -> FloatArray:
    """Return the share of each gap at which a large step across it is made, (n - 1,): in the middle, mostly.

    Not beside a level that stands alone: a step away and back to where the history was. `significant` (n - 1,) marks the
    steps beyond the noise, `level` (n - 2,) whether the levels around an inner one are the same, `lengths` (n - 1,)
    how many revisions a gap is long. Excursions of every length L are thought to be as likely as L^-2, those that a
    measurement meets as 1 / L. Then one that lies within M revisions lasts in the median sqrt(M) / e to either side:
    the solution of P(it lasts d more) = (ln(M / d) - 1 + d / M) / ln M = 1/2 for small d / M.
    """
    middles = np.full(len(significant), 0.5)
    if len(significant) < 2:
        return middles
    alone = significant[:-1] & significant[1:] & level
    lasts = np.maximum(np.sqrt(lengths[:-1] + lengths[1:]) / np.e, 0.5)
    middles[:-1] = np.where(alone, np.maximum(1 - lasts / lengths[:-1], 0.5), middles[:-1])
    middles[1:] = np.where(alone, np.minimum(lasts / lengths[1:], 0.5), middles[1:])
    return middles


def bridge_medians(shares: FloatArray, steps: FloatArray) -> FloatArray:
    """Return how much of the step a Cauchy bridge has made, in the median, at shares of its length: (m,) each.

    `steps` are the sizes of the steps in scales of an increment over the whole bridge. Small steps are made evenly;
    a large one is made in the middle, since it may be anywhere. At share t the density is a product of two Cauchy
    densities, of scale t around the start and 1 - t around the end; its integral is found by partial fractions, and
    its median by halving.
    """
    shares, steps = np.broadcast_arrays(shares, steps)
    found = np.array(shares)
    significant = (steps > NO_STEP) & (shares > 0) & (shares < 1)
    a, b, size = shares[significant], 1 - shares[significant], steps[significant]
    low, high = np.zeros(len(a)), size.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = size - middle
        # Twice the probability below the middle minus one, up to a positive factor.
        more = size * np.log((middle**2 + a**2) / (beyond**2 + b**2))
        more += (size**2 + b**2 - a**2) / a * np.arctan(middle / a)
        more -= (size**2 + a**2 - b**2) / b * np.arctan(beyond / b)
        low, high = np.where(more < 0, middle, low), np.where(more < 0, high, middle)
    found[significant] = (low + high) / 2 / size
    return found


def levels_of(fitted: FittedHistory) -> tuple[FloatArray, FloatArray, float]:
    """Return the `robust_levels` of a fitted history at its measured places: its noise at least, its expected change."""
    points, settings = fitted.measurements, fitted.settings
    length = settings.length or float(np.ptp(points.positions)) or 1.0
    return robust_levels(
        fitted.places,
        fitted.scale.forward(points.values),
        fitted.noise_variances,
        expected_scale=settings.expected_change * fitted.unit / length,
        quiet=QUIET * fitted.unit,
    )


def beyond_noise(
    levels: FloatArray, noise_sds: FloatArray, apart: int, least: float
) -> npt.NDArray[np.bool_]:
    """Return whether levels that stand `apart` of each other differ by more than the noise and than `least`, (n - apart,)."""
    errors = np.hypot(noise_sds[apart:], noise_sds[:-apart])
    return np.asarray(np.abs(levels[apart:] - levels[:-apart]) > np.maximum(least, GATE * errors))


def point_estimates(fitted: FittedHistory, positions: npt.ArrayLike) -> FloatArray:
    """Return the value of least expected absolute error at each position, (m,), in the metric's unit.

    The middle of the band is that of Brownian motion, which moves evenly from one level to the next; this jumps.
    """
    wanted = np.asarray(positions, dtype=np.float64)
    places = places_of(wanted, fitted.change_prior)
    levels, noise_sds, scale = levels_of(fitted)
    lengths = np.diff(fitted.measurements.positions.astype(np.float64))
    differ_1, differ_2 = (beyond_noise(levels, noise_sds, apart, SMALLEST * fitted.unit) for apart in (1, 2))
    middles = step_middles(differ_1, ~differ_2, lengths)
    return fitted.scale.backward(median_between(places, fitted.places, levels, scale, middles))


def estimate(
    fitted: FittedHistory, positions: Sequence[int] | npt.NDArray[np.integer]
) -> tuple[FloatArray, Band]:
    """Return the best single value at each position, (m,), in the metric's unit, and a band that holds it.

    Of the default kernel the values are those of `point_estimates`, by which a replay is judged. The band is that of `predict`, but its 95 % go as
    far as the value where that lies beyond: in a bracket with a step much larger than the usual movement, the level of
    the nearer end is likelier than what Brownian motion allows. Of any other kernel the value is the median of its band.
    """
    band = predict(fitted, positions)
    if not fitted.settings.is_brownian:
        return band.median, band
    values = point_estimates(fitted, np.asarray(positions))
    low, high = np.minimum(band.lower_95, values), np.maximum(band.upper_95, values)
    return values, replace(band, lower_95=low, upper_95=high)
