"""How many of the intervals that histories are told with hold the truth: bands, and sizes and places of changes.

*Bands* are judged between the measured revisions, a fifth of which were measured: of made-up histories by their true
levels, of published ones by what was measured there and left out, with the noise of a value. *Sizes* are judged where a change was
found within five revisions of a true one; a *place* holds if the true step lies in its bracket, and is told by the mean
probability of the brackets. Nothing was made with these seeds, nor with the published histories of lrzip and ultrajson.

    python -m benchmarks.bench_history_intervals [repetitions]
"""

import sys

import numpy as np
import pandas as pd

from analytics.changepoints import find_change_points
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from benchmarks.configurable_systems import DATA
from benchmarks.noise_kinds import HELD_OUT, TUNED, Kind
from studies.synthetic import LevelStep, make_history

REPETITIONS, LENGTH = 40, 200
KINDS: dict[str, Kind] = {
    name: (TUNED | HELD_OUT)[name]
    for name in ("Gaussian", "Student t, 3 degrees", "AR(1) 0.3", "volatility tripled", "one outlier in 20")
}
PUBLISHED = ("xz", "lrzip", "ultrajson")


def band_of_levels(kind: Kind, seed: int) -> tuple[int, int]:
    """Of a history that wanders and steps, how many true levels between measured revisions lie in the 95 % band."""
    rng = np.random.default_rng([20_264, seed])
    steps = [LevelStep(int(rng.integers(40, 160)), float(rng.uniform(0.05, 0.3)))]
    history = make_history(LENGTH, rng, steps=steps, walk=0.002)
    places = np.sort(rng.choice(LENGTH, LENGTH // 5, replace=False))
    values = history.levels[places] * np.exp(kind(rng, len(places)))
    others = np.setdiff1d(np.arange(places[0], places[-1]), places)
    band = predict(fit(Measurements.of(places, values)), others)
    inside = (band.lower_95 <= history.levels[others]) & (history.levels[others] <= band.upper_95)
    return int(inside.sum()), len(others)


def band_of_values(positions: np.ndarray, values: np.ndarray, seed: int) -> tuple[int, int]:
    """Of a published history, how many values that were left out lie in the band widened by the noise of a value."""
    rng = np.random.default_rng([20_265, seed])
    chosen = np.sort(rng.choice(len(positions), max(len(positions) // 5, 10), replace=False))
    others = np.setdiff1d(np.arange(chosen[0], chosen[-1]), chosen)
    fitted = fit(Measurements.of(positions[chosen], values[chosen]))
    band = predict(fitted, positions[others])
    logs = np.log(values[others])
    noise = 1.96 * np.sqrt(np.median(fitted.noise_variances))
    above, below = np.log(band.upper_95 / band.median), np.log(band.median / band.lower_95)
    off = logs - np.log(band.median)
    inside = (off <= np.hypot(above, noise)) & (-off <= np.hypot(below, noise))
    return int(inside.sum()), len(others)


def changes(kind: Kind, seed: int, points: int) -> tuple[int, int, int, float, int]:
    """Of one series with a step: sizes that hold, places that hold, changes found, their place probabilities, steps."""
    rng = np.random.default_rng([20_266, seed, points])
    at, size = (
        int(rng.integers(points // 4, 3 * points // 4)),
        float(np.exp(rng.uniform(np.log(0.04), np.log(0.3)))),
    )
    logs = kind(rng, points)
    logs[at:] += np.log1p(size)
    found = find_change_points(Measurements.of(np.arange(points), np.exp(logs))).changes
    near = [one for one in found if abs(one.bracket_after - at) <= 5]
    if not near:
        return 0, 0, 0, 0.0, 1
    best = min(near, key=lambda one: abs(one.bracket_after - at))
    return (
        int(best.relative_low <= size <= best.relative_high),
        int(best.bracket_after == at),
        1,
        best.location_probability,
        1,
    )


def main() -> None:
    """Print one table for bands and one for changes."""
    repetitions = int(sys.argv[1]) if sys.argv[1:] else REPETITIONS
    print("95 % bands between measured revisions")
    for name, kind in KINDS.items():
        inside, of = np.sum([band_of_levels(kind, seed) for seed in range(repetitions)], axis=0)
        print(f"{name:26}{100 * inside / of:6.0f} % of {of}", flush=True)
    for name in PUBLISHED:
        if not (DATA / "ase19" / f"{name}.csv.gz").exists():
            continue
        table = pd.read_csv(DATA / "ase19" / f"{name}.csv.gz")
        table = table[table["seconds"] > 0]
        held = []
        for seed, (_, rows) in enumerate(table.groupby("variant")):
            own = rows.groupby("revision")["seconds"].median()
            held.append(band_of_values(own.index.to_numpy(), own.to_numpy(), seed))
        inside, of = np.sum(held, axis=0)
        print(f"{name:26}{100 * inside / of:6.0f} % of {of}", flush=True)
    print("changes: sizes that hold, places that hold (told), found")
    for points in (40, 200):
        for name, kind in KINDS.items():
            sums = np.sum([changes(kind, seed, points) for seed in range(2 * repetitions)], axis=0)
            size, place, found, told, steps = sums.tolist()
            print(
                f"{name}, {points} points".ljust(40)
                + f"{100 * size / found:4.0f} %  {100 * place / found:4.0f} % ({100 * told / found:.0f} %)  {found:.0f} of {steps:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
