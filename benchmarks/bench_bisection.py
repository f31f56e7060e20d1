"""How often a search for the commit that changed the time is wrong, right or undecided, on a machine that misbehaves.

Made-up searches over 60 revisions, runs of about a second with 2 % of noise, at 5 % of accepted error; with one change or
two, and with a prior that is right or wrong. All data from fixed seeds; nothing is timed.

    python -m benchmarks.bench_bisection [SEARCHES]
"""

import os
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from analytics.bisection import Bisection, FloatArray, IntArray

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


def hot_commits(steps: IntArray, rng: np.random.Generator) -> FloatArray:
    """A prior that is right: one commit in ten touches what takes time, and so do the changes."""
    weights = np.where(rng.random(REVISIONS) < 0.1, 1.0, 0.05)
    weights[steps] = 1.0
    return weights


def misled(steps: IntArray, _: np.random.Generator) -> FloatArray:
    """A prior that is as wrong as can be: the changes are a thousand times less likely than all other commits."""
    weights = np.ones(REVISIONS)
    weights[steps] = 0.001
    return weights


# What is searched: how many changes there are of the size, and what was thought of where they lie.
CASES: dict[str, tuple[int, Callable[[IntArray, np.random.Generator], FloatArray] | None]] = {
    "one change": (1, None),
    "two changes": (2, None),
    "right prior": (1, hot_commits),
    "wrong prior": (1, misled),
}


def search(kind: int, size: float, seed: int, case: str = "one change") -> tuple[str, int, bool, float]:
    """Search once: "right", "wrong" or "undecided", the number of runs, and whether the interval holds the size.

    The last one is how many more runs were foretold at some moment while an answer was near, as a multiple of those that it
    took; NaN without. Searches of the same seed, but for what was thought of the commits, have the same change and machine.
    """
    changes, prior = CASES[case]
    rng = np.random.default_rng([kind, round(size * 1000), seed, changes])
    steps = np.sort(rng.choice(np.arange(1, REVISIONS), changes, replace=False))
    levels = (1 + size) ** np.searchsorted(steps, np.arange(REVISIONS), side="right")
    machine = KINDS[kind](rng)
    slowness, now = next(machine), 0.0
    weights = None if prior is None else prior(steps, np.random.default_rng([seed, 77]))
    foretold: list[tuple[int, int]] = []
    bisection = Bisection(range(REVISIONS), error=ERROR, weights=weights)
    while (pair := bisection.propose()) is not None:
        if bisection.ends_differ and not bisection.answer:
            foretold.append((len(bisection.runs), bisection.runs_to_go()))
        run, other = pair if rng.random() < 0.5 else pair[::-1]
        seconds = np.exp(slowness) * levels[run]
        bisection.add(run, other, seconds)
        now += seconds
        slowness = machine.send(now)
    if not bisection.answer:
        return "undecided", len(bisection.runs), True, np.nan
    _, low, high = bisection.size()
    is_right = bool(size) and len(bisection.answer) == 1 and bisection.answer[0] in steps
    runs = len(bisection.runs)
    made, more = foretold[int(rng.integers(len(foretold)))] if foretold else (0, np.nan)
    return "right" if is_right else "wrong", runs, low <= size <= high, more / (runs - made)


def main(searches: int) -> None:
    """Print the shares by case, kind of noise and size of the change."""
    sys.stdout.write(
        f"{searches} searches each over {REVISIONS} revisions, accepted error {ERROR:.0%}\n"
        "case         noise           change   wrong   right  undecided  runs (median, mean)  interval holds\n"
    )
    means: dict[tuple[str, int, float], float] = {}
    ratios: list[float] = []
    every = [("one change", kind, size) for kind, size in product(range(len(KINDS)), SIZES)]
    others = [(case, kind, 0.1) for case, kind in product(list(CASES)[1:], range(len(KINDS)))]
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for case, kind, size in every + others:
            asked = [[one] * searches for one in (kind, size)]
            found = list(pool.map(search, *asked, range(searches), [case] * searches, chunksize=10))
            wrong, right, open_ = (
                sum(how == name for how, *_ in found) / searches for name in ("wrong", "right", "undecided")
            )
            runs = [count for _, count, *_ in found]
            held = [holds for how, _, holds, _ in found if how == "right"]
            ratios += [ratio for *_, ratio in found if np.isfinite(ratio)]
            means[case, kind, size] = float(np.mean(runs))
            holds = f"{np.mean(held):>8.1%}" if held else ""
            sys.stdout.write(
                f"{case:<12} {KINDS[kind].__name__:<15} {size:>6.0%} {wrong:>7.1%} {right:>7.1%} {open_:>10.1%} "
                f"{np.median(runs):>7.0f} {np.mean(runs):>7.1f} {holds}\n"
            )
            sys.stdout.flush()
    sys.stdout.write("\nmean runs with the prior, as a share of those of the same searches without it\n")
    for case in ("right prior", "wrong prior"):
        shares = [means[case, kind, 0.1] / means["one change", kind, 0.1] for kind in range(len(KINDS))]
        told = "  ".join(f"{kind.__name__} {share:.0%}" for kind, share in zip(KINDS, shares, strict=True))
        sys.stdout.write(f"{case:<12} {told}\n")
    within = [np.mean([1 / most < ratio < most for ratio in ratios]) for most in (2, 3)]
    sys.stdout.write(
        f"runs that were foretold to be missing: {within[0]:.0%} within a factor of 2, {within[1]:.0%} of 3, "
        f"median ratio {np.median(ratios):.2f}\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEARCHES)
