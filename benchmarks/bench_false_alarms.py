"""How often a series without any step has a change, and how often a step of 5 % is found within two points.

Noise of 2 % of many kinds (`noise_kinds`), one value a revision, default settings. The limits of the detection were chosen
with the first kinds, under other seeds; nothing was chosen with the held-out kinds. A step lies in the middle half.
`pooled` is the same detection that knows what alike series tell of the noise: each of ten suites has eight of them of 150 points, of the
same kind. `beside steady` has them of Gaussian noise, whatever the kind: what pooling costs where a series does what no other did.
Each cell of Perfatlas has changes that are told as facts, and with candidates in brackets.

    python -m benchmarks.bench_false_alarms [series [points ...]]
"""

import sys
import time
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np
from ruptures import KernelCPD
from scipy.stats import ttest_ind

from analytics.changepoints import ChangePoints, ChangePointSettings, find_change_points, noise_of_alike
from analytics.changepoints.elimination import TELLS_AUTOCORRELATION
from analytics.changepoints.places import split_gains
from analytics.histories.measurements import Measurements
from benchmarks.l1_steps import l1_steps
from benchmarks.noise_kinds import HELD_OUT, KEPT_ASIDE, TUNED, Kind, Series

SERIES, POINTS = 300, (40, 200, 1000)
STEP, NEAR = np.log(1.05), 2
SEED = 20_263
# Suites of each kind, the series beside a short one in each, and their points.
SUITES, ALIKE, LONG = 10, 8, 150
ALONE = ChangePointSettings()
# Where nothing steps, a t test of a split alarms less often than this.
SPLIT_P = 0.001
# Certainties are told apart at these.
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.01)

# The first points of the levels that are found, and whether each is told as a fact.
Found = list[tuple[int, bool]]


def searched(values: Series, settings: ChangePointSettings) -> ChangePoints:
    """What Perfatlas finds."""
    return find_change_points(Measurements.of(np.arange(len(values)), np.exp(values)), settings)


def perfatlas(values: Series, _kind: str, settings: ChangePointSettings = ALONE) -> Found:
    """Perfatlas, which knows no other series."""
    return [(one.bracket_after, not one.is_candidate) for one in searched(values, settings).changes]


@lru_cache(maxsize=len(TUNED) + len(HELD_OUT) + len(KEPT_ASIDE))
def suites(kind: str) -> tuple[ChangePointSettings, ...]:
    """What the long series of each suite of a kind tell of a short one."""
    rng = np.random.default_rng([SEED, LONG])
    told = []
    for _ in range(SUITES):
        alike = [searched((TUNED | HELD_OUT | KEPT_ASIDE)[kind](rng, LONG), ALONE) for _ in range(ALIKE)]
        autocorrelation, wander = noise_of_alike(alike)
        told.append(ChangePointSettings(autocorrelation=autocorrelation, wander=wander))
    return tuple(told)


def of_suite(values: Series, kind: str) -> ChangePointSettings:
    """What one of the suites of a kind tells: which one, the first value says."""
    return suites(kind)[hash(float(values[0])) % SUITES]


def pooled(values: Series, kind: str) -> Found:
    """As `perfatlas`, of a series in a suite of its kind."""
    return perfatlas(values, kind, of_suite(values, kind))


def beside_steady(values: Series, _kind: str) -> Found:
    """As `pooled`, in a suite of Gaussian noise."""
    return pooled(values, "Gaussian")


def told(find: Callable[[Series], list[int]]) -> Callable[[Series, str], Found]:
    """Return a search that knows no candidates."""
    return lambda values, _kind: [(place, True) for place in find(values)]


def plain_search(values: Series) -> list[int]:
    """Ruptures' kernel search with the noise of differences and the penalty 2 log n."""
    noise = float(np.median(np.abs(np.diff(values)))) / 0.954
    search = KernelCPD(kernel="linear", min_size=2).fit((values / noise).reshape(-1, 1))
    return [int(one) for one in search.predict(pen=2.0 * np.log(len(values)))][:-1]


def splits_by_t_test(values: Series, first: int = 0) -> list[int]:
    """Binary splits, each kept if Welch's t test says so: like Otava, without its permutations."""
    if len(values) < 6:
        return []
    gains = split_gains(values, np.ones(len(values)))
    middle = 2 + int(gains[1:-1].argmax())
    if ttest_ind(values[:middle], values[middle:], equal_var=False).pvalue >= SPLIT_P:
        return []
    before = splits_by_t_test(values[:middle], first)
    return [*before, first + middle, *splits_by_t_test(values[middle:], first + middle)]


