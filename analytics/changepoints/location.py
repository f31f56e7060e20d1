"""Where a single step lies, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray, IntArray

# How large a step may be, in standard deviations of one value.
STEP_SCALES = np.array([1.0, 3.0, 10.0, 30.0, 100.0])


def split_gains(y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return by how much each of the n - 1 splits into two levels lowers the weighted squares."""
    weights = 1.0 / variances
    weight = np.cumsum(weights)
    first = np.cumsum(weights * (y - weights @ y / weight[-1]))
    return np.asarray(first[:-1] ** 2 * (1.0 / weight[:-1] + 1.0 / (weight[-1] - weight[:-1])))


def location_probabilities(positions: IntArray, y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the probability that the one step of these points lies in each of the n - 1 brackets.

    All arguments have shape (n,), n >= 2. Both levels have flat priors and are integrated out, the noise is
    Gaussian, and each revision is as likely as any other to bring the step.
    """
    weight = np.cumsum(1.0 / variances)
    occam = np.log(weight[:-1] * (weight[-1] - weight[:-1]))
    log_posterior = 0.5 * split_gains(y, variances) - 0.5 * occam + np.log(np.diff(positions))
    shares = np.exp(log_posterior - log_posterior.max())
    return np.asarray(shares / shares.sum())


def change_probability(positions: IntArray, y: FloatArray, variances: FloatArray) -> float:
    """Return the probability that these points have a step at all, rather than one level.

    Both are equally likely beforehand, the step lies anywhere, and its size is a normal of mean zero whose
    scale is 1, 3, 10, 30 or 100 standard deviations of a value, each as likely: the posterior odds are then
    the mean Bayes factor (Kass & Raftery 1995). The level is integrated out. 0.5 for fewer than two points.
    """
    if len(y) < 2:
        return 0.5
    weight = np.cumsum(1.0 / variances)
    errors = 1.0 / weight[:-1] + 1.0 / (weight[-1] - weight[:-1])
    gains = split_gains(y, variances)
    sizes = (STEP_SCALES * np.sqrt(np.median(variances)))[:, None] ** 2
    shrink = sizes / (sizes + errors)
    logs = 0.5 * gains * shrink + 0.5 * np.log1p(-shrink)
    prior = np.diff(positions) / (positions[-1] - positions[0])
    largest = float(logs.max())
    # scipy's logsumexp takes ten times as long for arrays as short as these.
    mean_factor = float((np.exp(logs - largest) @ prior).mean())
    return float(expit(largest + np.log(mean_factor)))
