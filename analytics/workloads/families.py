"""What known workloads have in common, as a prior for one of which little was measured.

On the scale of natural logarithms the n configurations of a workload w take

    y_w = X b_w + Z g_w + e_w

X (n, n_terms) are the terms, the intercept first. Z (n, n_patterns) is what they leave unexplained and workloads share:
the principal components of the rests. The coefficients c_w = (b_w, g_w) of another workload are drawn from
Normal(m, L): m is the mean over the known workloads, and L their covariance with its correlations shrunk to none, by a
share that measurements choose (Schäfer & Strimmer, Stat. Appl. Genet. Mol. Biol. 2005, shrink alike). The variances of terms,
each told by few workloads, are moderated by one another (Smyth, Stat. Appl. Genet. Mol. Biol. 2004).

e_w is what of a workload no other one tells: of the known ones, what the rests of the others leave of its rest.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.times import FloatArray
from analytics.workloads.effects import compared_terms
from analytics.workloads.sample import WorkloadSample

_MOST_PATTERNS = 20
# Rests this much smaller than the largest one are rounding.
_ROUNDING = 1e-9
# A noise of 0.001 % and less is none: it keeps matrices from being singular.
_QUIET = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadFamily:
    """The known workloads: `levels` (n_terms, n_options), the intercept first, and `configurations` (n, n_options).

    `patterns` (n, n_patterns) is Z; `means` and `deviations` (n_terms + n_patterns,) and `correlations` are those of
    coefficients over workloads. `noise` (n_workloads,) is the variance of e_w; `untold` that of what the terms leave of a configuration that is
    none of the known.
    """

    levels: IntArray
    configurations: IntArray
    patterns: FloatArray
    means: FloatArray
    deviations: FloatArray
    correlations: FloatArray
    noise: FloatArray
    untold: float

    @property
    def workloads(self) -> int:
        """How many workloads are known."""
        return len(self.noise)

    def covariance(self, share: float) -> FloatArray:
        """L, with its correlations shrunk by this share; the mean of few workloads is uncertain, too."""
        correlations = (1 - share) * self.correlations + share * np.eye(len(self.means))
        found: FloatArray = (
            (1 + 1 / self.workloads) * np.outer(self.deviations, self.deviations) * correlations
        )
        return found

    def rows(self, configurations: IntArray) -> tuple[FloatArray, FloatArray]:
        """X and Z side by side for these configurations (m, n_options), and the variance (m,) that both leave out."""
        places = {row.tobytes(): place for place, row in enumerate(self.configurations)}
        wanted = np.ascontiguousarray(configurations.astype(self.configurations.dtype, copy=False))
        found = np.array([places.get(row.tobytes(), -1) for row in wanted], dtype=int)
        known = found >= 0
        patterns = np.zeros((len(found), self.patterns.shape[1]))
        patterns[known] = self.patterns[found[known]]
        return np.hstack([design_matrix(self.levels, configurations), patterns]), np.where(
            known, 0.0, self.untold
        )


def learn_family(space: OptionSpace, sample: WorkloadSample) -> WorkloadFamily:
    """What the workloads of `sample`, at least two, have in common."""
    logs = np.log(sample.values)
    count, workloads = logs.shape
    levels = compared_terms(space, sample.configurations, logs.mean(axis=1))
    design = design_matrix(levels, sample.configurations)
    coefficients = np.linalg.pinv(design) @ logs
    rest = logs - design @ coefficients
    left, sizes, right = np.linalg.svd(rest, full_matrices=False)
    # Rounding that terms leave of values without noise is no pattern.
    floor = _ROUNDING * max(float(sizes[0]), float(np.linalg.norm(logs)))
    kept = min(int((sizes > floor).sum()), _MOST_PATTERNS, workloads - 1)
    patterns = left[:, :kept] * np.sqrt(count)
    scores = sizes[:kept, np.newaxis] * right[:kept] / np.sqrt(count)
    every = np.vstack([coefficients, scores])
    variances = every.var(axis=1, ddof=1)
    deviations = np.sqrt(variances)
    scaled = (every - every.mean(axis=1, keepdims=True)) / np.where(deviations > 0.0, deviations, 1.0)[
        :, np.newaxis
    ]
    correlations = scaled @ scaled.T / (workloads - 1)
    np.fill_diagonal(correlations, 1.0)
    # Levels differ by orders of magnitude: they say nothing of the variances of terms.
    variances[1 : len(levels)] = moderated(variances[1 : len(levels)], workloads - 1)
    gram = rest.T @ rest / max(count - len(levels), 1)
    own = 1 / np.diag(np.linalg.inv(gram + (_QUIET + 1e-10 * np.trace(gram)) * np.eye(workloads)))
    # Noise has a part in each pattern.
    variances[len(levels) :] = np.maximum(variances[len(levels) :] - own.mean() / workloads, 0.0)
    return WorkloadFamily(
        levels=levels,
        configurations=np.ascontiguousarray(sample.configurations),
        patterns=patterns,
        means=every.mean(axis=1),
        deviations=np.sqrt(variances),
        correlations=correlations,
        noise=np.maximum(own, _QUIET),
        untold=float(np.diag(gram).mean()),
    )


def moderated(variances: FloatArray, degrees: float) -> FloatArray:
    """Variances (n,), each told with so many degrees of freedom, drawn to their common value as far as they agree.

    True ones are taken as drawn from a scaled inverse chi-square distribution, which the logarithms of all tell: Smyth
    (2004), section 6.2. Fewer than three tell none, and stay.
    """
    if len(variances) < 3 or not variances.max() > 0.0:
        return variances
    half = degrees / 2
    logs = np.log(np.maximum(variances, _ROUNDING * variances.max())) - special.digamma(half) + np.log(half)
    beyond = float(logs.var(ddof=1)) - float(special.polygamma(1, half))
    if beyond <= special.polygamma(1, 1e6):
        return np.full_like(variances, np.exp(logs.mean()))
    prior = optimize.brentq(lambda at: float(special.polygamma(1, at)) - beyond, 1e-6, 1e6)
    common = np.exp(logs.mean() + special.digamma(prior) - np.log(prior))
    found: FloatArray = (degrees * variances + 2 * prior * common) / (degrees + 2 * prior)
    return found