# Each with the most points that it is tried with, and one in how many series: some take long.
DETECTORS: dict[str, tuple[Callable[[Series, str], Found], int, int]] = {
    "Perfatlas": (perfatlas, 10_000, 1),
    "pooled": (pooled, TELLS_AUTOCORRELATION - 1, 1),
    "beside steady": (beside_steady, TELLS_AUTOCORRELATION - 1, 1),
    "asv": (told(l1_steps), 200, 5),
    "t tests": (told(splits_by_t_test), 10_000, 3),
    "ruptures": (told(plain_search), 10_000, 3),
}

# Those that know candidates.
OWN = {perfatlas, pooled, beside_steady}


def rates(kind: Kind, name: str, find: Callable[[Series, str], Found], points: int, series: int) -> str:
    """Return `alarms % / steps found %` of so many series each, with candidates in brackets where there are any."""
    rng = np.random.default_rng([SEED, points])
    facts, every = [0, 0], [0, 0]
    for stepped in (0, 1):
        for _ in range(series):
            values = kind(rng, points)
            at = int(rng.integers(points // 4, 3 * points // 4 + 1))
            values[at:] += STEP * stepped
            found = [one for one in find(values, name) if not stepped or abs(one[0] - at) <= NEAR]
            facts[stepped] += any(is_fact for _, is_fact in found)
            every[stepped] += bool(found)
    cells = [
        f"{100 * fact / series:.{1 - stepped}f}"
        + (f" ({100 * one / series:.{1 - stepped}f})" if find in OWN else "")
        for stepped, (fact, one) in enumerate(zip(facts, every, strict=True))
    ]
    return " / ".join(cells)


def report_certainty(points: int, series: int, *, in_suites: bool = False) -> None:
    """Print of how many told changes, by their certainty, there is a step within five points, in held-out kinds.

    Half of the series of every kind has a step of 2 to 15 %; those that come back, drift or wander are in it. `in_suites` each knows what alike series tell.
    """
    rng = np.random.default_rng([SEED, points, 1])
    certain: list[tuple[float, bool]] = []
    for name, kind in HELD_OUT.items():
        for stepped in [False, True] * (series // 2):
            values, at = kind(rng, points), int(rng.integers(points // 8, 7 * points // 8 + 1))
            if stepped:
                values[at:] += rng.uniform(0.02, 0.15) * rng.choice([-1.0, 1.0])
            changes = searched(values, of_suite(values, name) if in_suites else ALONE).changes
            certain += [(one.certainty, stepped and abs(one.bracket_after - at) <= 5) for one in changes]
    cells = []
    for low, high in pairwise(BINS):
        true = [right for certainty, right in certain if low <= certainty < high]
        share = f"{100 * np.mean(true):.1f} % of {len(true)}" if true else "none"
        cells.append(f"{100 * low:g} to {min(100 * high, 100):g} %: {share}")
    print(
        f"{points} points{' in suites' * in_suites}: true of the changes told with a certainty of "
        + "; ".join(cells),
        flush=True,
    )


def main() -> None:
    """Print one table for each number of points: kinds by detectors."""
    series, *sizes = [int(one) for one in sys.argv[1:]] or [SERIES]
    for points in sizes or POINTS:
        print(f"{points} points, {series} series: alarms % / steps of 5 % found %")
        tried = {name: some for name, some in DETECTORS.items() if points <= some[1]}
        print(f"{'':22}" + "".join(f"{name:>24}" for name in tried))
        times = dict.fromkeys(tried, 0.0)
        for title, kinds in (("", TUNED), ("held out", HELD_OUT)):
            if title:
                print(title)
            for name, kind in kinds.items():
                cells = []
                for detector, (find, _, one_in) in tried.items():
                    started_at = time.process_time()
                    cells.append(rates(kind, name, find, points, series // one_in))
                    times[detector] += (time.process_time() - started_at) * one_in
                print(f"{name:22}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
        count = 2 * series * (len(TUNED) + len(HELD_OUT))
        print(f"{'ms a series':22}" + "".join(f"{1000 * one / count:>24.2f}" for one in times.values()))
        report_certainty(points, series)
        if points < TELLS_AUTOCORRELATION:
            report_certainty(points, series, in_suites=True)


if __name__ == "__main__":
    main()
