"""How often a search for the commit that changed the time is wrong, right or undecided, on a machine that misbehaves.

Made-up searches over 60 revisions, runs of about a second with 2 % of noise, at 5 % of accepted error. All data from
fixed seeds; nothing is timed.

    python -m benchmarks.bench_bisection [SEARCHES]
"""

import os
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from analytics.bisection import Bisection

REVISIONS, ERROR, NOISE = 60, 0.05, 0.02
SIZES = (0.0, 0.05, 0.1, 0.3)
SEARCHES = 200


def gaussian(rng: np.random.Generator) -> Generator[float, float]:
    """Independent noise; like all kinds it is sent the time now, in seconds, and tells the logarithm of the slowness."""
    while True:
        yield rng.normal(0, NOISE)


def autoregressive(rng: np.random.Generator) -> Generator[float, float]:
    """Neighbouring runs are alike: AR(1) with 0.8."""
    value = rng.normal(0, NOISE)
    while True:
        yield value
        value = 0.8 * value + rng.normal(0, NOISE * 0.6)


def bursts(rng: np.random.Generator) -> Generator[float, float]:
    """Now and then some seconds that are slower by 10 to 60 %."""
    start, end, slower = 0.0, 0.0, 0.0
    now = 0.0
    while True:
        if now >= end:
            start = end + rng.exponential(40)
            end, slower = start + rng.uniform(2, 10), rng.uniform(0.1, 0.5)
        now = yield rng.normal(0, NOISE) + (slower if now >= start else 0.0)


def drift(rng: np.random.Generator) -> Generator[float, float]:
    """Slower by up to 15 % over five minutes, and back."""
    phase, now = rng.uniform(0, 600), 0.0
    while True:
        now = yield rng.normal(0, NOISE) + 0.15 * abs((now + phase) % 600 - 300) / 300


def regimes(rng: np.random.Generator) -> Generator[float, float]:
    """Two speeds that differ by a factor of 1.8, each for 5 to 60 seconds."""
    end, slow, now = rng.uniform(0, 60), bool(rng.integers(2)), 0.0
    while True:
        while now >= end:
            end, slow = end + rng.uniform(5, 60), not slow
        now = yield rng.normal(0, NOISE) + (np.log(1.8) if slow else 0.0)


KINDS: tuple[Callable[[np.random.Generator], Generator[float, float]], ...] = (
    gaussian,
    autoregressive,
    bursts,
    drift,
    regimes,
)


def search(kind: int, size: float, seed: int) -> tuple[str, int]:
    """Search once: "right", "wrong" or "undecided", and the number of runs."""
    rng = np.random.default_rng([kind, round(size * 1000), seed])
    step = int(rng.integers(1, REVISIONS))
    machine = KINDS[kind](rng)
    slowness, now = next(machine), 0.0
    bisection = Bisection(range(REVISIONS), error=ERROR)
    while (pair := bisection.propose()) is not None:
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        seconds = np.exp(slowness) * (1 + size if run >= step else 1)
        bisection.add(run, other, seconds)
        now += seconds
        slowness = machine.send(now)
    if not bisection.answer:
        return "undecided", len(bisection.runs)
    return "right" if size and bisection.answer == (step,) else "wrong", len(bisection.runs)


def main(searches: int) -> None:
    """Print the shares by kind of noise and size of the change."""
    sys.stdout.write(
        f"{searches} searches each over {REVISIONS} revisions, accepted error {ERROR:.0%}\n"
        "noise           change   wrong   right  undecided  runs (median)\n"
    )
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for kind, size in product(range(len(KINDS)), SIZES):
            found = list(
                pool.map(search, [kind] * searches, [size] * searches, range(searches), chunksize=10)
            )
            wrong, right, open_ = (
                sum(how == name for how, _ in found) / searches for name in ("wrong", "right", "undecided")
            )
            runs = np.median([count for _, count in found])
            sys.stdout.write(
                f"{KINDS[kind].__name__:<15} {size:>6.0%} {wrong:>7.1%} {right:>7.1%} {open_:>10.1%} {runs:>7.0f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
