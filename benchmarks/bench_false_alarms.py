"""How often a series without any step has a change, and how often a step of 5 % is found within two points.

Noise of 2 % of many kinds (`noise_kinds`), one value a revision, default settings. The limits of the detection were chosen
with the first kinds, under other seeds; nothing was chosen with the held-out kinds. A step lies in the middle half.
`pooled` is the same detection that knows the noise's autocorrelation, as from other series of one benchmark.

    python -m benchmarks.bench_false_alarms [series [points ...]]
"""

import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from ruptures import KernelCPD
from scipy.stats import ttest_ind

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.elimination import TELLS_AUTOCORRELATION
from analytics.changepoints.places import split_gains
from analytics.changepoints.search import segment_ends
from analytics.histories.measurements import Measurements
from benchmarks.noise_kinds import HELD_OUT, TUNED, Kind, Series

SERIES, POINTS = 100, (40, 200, 1000)
STEP, NEAR = np.log(1.05), 2
SEED = 20_261
# Autocorrelations that alike series would tell; of other kinds they tell none.
AUTOCORRELATIONS = {"AR(1) 0.3": 0.3, "AR(1) 0.6": 0.6, "AR(1) 0.75": 0.75, "AR(1) 0.9": 0.9}
# Where nothing steps, a t test of a split alarms less often than this.
SPLIT_P = 0.001

# Certainties are told apart at these.
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.01)

Places = Callable[[Series, str], Sequence[int]]


def perfatlas(values: Series, _kind: str) -> list[int]:
    """Return the first points of the levels that are found."""
    points = Measurements.of(np.arange(len(values)), np.exp(values))
    return [one.bracket_after for one in find_change_points(points).changes]


def certain(values: Series, _kind: str) -> list[int]:
    """As `perfatlas`, without candidates."""
    points = Measurements.of(np.arange(len(values)), np.exp(values))
    return [one.bracket_after for one in find_change_points(points).changes if not one.is_candidate]


def pooled(values: Series, kind: str) -> list[int]:
    """As `perfatlas`, with the autocorrelation known."""
    points = Measurements.of(np.arange(len(values)), np.exp(values))
    settings = ChangePointSettings(autocorrelation=AUTOCORRELATIONS.get(kind, 0.0))
    return [one.bracket_after for one in find_change_points(points, settings).changes]


def independent(values: Series, _kind: str) -> list[int]:
    """As `perfatlas`, with noise that counts as independent: PELT with the penalty 3 log n."""
    points = Measurements.of(np.arange(len(values)), np.exp(values))
    return [one.bracket_after for one in find_change_points(points, detector=segment_ends).changes]


def plain_search(values: Series, _kind: str) -> list[int]:
    """Ruptures' kernel search with the noise of differences and the penalty 2 log n."""
    noise = float(np.median(np.abs(np.diff(values)))) / 0.954
    search = KernelCPD(kernel="linear", min_size=2).fit((values / noise).reshape(-1, 1))
    return [int(one) for one in search.predict(pen=2.0 * np.log(len(values)))][:-1]


def splits_by_t_test(values: Series, _kind: str, first: int = 0) -> list[int]:
    """Binary splits, each kept if Welch's t test says so: like Otava, without its permutations."""
    if len(values) < 6:
        return []
    gains = split_gains(values, np.ones(len(values)))
    middle = 2 + int(gains[1:-1].argmax())
    if ttest_ind(values[:middle], values[middle:], equal_var=False).pvalue >= SPLIT_P:
        return []
    before = splits_by_t_test(values[:middle], "", first)
    return [*before, first + middle, *splits_by_t_test(values[middle:], "", first + middle)]


DETECTORS: dict[str, Places] = {
    "certain": certain,
    "candidates too": perfatlas,
    "pooled": pooled,
    "independent": independent,
    "ruptures": plain_search,
    "t tests": splits_by_t_test,
}


def rates(kind: Kind, name: str, find: Places, points: int, series: int) -> str:
    """Return `alarms % / steps found %` of so many series each."""
    rng = np.random.default_rng([SEED, points])
    alarms = sum(bool(find(kind(rng, points), name)) for _ in range(series))
    found = 0
    for _ in range(series):
        values = kind(rng, points)
        at = int(rng.integers(points // 4, 3 * points // 4 + 1))
        values[at:] += STEP
        found += any(abs(place - at) <= NEAR for place in find(values, name))
    return f"{100 * alarms / series:.1f} / {100 * found / series:.0f}"


def report_certainty(points: int, series: int) -> None:
    """Print of how many told changes, by their certainty, there is a step within five points.

    Half of the series of every kind has a step of 2 to 15 %; those that come back, drift or wander are in it.
    """
    rng = np.random.default_rng([SEED, points, 1])
    told: list[tuple[float, bool]] = []
    for kind in (TUNED | HELD_OUT).values():
        for stepped in [False, True] * (series // 2):
            values, at = kind(rng, points), int(rng.integers(points // 8, 7 * points // 8 + 1))
            if stepped:
                values[at:] += rng.uniform(0.02, 0.15) * rng.choice([-1.0, 1.0])
            changes = find_change_points(Measurements.of(np.arange(points), np.exp(values))).changes
            told += [(one.certainty, stepped and abs(one.bracket_after - at) <= 5) for one in changes]
    cells = []
    for low, high in pairwise(BINS):
        true = [right for certainty, right in told if low <= certainty < high]
        share = f"{100 * np.mean(true):.1f} % of {len(true)}" if true else "none"
        cells.append(f"{100 * low:g} to {min(100 * high, 100):g} %: {share}")
    print(f"{points} points: true of the changes told with a certainty of " + "; ".join(cells), flush=True)


def main() -> None:
    """Print one table for each number of points: kinds by detectors."""
    series, *sizes = [int(one) for one in sys.argv[1:]] or [SERIES]
    for points in sizes or POINTS:
        print(f"{points} points, {series} series: alarms % / steps of 5 % found %")
        print(f"{'':22}" + "".join(f"{name:>14}" for name in DETECTORS))
        times = dict.fromkeys(DETECTORS, 0.0)
        for title, kinds in (("", TUNED), ("held out", HELD_OUT)):
            if title:
                print(title)
            for name, kind in kinds.items():
                cells = []
                for detector, find in DETECTORS.items():
                    if detector == "pooled" and points >= TELLS_AUTOCORRELATION:
                        cells.append("")
                        continue
                    started_at = time.perf_counter()
                    cells.append(rates(kind, name, find, points, series))
                    times[detector] += time.perf_counter() - started_at
                print(f"{name:22}" + "".join(f"{cell:>14}" for cell in cells), flush=True)
        count = 2 * series * (len(TUNED) + len(HELD_OUT))
        print(f"{'ms a series':22}" + "".join(f"{1000 * one / count:>14.2f}" for one in times.values()))
        report_certainty(points, series)


if __name__ == "__main__":
    main()
