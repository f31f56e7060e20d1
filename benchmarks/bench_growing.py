"""How long one more measured revision of a long history takes: fit, band and changes, beside the full computation.

All data is made up from fixed seeds: histories that wander with a step in the middle, flat ones, and ones with a step of 8 %
(standard deviation) every 150 revisions or so. A revision is appended to the fit and to the search for changes, and the band
is predicted from the last 50 revisions on to the one after the next. Times are processor time of one thread: the median, the 95th percentile, and the mean: of those
without a milestone, and with the milestone's full fit shared out among the revisions up to the next.

    python -m benchmarks.bench_growing [revisions ...]
"""

import sys
import time

import numpy as np

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.growing import search_growing
from analytics.histories.growing import grow
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.milestones import MilestoneError, next_milestone
from analytics.histories.settings import HistorySettings
from benchmarks.bench_histories import measured

SIZES = (1_001, 10_000, 100_000)
APPENDED = 1_000
SETTINGS, CHANGES = HistorySettings(), ChangePointSettings()


def flat(size: int) -> Measurements:
    """Noise of 2 % around one level."""
    return Measurements.of(np.arange(size), np.exp(np.random.default_rng(3).normal(0, 0.02, size)))


def stepping(size: int) -> Measurements:
    """The same, with steps."""
    rng = np.random.default_rng(4)
    logs = rng.normal(0, 0.02, size) + np.cumsum(rng.normal(0, 0.08, size) * (rng.random(size) < 1 / 150))
    return Measurements.of(np.arange(size), np.exp(logs))


KINDS = {"wandering": lambda size: measured(4 * size, size), "flat": flat, "stepping": stepping}


def report(name: str, points: Measurements, size: int) -> None:
    """Print a line about one history of so many revisions, and the `APPENDED` ones behind them."""
    known = points.part(0, size)
    started_at = time.process_time()
    fit(known)
    fitted_at = time.process_time()
    find_change_points(known)
    full = fitted_at - started_at, time.process_time() - fitted_at
    history, search = grow(known, SETTINGS)[0], search_growing(known, CHANGES)
    taken, fits, searches = [], [], []
    for end in range(size + 1, size + APPENDED + 1):
        later = points.part(end - 1, end)
        started_at = time.process_time()
        try:
            history = history.appended(later)
        except MilestoneError:
            history = grow(points.part(0, end), SETTINGS)[0]
            # Its cost is shared out below.
            search = search.appended(later)
            continue
        last = int(later.positions[0])
        history.band_at(np.arange(last - 50, last + 2))
        fitted_at = time.process_time()
        search = search.appended(later)
        ended_at = time.process_time()
        taken.append(ended_at - started_at)
        fits.append(fitted_at - started_at)
        searches.append(ended_at - fitted_at)
    times = np.array(taken) * 1e3
    shared = full[0] * 1e3 / (next_milestone(size) - size)
    middle, slow, mean = np.median(times), np.quantile(times, 0.95), times.mean()
    print(
        f"{size:>7} {name:10} full {full[0]:7.3f} + {full[1]:7.3f} s; appended: median {middle:.3f}, 95 % {slow:.3f}, mean "
        f"{mean:.3f}, with milestones {mean + shared:.3f} ms (fit and band {np.median(fits) * 1e3:.3f}, changes "
        f"{np.median(searches) * 1e3:.3f} in the median); full / median {sum(full) * 1e3 / middle:,.0f}",
        flush=True,
    )


def main() -> None:
    """Report all kinds and sizes."""
    for size in [int(one) for one in sys.argv[1:]] or SIZES:
        for name, make in KINDS.items():
            report(name, make(size + APPENDED), size)


if __name__ == "__main__":
    main()
