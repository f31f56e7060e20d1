"""How often a series without a drift is told to drift slowly, how often a drift is found, and whether its interval holds.

Noise of 2 % (`noise_kinds`), one value a revision, default settings; a drift is a line in what the search for changes leaves.
The weight of random walks was chosen with the kinds above, under other seeds; nothing was chosen with the held-out kinds.
Figures are those of what is told as a fact, with candidates in brackets, among `suite` series that are searched together.

    python -m benchmarks.bench_drifts [series [suite [points ...]]]
    python -m benchmarks.bench_drifts certainty [series [seed]]
"""

import itertools
import sys

import numpy as np

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.slow_drift import SlowDrift, find_drift
from analytics.histories.measurements import Measurements
from benchmarks.noise_kinds import HELD_OUT, NOISE, TUNED, Kind, Series, autoregressive, gaussian
from benchmarks.noise_kinds import KEPT_ASIDE as NEW

SERIES, SUITE, POINTS, SEED = 300, 1, (40, 200, 500), 48_117
DRIFTS = (0.03, 0.05, 0.08)
CERTAINTIES = (0.5, 0.8, 0.9, 0.95, 0.99, 1.01)
# Kinds that rise or fall by themselves stand for drifts.
BY_THEMSELVES = ("drift", "settling", "bend", "curve", "rise")


def walking(size: float, noise: float = NOISE) -> Kind:
    """A random walk of that size a point below noise."""

    def kind(rng: np.random.Generator, points: int) -> Series:
        return gaussian(rng, points) * noise / NOISE + np.cumsum(size * rng.normal(size=points))

    return kind


def jumping(rng: np.random.Generator, points: int) -> Series:
    """A random walk without noise, of heavy tails: Student's t with three degrees of freedom."""
    return np.asarray(np.cumsum(0.003 * rng.standard_t(3, size=points)))


STEADY = {
    **{name: kind for name, kind in TUNED.items() if not any(word in name for word in BY_THEMSELVES)},
    "random walk, 0.1 %": walking(0.001),
    "random walk, 0.2 %": walking(0.002),
    "random walk alone": walking(0.005, noise=0.0),
    "AR(1) 0.97": lambda rng, n: autoregressive(rng, n, 0.97),
}
KEPT_ASIDE = {
    **{name: kind for name, kind in HELD_OUT.items() if not any(word in name for word in BY_THEMSELVES)},
    "AR(1) 0.95": lambda rng, n: autoregressive(rng, n, 0.95),
    "random walk, 0.3 %": walking(0.003),
    "random walk, 1 %": walking(0.01),
    "walk of jumps alone": jumping,
}


def drift_of(values: Series, suite: int) -> SlowDrift | None:
    """The drift that is found in a series of logarithms, beside so many others."""
    measured = Measurements.of(np.arange(len(values)), np.exp(values))
    settings = ChangePointSettings(suite=suite)
    return find_drift(measured, find_change_points(measured, settings), settings)


def share(found: list[SlowDrift | None]) -> str:
    """`told % (with candidates %)`."""
    told = sum(one is not None and not one.is_candidate for one in found)
    every = sum(one is not None for one in found)
    return f"{100 * told / len(found):.1f} ({100 * every / len(found):.1f})"


def report(kinds: dict[str, Kind], points: int, series: int, suite: int) -> None:
    """Print for each kind the alarms, the drifts found by size, and how many intervals of the whole lines hold these."""
    for name, kind in kinds.items():
        rng = np.random.default_rng([SEED, points])
        cells = [share([drift_of(kind(rng, points), suite) for _ in range(series)])]
        held, wide = 0, 0
        for size in DRIFTS:
            line = np.log1p(size) * np.linspace(0.0, 1.0, points)
            found = [drift_of(kind(rng, points) + line, suite) for _ in range(series // 3)]
            cells.append(share(found))
            whole = [one for one in found if one is not None and one.first == 0]
            held += sum(one.relative_low <= size <= one.relative_high for one in whole)
            wide += len(whole)
        cells.append(f"{held} of {wide}")
        print(f"{name:22}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def certainties(
    kinds: dict[str, Kind], points: int, series: int, seed: int
) -> list[tuple[float, bool, bool]]:
    """The certainty of each drift that is found, whether it is a fact, and whether it is there; in half of the series one of 2 to 15 % is."""
    rng = np.random.default_rng([seed, points])
    rows = []
    for kind in kinds.values():
        for at in range(series):
            size = (
                float(np.exp(rng.uniform(np.log(0.02), np.log(0.15)))) * float(rng.choice([-1, 1])) * (at % 2)
            )
            values = kind(rng, points) + np.log1p(size) * np.linspace(0.0, 1.0, points)
            found = drift_of(values, 1)
            if found is not None:
                rows.append((found.certainty, not found.is_candidate, found.relative_size * size > 0))
    return rows


def calibration(name: str, rows: list[tuple[float, bool, bool]]) -> None:
    """Print how many of the drifts of each certainty are there."""
    cells = []
    for low, high in itertools.pairwise(CERTAINTIES):
        own = [there for certainty, _, there in rows if low <= certainty < high]
        cells.append(f"{100 * low:.0f} to {100 * min(high, 1.0):.0f} %: {sum(own)} of {len(own)}")
    told = [there for _, is_fact, there in rows if is_fact]
    print(f"{name}: {'; '.join(cells)}; of facts {sum(told)} of {len(told)} are there", flush=True)


def main() -> None:
    """Print one table for each number of points; with `certainty` how often drifts of each certainty are there."""
    if sys.argv[1:2] == ["certainty"]:
        series, seed = [*map(int, sys.argv[2:]), *(SERIES, SEED)[len(sys.argv[2:]) :]]
        for points in POINTS[:2]:
            for name, kinds in (("tuned", STEADY), ("held out", KEPT_ASIDE), ("new", NEW)):
                calibration(f"{points} points, {name} kinds", certainties(kinds, points, series, seed))
        return
    series, suite, *sizes = [*map(int, sys.argv[1:]), *(SERIES, SUITE)[len(sys.argv[1:]) :]]
    for points in sizes or POINTS:
        print(
            f"{points} points, {series} series, suite of {suite}: alarms %, drifts of 3, 5, 8 % found %, intervals"
        )
        report(STEADY, points, series, suite)
        print("held out")
        report(KEPT_ASIDE, points, series, suite)


if __name__ == "__main__":
    main()
