"""How long a history takes: against GPy, with growing n, choosing actively, and for thousands of series.

All data is made up from fixed seeds. Brownian regression and GPy do the same work in one run: estimate the
variances of 1,000 measured revisions, then the band over all 20,000. The ratio is what counts; the seconds
depend on the machine.

    python -m benchmarks.bench_histories
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from analytics.changepoints import find_change_points
from analytics.histories.active_sampling import StopRule
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings, Kernel
from benchmarks.timing import seconds
from studies.replay.playing import measure_actively
from studies.synthetic import LevelStep, SyntheticHistory, make_history

N_REVISIONS, N_MEASURED = 20_000, 1_000
SIZES = (1_000, 10_000, 100_000)
# As many series as NumPy publishes, with a tenth of them measured here, and as long.
N_SERIES, N_PLAYED = 8_424, 800
SHORTEST, LONGEST = 20, 806


def history_of(length: int) -> SyntheticHistory:
    """A history that wanders, with one step in the middle."""
    return make_history(length, np.random.default_rng(1), walk=0.002, steps=[LevelStep(length // 2, 0.3)])


def measured(length: int, revisions: int) -> Measurements:
    """Some revisions of such a history, measured once each: so that the noise has to be estimated too."""
    rng = np.random.default_rng(2)
    places = rng.choice(length, revisions, replace=False)
    return history_of(length).measure(places, rng, repetitions=1)


def band(points: Measurements, kernel: Kernel) -> object:
    """Fit and predict all revisions."""
    return predict(fit(points, HistorySettings(kernel=kernel)), np.arange(N_REVISIONS))


def report_against_gpy() -> None:
    """One band by the exact regressions and by GPy."""
    points = measured(N_REVISIONS, N_MEASURED)
    few = measured(N_REVISIONS, 10)
    fit(few, HistorySettings(kernel=Kernel.BROWNIAN_GPY))  # GPy's import is not what is measured
    ours = seconds(lambda: band(points, Kernel.BROWNIAN))
    matern = seconds(lambda: band(points, Kernel.MATERN32), runs=1)
    theirs = seconds(lambda: band(points, Kernel.BROWNIAN_GPY), runs=1)
    sys.stdout.write(
        f"band over {N_REVISIONS} revisions from {N_MEASURED} measured\n"
        f"  Brownian regression  {ours:.4f} s\n"
        f"  Matern 3/2           {matern:.2f} s\n"
        f"  GPy, Brownian        {theirs:.2f} s\n"
        f"  ratio of GPy to Brownian regression {theirs / ours:.0f}\n"
    )


def report_growth() -> None:
    """Fits of growing size: linear means equal nanoseconds per point."""
    sys.stdout.write("fit by number of measured revisions\n")
    for size in SIZES:
        points = measured(4 * size, size)
        taken = seconds(lambda points=points: fit(points))  # type: ignore[misc]  # bound in this loop
        sys.stdout.write(f"  {size:>7}  {taken:.4f} s, {taken / size * 1e9:.0f} ns per point\n")


def report_active_loop() -> None:
    """The whole loop of choosing, measuring and learning, one revision at a time."""
    truth = Measurements.of(np.arange(N_REVISIONS), history_of(N_REVISIONS).levels)
    rule = StopRule(smallest_gain=None, most=N_MEASURED + 3)

    def track() -> object:
        return measure_actively(truth, rule)

    taken = seconds(track, runs=3)
    sys.stdout.write(
        f"active loop to {N_MEASURED + 3} samples of {N_REVISIONS} revisions: {taken:.2f} s, "
        f"{taken / N_MEASURED * 1e3:.2f} ms per sample\n"
    )


def fit_and_search(points: Measurements) -> int:
    """What a table of all histories needs of each."""
    fit(points)
    return len(find_change_points(points).changes)


def published_like(number: int) -> Measurements:
    """A series as a benchmark suite publishes it: heavy-tailed noise, steps, its own error for each value."""
    rng = np.random.default_rng(number)
    length = int(np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST))))
    steps = [
        LevelStep(int(place), float(rng.normal(0, 0.2))) for place in rng.integers(1, length, rng.poisson(2))
    ]
    history = make_history(length, rng, steps=steps, walk=0.001)
    noise = float(rng.choice([0.003, 0.01, 0.05]))
    values = history.levels * np.exp(noise * rng.standard_t(3, length))
    errors = values * noise * rng.uniform(0.2, 0.6, length)
    return Measurements.of(np.arange(length), values, errors=errors)


def report_many_series() -> None:
    """Fit and search thousands of series on two processes."""
    series = [published_like(number) for number in range(N_PLAYED)]
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        list(pool.map(fit_and_search, series[:20], chunksize=10))  # starting is not what is measured
        taken = seconds(lambda: list(pool.map(fit_and_search, series, chunksize=50)), runs=1)
    points = sum(len(one) for one in series) / N_PLAYED
    sys.stdout.write(
        f"{N_PLAYED} series of {SHORTEST} to {LONGEST} points (mean {points:.0f}), fitted and searched for\n"
        f"  change points on 2 processes: {taken:.2f} s; {N_SERIES} such series {taken / N_PLAYED * N_SERIES:.0f} s\n"
    )


def main() -> None:
    """Report all."""
    report_against_gpy()
    report_growth()
    report_active_loop()
    report_many_series()


if __name__ == "__main__":
    main()
