"""How often each configuration and revision is to be run: until the interval of its median is narrow enough.

Runs of one configuration and revision are a cell. Whether a cell is run again depends on how much runs scatter, so a cell
that scattered little by chance would stop too early and be told too surely. What holds against it is that a cell's variance
is drawn towards that of its siblings (moderated variances, Smyth 2004), with the quantile of Student's t that this leaves.
How often the intervals hold is measured by `benchmarks.bench_repetitions`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from analytics.histories.measurements import FloatArray, IntArray
from analytics.histories.noise import MEDIAN_FACTOR, POOLED_FREEDOM, moderated_variances

# How much more the median of n normal values varies than their mean, from n = 0 on (Teichroew 1956).
MEDIAN_FACTORS = np.array([1, 1, 1, 1.346, 1.1928, 1.4342, 1.2885, 1.4731, 1.3454, 1.4949, 1.3833])
# In jobs of more cells the repetitions of one lie so far apart that they are independent of one another.
FEW = 12
# Autocorrelations of successive runs that are weighed, and how quickly larger ones are less probable.
AUTOCORRELATIONS, USUAL = np.arange(0.0, 0.95, 0.1), 0.8
# No interval is told of fewer runs.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class RepetitionRule:
    """At least `least` runs of each cell, at most `most`, until its 95 % interval is no wider than +- `half_width`.

    `half_width` is a share of the time: by default that of the smallest change that counts.
    """

    least: int = FEWEST
    most: int = 10
    half_width: float = 0.02

    def runs_to_go(self, made: IntArray, widths: FloatArray) -> IntArray:
        """Return about how many more runs each cell needs, (n_cells,); 0: none.

        `made` counts all runs of each cell, `widths` is what `half_widths` says of those that tell a time. A cell of which
        no run of `least` told one is given up.
        """
        scale = np.where(np.isnan(widths), 0.0, widths / self.half_width) ** 2
        needed = np.minimum(made * np.minimum(scale, self.most), self.most)
        # A cell whose interval is too wide is run once more at least.
        needed = np.where(scale > 1, np.maximum(np.ceil(needed), made + 1), made)
        return np.maximum(np.clip(needed, self.least, self.most) - made, 0).astype(np.int64)

    def expected_runs(self, times: FloatArray, cells: IntArray) -> float | None:
        """Return how many runs a cell needs on average if it scatters as cells did that were measured before.

        Their `times` (k,), in seconds, with the cell of each (k,) from 0. None where no cell was run twice.
        """
        counts, variances = _variances(np.log(times), cells)
        if not (counts > 1).any():
            return None
        runs = np.arange(self.least, self.most + 1)
        shares = stdtrit(POOLED_FREEDOM + runs - 1, 0.975) * np.sqrt(_factors(runs) / runs)
        enough = np.sqrt(variances[counts > 1])[:, None] * shares <= self.half_width
        return float(np.where(enough.any(axis=1), runs[enough.argmax(axis=1)], self.most).mean())


# What is asked for where nobody says otherwise.
USUAL_RULE = RepetitionRule()


def half_widths(times: FloatArray, cells: IntArray, n_cells: int) -> FloatArray:
    """Return the half-width of the 95 % interval of each cell's median, as a share of it, (n_cells,).

    `times` (k,), in seconds and > 0, stand in the order in which the runs were made, with the cell of each (k,) from 0. NaN for
    a cell without a run, infinite for one with fewer than three.
    """
    values = np.log(times)
    counts, variances = _variances(values, cells, n_cells)
    own = np.maximum(counts - 1, 0)
    # What the others say counts for at most so much.
    freedom = own + np.minimum(POOLED_FREEDOM, own.sum() - own)
    told = counts >= FEWEST
    widths = np.where(counts > 0, np.inf, np.nan)
    spread = np.sqrt(variances[told] * _factors(counts[told]) / counts[told])
    widths[told] = stdtrit(freedom[told], 0.975) * spread
    if n_cells <= FEW and told.any():
        widths *= np.sqrt(_inflations(values, cells, counts, variances))
    return widths


def _variances(values: FloatArray, cells: IntArray, n_cells: int = 0) -> tuple[IntArray, FloatArray]:
    """Return the number of runs of each cell and the variance of one, drawn towards that of the others."""
    counts = np.bincount(cells, minlength=n_cells)
    means = np.bincount(cells, weights=values, minlength=n_cells) / np.maximum(counts, 1)
    squares = np.bincount(cells, weights=(values - means[cells]) ** 2, minlength=n_cells)
    freedom = np.maximum(counts - 1, 0)
    own = squares / np.maximum(freedom, 1)
    # A cell alone has nobody to be drawn to.
    return counts, own if (freedom > 0).sum() < 2 else moderated_variances(own, freedom)


def _factors(counts: IntArray) -> FloatArray:
    known = MEDIAN_FACTORS[np.minimum(counts, len(MEDIAN_FACTORS) - 1)]
    return np.where(counts < len(MEDIAN_FACTORS), known, MEDIAN_FACTOR)


def _inflations(values: FloatArray, cells: IntArray, counts: IntArray, variances: FloatArray) -> FloatArray:
    """Return how much more each cell's mean varies than its scatter tells, as successive runs are alike, (n_cells,).

    The runs are taken as autocorrelated in their order. All autocorrelations are weighed by how probable they make the runs
    once each cell is freed of its mean (restricted likelihood, Patterson and Thompson 1971).
    """
    runs, levels = len(values), int((counts > 0).sum())
    design = (cells[:, None] == np.flatnonzero(counts)).astype(float)
    scaled = values / np.sqrt(np.where(variances > 0, variances, 1.0))[cells]
    places = [np.flatnonzero(cells == cell) for cell in range(len(counts))]
    logs, inflations = [], []
    for autocorrelation in AUTOCORRELATIONS:
        innovation = 1 - autocorrelation**2
        white = np.column_stack([design, scaled])
        white[1:] = (white[1:] - autocorrelation * white[:-1]) / np.sqrt(innovation)
        triangle = np.abs(np.diag(np.linalg.qr(white, mode="r")))
        rest = np.log(max(triangle[-1], 1e-12)) if runs > levels else 0.0
        determinants = (runs - 1) / 2 * np.log(innovation) + np.log(triangle[:-1]).sum()
        logs.append(-determinants - (runs - levels) * rest - autocorrelation / USUAL)
        # The sum of all correlations within each cell.
        together = [(autocorrelation ** np.abs(own[:, None] - own)).sum() for own in places]
        shares = np.array(together) / np.maximum(counts, 1)
        inflations.append(
            np.where(counts > 1, shares * (counts - 1) / np.maximum(counts - shares, 1e-9), 1.0)
        )
    weights = np.exp(np.array(logs) - max(logs))
    return np.asarray(weights @ np.array(inflations) / weights.sum())
