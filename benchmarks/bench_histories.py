"""How long a history takes: the exact Brownian regression against GPy, its growth with n, and change points.

All data is made up from fixed seeds. Brownian regression and GPy do the same work in one run: estimate the
variances of 1,000 measured revisions, then the band over all 20,000. The ratio is what counts; the seconds
depend on the machine.

    python -m benchmarks.bench_histories
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from analytics.changepoints import find_change_points
from analytics.histories import HistorySettings, Kernel, Measurements, fit, predict
from analytics.synthetic import Step, SyntheticHistory, make_history

N_REVISIONS, N_MEASURED = 20_000, 1_000
SIZES = (1_000, 10_000, 100_000)
N_SERIES, N_RELEASES = 500, 60
RUNS = 5


def seconds(run: Callable[[], object], runs: int = RUNS) -> float:
    """Median wall time of several calls of `run`, in seconds."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return median(taken)


def history_of(length: int) -> SyntheticHistory:
    """A history that wanders, with one step in the middle."""
    return make_history(length, np.random.default_rng(1), walk=0.002, steps=[Step(length // 2, 0.3)])


def measured(length: int, revisions: int) -> Measurements:
    """Some revisions of such a history, measured once each: so that the noise has to be estimated too."""
    rng = np.random.default_rng(2)
    places = rng.choice(length, revisions, replace=False)
    return history_of(length).measure(places, rng, repetitions=1)


def band(points: Measurements, kernel: Kernel) -> object:
    """Fit and predict all revisions."""
    return predict(fit(points, HistorySettings(kernel=kernel)), np.arange(N_REVISIONS))


def report_against_gpy() -> None:
    """One band by the exact regression and by GPy."""
    points = measured(N_REVISIONS, N_MEASURED)
    few = measured(N_REVISIONS, 10)
    fit(few, HistorySettings(kernel=Kernel.BROWNIAN_GPY))  # GPy's import is not what is measured
    ours = seconds(lambda: band(points, Kernel.BROWNIAN))
    theirs = seconds(lambda: band(points, Kernel.BROWNIAN_GPY), runs=1)
    sys.stdout.write(
        f"band over {N_REVISIONS} revisions from {N_MEASURED} measured\n"
        f"  Brownian regression  {ours:.4f} s\n"
        f"  GPy                  {theirs:.2f} s\n"
        f"  ratio                {theirs / ours:.0f}\n"
    )


def report_growth() -> None:
    """Fits of growing size: linear means equal nanoseconds per point."""
    sys.stdout.write("fit by number of measured revisions\n")
    for size in SIZES:
        points = measured(4 * size, size)
        taken = seconds(lambda points=points: fit(points))  # type: ignore[misc]  # bound in this loop
        sys.stdout.write(f"  {size:>7}  {taken:.4f} s, {taken / size * 1e9:.0f} ns per point\n")


def report_many_series() -> None:
    """Fit and search many short series, as a table of all histories needs it."""
    rng = np.random.default_rng(3)
    series = [history_of(N_RELEASES).measure(range(N_RELEASES), rng) for _ in range(N_SERIES)]
    fitting = seconds(lambda: [fit(points) for points in series], runs=1)
    searching = seconds(lambda: [find_change_points(points) for points in series], runs=1)
    sys.stdout.write(
        f"{N_SERIES} series of {N_RELEASES} releases, 5 repetitions each\n"
        f"  fits           {fitting:.2f} s, {fitting / N_SERIES * 1e3:.2f} ms per series\n"
        f"  change points  {searching:.2f} s, {searching / N_SERIES * 1e3:.2f} ms per series\n"
    )


def main() -> None:
    """Report all three."""
    report_against_gpy()
    report_growth()
    report_many_series()


if __name__ == "__main__":
    main()
