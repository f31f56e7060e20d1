"""How well it is told what a configuration that was not measured takes by the default one, in each workload.

A tenth of the configurations is left out, and each of them predicted against a configuration that stayed, and against another
one that was left out. *Held* are shares of 95 % intervals that hold the measured factor.

    python -m benchmarks.bench_workload_factors [folder of a study ...]

The method has no constant. Nothing was chosen with any of the studies.
"""

import sys
from pathlib import Path

import numpy as np

from analytics.workloads.effects import workload_effects
from analytics.workloads.factors import WorkloadModel
from analytics.workloads.sample import WorkloadSample
from benchmarks.bench_new_workloads import sample_of
from benchmarks.configurable_systems import DATA

DRAWS, MOST_LEFT_OUT = 5, 40


def report(folder: Path) -> None:
    """Print a row: median error of a factor, the usual interval, and how often intervals hold."""
    space, sample = sample_of(folder)
    errors: list[float] = []
    widths: list[float] = []
    held: dict[int, list[bool]] = {1: [], 2: []}
    for seed in range(DRAWS):
        order = np.random.default_rng(20_271 + seed).permutation(len(sample.values))
        out = min(max(len(order) // 10, 2), MOST_LEFT_OUT)
        left, stayed = order[:out], order[out:]
        known = WorkloadSample(sample.configurations[stayed], sample.values[stayed], sample.workloads)
        model = WorkloadModel.over(workload_effects(space, known).levels, known)
        for at, target in enumerate(left):
            if not model.knows(sample.configurations[target]):
                continue
            for unknown, base in ((1, stayed[0]), (2, left[at - 1])):
                if not model.knows(sample.configurations[base]):
                    continue
                found = model.factors(sample.configurations[target], sample.configurations[base])
                true = np.log(sample.values[target] / sample.values[base])
                held[unknown].extend((np.abs(found.values - true) <= found.margins).tolist())
                if unknown == 1:
                    errors.extend((100 * np.abs(np.expm1(found.values - true))).tolist())
                    widths.extend((100 * np.expm1(found.margins)).tolist())
    print(
        f"{folder.name:14}{len(sample.values):>6} x {len(sample.workloads):<4}"
        f"{np.median(errors):>10.1f}{np.median(widths):>12.1f}"
        + "".join(f"{100 * np.mean(held[one]):>14.1f}" for one in (1, 2)),
        flush=True,
    )


def main() -> None:
    """Print a table of the studies given, or of those beside the project."""
    folders = [Path(one) for one in sys.argv[1:]] or sorted((DATA / "workloads").glob("*/"))
    print(f"{'':27}{'error, %':>10}{'± usual, %':>12}{'held, %':>14}{'both unknown':>14}")
    for folder in folders:
        report(folder)


if __name__ == "__main__":
    main()
