"""How many of the 95 % intervals of models with regions hold the truth: hybrid models, and models composed of regions.

The programs are made up: six regions whose counts depend on one to three of eight switches, with their own seconds per count.
*Hybrid* models are learned from 1, 2 and 3 times as many configurations as switches. *Composed* ones have the right partitions
and 24 configurations of 2 to 10 repetitions. An influence is true if it is what the same terms would get from all
configurations, without noise.

    python -m benchmarks.bench_region_intervals [programs]
"""

import sys

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.learned import learn_hybrid
from analytics.influence.linear import learn
from analytics.influence.models import fit
from analytics.influence.times import FloatArray, RegionTimes
from benchmarks.bench_intervals import Held, share
from benchmarks.configurable_systems import NOISES

# The intervals of hybrid models were made with the seeds 1000 to 1007: nothing with these.
FIRST, PROGRAMS, SWITCHES, REGIONS = 300, 12, 8, 6
PREDICTED = 40  # configurations of a composed model
SPACE = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(SWITCHES)))
EVERY = ((np.arange(2**SWITCHES)[:, None] >> np.arange(SWITCHES)) & 1).astype(np.int8)
NAMES = tuple(f"m:f{number}" for number in range(REGIONS))


def program(seed: int) -> tuple[list[IntArray], IntArray, FloatArray]:
    """The switches of each region, and its counts and seconds in every configuration, shape (n, n_regions)."""
    rng = np.random.default_rng([20_267, seed])
    switches, columns = [], []
    for _ in range(REGIONS):
        own = np.sort(rng.choice(SWITCHES, int(rng.integers(1, 4)), replace=False))
        on = EVERY[:, own].astype(int)
        columns.append(rng.integers(50, 500) + on @ rng.integers(20, 400, len(own)))
        columns[-1] += int(rng.integers(20, 400)) * on.all(axis=1)
        switches.append(own)
    counts = np.array(columns).T
    seconds = counts * rng.uniform(0.5, 2.0, REGIONS)
    return switches, counts, seconds * 10.0 / seconds.sum(axis=1).mean()


def hybrid(noise: str, size: int, seed: int) -> tuple[Held, Held]:
    """Influences and predictions of one hybrid model."""
    _, counts, seconds = program(seed)
    truth = seconds.sum(axis=1) + 0.5
    rng = np.random.default_rng([20_268, seed, size])
    order = rng.permutation(len(EVERY))
    seen, others = order[: size * SWITCHES], order[size * SWITCHES :]
    measured = np.maximum(NOISES[noise](truth[seen], rng), 0.1)
    found = learn_hybrid(CountedSample(SPACE, EVERY[seen], counts[seen], NAMES, measured), None)
    terms, model = found.model.terms, found.model.whole
    true = learn(SPACE, model.levels, EVERY, truth).terms
    told = np.isfinite(terms.margins) & true.determined & (terms.degrees > 0)
    off = np.abs(terms.coefficients - true.coefficients) <= terms.margins
    held = np.abs(model.predict(EVERY[others]) - NOISES[noise](truth[others], rng)) <= (found.margin or 0.0)
    return (int(off[told].sum()), int(told.sum())), (int(held.sum()), len(others))


def composed(noise: str, repetitions: int, seed: int) -> tuple[Held, Held]:
    """Influences and predictions of one composed model: a run is slow everywhere, and each region scatters on its own.

    Predictions are of configurations that were not measured, and of their time without noise.
    """
    switches, _, seconds = program(seed)
    rng = np.random.default_rng([20_269, seed, repetitions])
    seen = rng.permutation(len(EVERY))[:24]
    parts = [Partition.exhaustive(SPACE, [f"O{one}" for one in own]) for own in switches]
    shared = NOISES[noise](np.full((len(seen), repetitions), 10.0), rng) / 10.0
    values = seconds[seen].T[:, :, None] * shared
    values = (
        values
        * NOISES[noise](np.full((len(seen) * REGIONS, repetitions), 10.0), rng).reshape(values.shape)
        / 10.0
    )

    def model(rows: IntArray, times: FloatArray) -> RegionTimes:
        return RegionTimes(SPACE, NAMES, parts, rows, times, np.ones(times.shape[1:], dtype=bool))

    found, whole = fit(model(EVERY[seen], values)), fit(model(EVERY, seconds.T[:, :, None]))
    terms, true = found.terms, whole.terms
    place = {row.tobytes(): at for at, row in enumerate(true.levels)}
    rows = [place[row.tobytes()] for row in terms.levels]
    told = np.isfinite(terms.margins) & terms.determined & (terms.degrees > 0)
    held = np.abs(terms.coefficients - true.coefficients[rows]) <= terms.margins
    others = rng.permutation(np.setdiff1d(np.arange(len(EVERY)), seen))[:PREDICTED]
    ends = [found.between(EVERY[row], EVERY[row]).terms.estimates()[0] for row in others]
    off = [
        abs(one.value - seconds[row].sum()) <= one.margin
        for one, row in zip(ends, others, strict=True)
        if one.margin is not None
    ]
    return (int(held[told].sum()), int(told.sum())), (sum(off), len(off))


def main() -> None:
    """Print a table for hybrid models and one for composed ones."""
    programs = range(FIRST, FIRST + (int(sys.argv[1]) if sys.argv[1:] else PROGRAMS))
    print("hybrid: influences, predictions" + "".join(f"{f'{size} x switches':>30}" for size in (1, 2, 3)))
    for noise in NOISES:
        cells = []
        for size in (1, 2, 3):
            terms, others = zip(*(hybrid(noise, size, seed) for seed in programs), strict=True)
            cells.append(f"{share(list(terms))}, {share(list(others))}")
        print(f"{noise:31}" + "".join(f"{cell:>30}" for cell in cells), flush=True)
    counts = (2, 3, 5, 10)
    print("composed: influences, predictions" + "".join(f"{f'{count} repetitions':>30}" for count in counts))
    for noise in NOISES:
        cells = []
        for count in counts:
            terms, others = zip(*(composed(noise, count, seed) for seed in programs), strict=True)
            cells.append(f"{share(list(terms))}, {share(list(others))}")
        print(f"{noise:33}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
