"""Which terms influence values differently in different workloads.

Values are compared as logarithms: workloads differ in level by orders of magnitude, so an influence is a factor. With
the same n configurations in each of W workloads,

    y_cw = a_w + x_c b_w + r_c + e_cw

r_c is what the terms leave unexplained of a configuration in all workloads. It has the same part in every b_w, and none in
what differs between them: a model that fits badly is not taken for workloads that differ. Row j of the coefficients is
tested for being constant over w, as the interaction of a factor between and one within subjects in an analysis of
repeated measures: configurations are the subjects. The test is that of Box (Ann. Math. Stat. 1954) as Greenhouse &
Geisser (Psychometrika 1959) apply it, which asks for no equal noise in workloads and for no independent one; the
covariance is a sandwich estimate, which asks for no equal noise in configurations (White, Econometrica 1980; leverage
and degrees of freedom after Bell & McCaffrey, Survey Methodology 2002). Of all terms told as differing a share of at most `RATE` is
told wrongly, on average (Benjamini & Hochberg, J. R. Stat. Soc. B 1995).

How much a term differs is the standard deviation of its true coefficients over workloads, with the interval of the
profile (Viechtbauer, Stat. Med. 2007): all deviations that the same test would not refuse.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.term_choice import choose_terms
from analytics.influence.terms import CONFIDENCE
from analytics.influence.times import FloatArray
from analytics.workloads.residuals import Residuals
from analytics.workloads.sample import WorkloadSample

# The share of terms told as differing that is told wrongly, at most and on average.
RATE = 0.05
# More terms than this share of the configurations leave too little to tell noise by.
_MOST_SHARE = 0.85
_MOST_TERMS, _DEGREE, _ROWS = 40, 2, 2_000
_DEPENDENT = 1e-8
_HALVINGS = 60
# Logarithms of factors that differ by less are the same: rounding leaves as much where there is no noise.
_ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadEffects:
    """Coefficients of terms on the scale of natural logarithms: exp(b) is the factor that a term makes.

    `levels` (n_terms, n_options) without the intercept; `coefficients` and `margins` (n_terms, n_workloads), half of a
    95 % interval that holds for all workloads of a term at once; `means` and `mean_margins` (n_terms,) over workloads.
    `probabilities` (n_terms,) are those of differences as large by noise alone. `spreads` (n_terms, 3) are the standard
    deviation between workloads and its 95 % interval; `noise` (n_workloads,) is that of one value that no term tells.
    """

    levels: IntArray
    coefficients: FloatArray
    margins: FloatArray
    means: FloatArray
    mean_margins: FloatArray
    probabilities: FloatArray
    spreads: FloatArray
    noise: FloatArray

    @property
    def differs(self) -> BoolArray:
        """Which terms are told as differing between workloads, at the rate `RATE`."""
        if not len(self.probabilities):
            return np.zeros(0, dtype=bool)
        adjusted: BoolArray = stats.false_discovery_control(self.probabilities) <= RATE
        return adjusted

    @property
    def reverses(self) -> BoolArray:
        """Which of them surely cost in one workload and surely save in another."""
        up = (self.coefficients > self.margins).any(axis=1)
        down = (self.coefficients < -self.margins).any(axis=1)
        turned: BoolArray = self.differs & up & down
        return turned


def workload_effects(space: OptionSpace, sample: WorkloadSample) -> WorkloadEffects:
    """The terms of `sample` (at least two workloads) in each workload, and how far they differ."""
    values = np.log(sample.values)
    levels = compared_terms(space, sample.configurations, values.mean(axis=1))
    design = design_matrix(levels, sample.configurations)
    weights = np.linalg.pinv(design)
    coefficients = weights @ values
    residuals = Residuals.of(design, weights, values)
    degrees = residuals.degrees(weights)
    count = values.shape[1]
    quantile = special.stdtrit(degrees, 1 - (1 - CONFIDENCE) / 2 / count)
    means = coefficients.mean(axis=1)
    over = (
        special.stdtrit(count - 1, (1 + CONFIDENCE) / 2) * coefficients.std(axis=1, ddof=1) / np.sqrt(count)
    )
    contrasts = residuals.contrasts
    tests = [
        _Difference.of(between, contrasts.covariance(own), degree)
        for own, between, degree in zip(weights, coefficients - means[:, np.newaxis], degrees, strict=True)
    ]
    return WorkloadEffects(
        levels=levels[1:],
        coefficients=coefficients[1:],
        margins=(quantile[:, np.newaxis] * np.sqrt(residuals.variances(weights)))[1:],
        means=means[1:],
        mean_margins=over[1:],
        probabilities=np.array([one.probability(0.0) for one in tests[1:]]),
        spreads=np.array([one.spread() for one in tests[1:]]).reshape(-1, 3),
        noise=residuals.noise,
    )


@dataclass(frozen=True, slots=True)
class _Difference:
    """The sum of squares of one term's differences from its mean, with trace and square of its noise's covariance.

    `degrees` are those of the covariance; of `count` workloads.
    """

    total: float
    trace: float
    square: float
    degrees: float
    count: int

    @classmethod
    def of(cls, between: FloatArray, covariance: FloatArray, degrees: float) -> "_Difference":
        """Of a term's differences from its mean (n_workloads,)."""
        between = np.where(np.abs(between) > _ROUNDING, between, 0.0)
        trace, square = float(np.trace(covariance)), float((covariance**2).sum())
        return cls(float(between @ between), trace, square, degrees, len(between))

    def probability(self, variance: float) -> float:
        """How likely differences as large are where true coefficients have this variance between workloads."""
        own = self.count - 1
        trace = self.trace + variance * own
        if trace <= 0.0:
            return float(self.total <= 0.0)
        square = self.square + 2 * variance * self.trace + variance**2 * own
        ratio = trace / max(self.trace, np.finfo(float).tiny)
        first = trace**2 / square
        # As `stats.f.sf`, which looks at its arguments for ten times as long.
        return float(special.fdtrc(first, first * self.degrees * min(ratio, 1e6) ** 2, self.total / trace))

    def spread(self) -> tuple[float, float, float]:
        """The standard deviation of true coefficients between workloads, and its 95 % interval."""
        estimate = max(self.total - self.trace, 0.0) / (self.count - 1)
        ends = [self._variance((1 - CONFIDENCE) / 2), self._variance((1 + CONFIDENCE) / 2)]
        low, high = np.sqrt([min(ends[0], estimate), max(ends[1], estimate)])
        return float(np.sqrt(estimate)), float(low), float(high)

    def _variance(self, wanted: float) -> float:
        """The variance at which differences as large have the probability `wanted`; 0 where none is so small."""
        if self.probability(0.0) >= wanted or self.total == 0.0:
            return 0.0
        low, high = 0.0, self.total
        while self.probability(high) < wanted and high < 1e12 * self.total:
            high *= 4
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.probability(middle) < wanted else (low, middle)
        return high


