"""The active sampling of the paper exactly as its authors ran it, for reproducing its tables; use `fit` otherwise.

Muhlbauer, Apel, Siegmund, "Accurate Modeling of Performance Histories for Evolving Software Systems", ASE
2019. Kept with its traps, which `docs/explanation/histories.md` lists: positions are not scaled, the start is
pinned by GPy's Brownian kernel, y - y[0] is fitted with GPy's default parameters.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from analytics.histories.errors import HistoryError
from analytics.histories.gpy_fit import GPy
from analytics.histories.settings import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analytics.histories.measurements import FloatArray, IntArray, Measurements

# The optimiser's limit in the paper.
ITERATIONS = 1000
# By their names in GPy and in the paper's tables. Absent in the paper: a kernel of GPy's Brownian motion alone, without the wide start of `fit`.
KERNELS = {
    Kernel.RBF: "RBF",
    Kernel.RATIONAL_QUADRATIC: "RatQuad",
    Kernel.BROWNIAN_GPY: "Brownian",
    Kernel.MATERN32: "Matern32",
    Kernel.MATERN52: "Matern52",
}


def play(truth: Measurements, kernel: Kernel) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield the revisions used and the estimate of all n, (n,), until all are measured.

    Revisions are indices in the order of measuring; the first step is from the start {0, n // 2, n - 1}.
    The next revision is the one of largest predicted variance. Iteration floor(p N) is the table's "p" sample.
    Raises `HistoryError` on a kernel that the paper does not have and on fewer than three revisions.
    """
    if kernel not in KERNELS:
        known = ", ".join(KERNELS)
        raise HistoryError(f"the paper has no kernel '{kernel}': choose from {known}")
    n = len(truth)
    if n < 3:
        raise HistoryError(f"the paper's start needs 3 revisions, got {n}")
    chosen = [0, n // 2, n - 1]
    while True:
        estimated, sd = estimate(truth, kernel, np.array(chosen))
        yield np.array(chosen), estimated
        if len(chosen) == n:
            return
        left = np.setdiff1d(np.arange(n), chosen)
        chosen.append(int(left[np.argmax(sd[left])]))


def estimate(truth: Measurements, kernel: Kernel, chosen: IntArray) -> tuple[FloatArray, FloatArray]:
    """Fit y - y[0] at the indices `chosen` with GPy's defaults, predict every revision, add y[0] again.

    Returns the estimate in the metric's unit and the standard deviation that GPy predicts, noise included, (n,) each.
    """
    x = truth.positions[:, None].astype(np.float64)
    values = np.asarray(truth.values)
    prior: Any = getattr(GPy.kern, KERNELS[kernel])(1)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        model = GPy.models.GPRegression(x[chosen], (values - values[0])[chosen][:, None], prior)
        model.optimize(max_iters=ITERATIONS)
        mean, variance = model.predict(x)
    return mean[:, 0] + values[0], np.sqrt(np.maximum(variance[:, 0], 0.0))
