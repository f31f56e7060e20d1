"""How fast the machine was when a run was made: told by reference runs, a fixed piece of work right before and after it."""

import numpy as np
from numpy.typing import NDArray

from analytics.bisection import FloatArray

IntArray = NDArray[np.int64]

# Fewer reference runs do not tell what is usual.
LEAST_TIMES = 12
# The quick quarter tells what is usual: its end and its lowest fifth, as standard deviations of normal values.
_QUARTER, _TWENTIETH = -0.674, -1.645
# On the logarithmic scale: the smallest scatter that is believed, and when a reference run lies in another regime: so many
# standard deviations beyond the usual time, and by a tenth at least.
_SCATTER, _DEVIATIONS, _APART = 0.01, 5.0, float(np.log(1.1))

# Times follow the reference with one of these exponents, where so many cells of several runs show that it helps: by so many
# standard errors.
_EXPONENTS = np.linspace(0.05, 1.0, 20)
_CELLS, _ERRORS = 5, 2.5


def usual_time(times: FloatArray) -> tuple[float, float] | None:
    """Return the usual time of reference runs and its scatter on the logarithmic scale; None for less than `LEAST_TIMES`.

    `times` (n,) are positive. A machine with several speeds is at its best in the fastest one that holds a quarter of the
    runs; what is slower is no scatter. So both come from the quick quarter, by the quantiles of a normal distribution.
    """
    if len(times) < LEAST_TIMES:
        return None
    lowest, quarter = np.quantile(np.log(times), (0.05, 0.25))
    scatter = max(float(quarter - lowest) / (_QUARTER - _TWENTIETH), _SCATTER)
    return float(np.exp(quarter - _QUARTER * scatter)), scatter


def disturbance(before: float, after: float, usual: tuple[float, float]) -> tuple[float, bool] | None:
    """Return how many times slower than usual the machine was at a run, and whether it changed its speed meanwhile.

    None where both reference runs, `before` and `after` it, lie in the usual regime.
    """
    level, scatter = usual
    limit = max(_DEVIATIONS * scatter, _APART)
    slower = np.log([before, after]) - np.log(level)
    if slower.max() <= limit:
        return None
    changed = bool(slower.min() <= limit or np.ptp(slower) > limit)
    return float(np.exp(slower.max() if changed else slower.mean())), changed


def adjustments(times: FloatArray, references: FloatArray, programs: IntArray, cells: IntArray) -> FloatArray:
    """Return the factors (n,) that take the machine's speed out of `times` (n,); ones where that does not help.

    Runs of one of `cells` (n,) measure the same. `references` (n,) are the times of reference runs beside them, NaN where
    unknown, and of one kind within one of `programs` (n,): only there they are compared. A time follows its reference,
    relative to the geometric mean, with an exponent from 0 to 1: programs and reference react differently, and a reference is
    noisy itself. It is the one with the least absolute deviations from the medians of cells, and 0 unless the mean
    deviation of a cell falls by more than `_ERRORS` standard errors.
    """
    factors = np.ones(len(times))
    known = np.flatnonzero((references > 0) & (times > 0))
    moves = np.log(references[known])
    for program in np.unique(programs[known]):
        own = programs[known] == program
        moves[own] -= moves[own].mean()
    # A cell of one run shows no deviation.
    _, cell, runs = np.unique(cells[known], return_inverse=True, return_counts=True)
    told = np.flatnonzero(runs[cell] > 1)
    _, cell = np.unique(cell[told], return_inverse=True)
    if len(np.unique(cell)) < _CELLS:
        return factors
    logs, x = np.log(times[known])[told], moves[told]
    raw = _deviations(logs, cell)
    adjusted = [_deviations(logs - exponent * x, cell) for exponent in _EXPONENTS]
    best = int(np.argmin([one.mean() for one in adjusted]))
    counts = np.bincount(cell)
    gains = np.bincount(cell, raw - adjusted[best]) / counts
    if gains.mean() > _ERRORS * gains.std(ddof=1) / np.sqrt(len(gains)):
        factors[known] = np.exp(-_EXPONENTS[best] * moves)
    return factors


def _deviations(values: FloatArray, cell: IntArray) -> FloatArray:
    """How far each value is from the median of its cell, (n,); cells are numbered from 0."""
    order = np.lexsort((values, cell))
    counts = np.bincount(cell)
    first = np.cumsum(counts) - counts
    ordered = values[order]
    medians = (ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2
    return np.asarray(np.abs(values - medians[cell]))