def compared_terms(space: OptionSpace, configurations: IntArray, means: FloatArray) -> IntArray:
    """The terms to compare, shape (n_terms, n_options), the intercept first; their columns are independent.

    All levels of options where there are configurations enough, and what else the `means` (n,) over workloads ask for:
    what differs between workloads has no say in that, or noise would choose what is then found to differ.
    """
    most = max(int(len(configurations) * _MOST_SHARE), 2)
    alone = _independent(terms_up_to(space, 1), configurations)
    asked = choose_terms(
        space, configurations, means[:, np.newaxis], degree=_DEGREE, most=min(most, _MOST_TERMS), rows=_ROWS
    )
    offered = np.concatenate([alone, asked]) if len(alone) <= most else asked
    return _independent(offered, configurations)[:most]


def _independent(levels: IntArray, configurations: IntArray) -> IntArray:
    """Those of the terms `levels` (n_terms, n_options) whose columns no earlier ones tell."""
    basis, kept = np.empty((len(configurations), 0)), []
    for number, column in enumerate(design_matrix(levels, configurations).T):
        left = column
        # Twice: once leaves too much of what rounding brings back.
        for _ in range(2):
            left = left - basis @ (basis.T @ left)
        size = float(np.linalg.norm(left))
        if size > _DEPENDENT * max(float(np.linalg.norm(column)), 1.0):
            basis = np.column_stack([basis, left / size])
            kept.append(number)
    return levels[kept]
