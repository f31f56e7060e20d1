"""How long an influence model of Berkeley DB's size takes to build, with the interval of every term.

Size of the largest system of Velez et al. (ICSE 2021): 758 regions, 144 configurations, 22,000 subspaces,
five repetitions. The data is made up from a fixed seed. Two cases: regions share partitions as real ones
do (551 regions of Apache Lucene have 35), and every region has a partition of its own.

    python -m benchmarks.bench_influence
"""

import sys

import numpy as np

from analytics.configurations.covers import distinct_partitions
from analytics.configurations.formulas import parse
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition, partitions_of
from analytics.influence.models import fit
from analytics.influence.times import RegionTimes
from benchmarks.timing import seconds

N_REGIONS, N_CONFIGURATIONS, N_REPETITIONS, N_OPTIONS, N_SUBSPACES = 758, 144, 5, 20, 22_000


def region_formulas(rng: np.random.Generator, n_partitions: int) -> dict[str, tuple[str, ...]]:
    """Formulas of every region: exhaustive over four or five options, a few subspaces merged by `|`."""
    space = option_space()
    shapes = []
    for _ in range(n_partitions):
        options = rng.choice(space.names, size=5 if rng.random() < 0.85 else 4, replace=False)
        formulas = list(Partition.exhaustive(space, options).formulas)
        merged = rng.permutation(len(formulas))[:2]
        kept = [text for index, text in enumerate(formulas) if index not in merged]
        shapes.append((*kept, " | ".join(f"({formulas[index]})" for index in merged)))
    return {f"R{index:04d}": shapes[index % n_partitions] for index in range(N_REGIONS)}


def option_space() -> OptionSpace:
    """Options as numerous as a real system has, all off or on."""
    return OptionSpace(tuple(Option(f"OPTION_{index}", (False, True)) for index in range(N_OPTIONS)))


def region_times(rng: np.random.Generator, partitions: dict[str, Partition]) -> RegionTimes:
    """Times of random configurations: two regions in three show up in a run, with 3 % noise."""
    level = rng.gamma(0.5, 0.02, size=(N_REGIONS, N_CONFIGURATIONS, 1)) * (
        rng.random((N_REGIONS, 1, 1)) < 0.67
    )
    return RegionTimes(
        space=option_space(),
        regions=tuple(partitions),
        partitions=tuple(partitions.values()),
        configurations=rng.integers(0, 2, size=(N_CONFIGURATIONS, N_OPTIONS), dtype=np.int8),
        values=level * rng.normal(1.0, 0.03, size=(N_REGIONS, N_CONFIGURATIONS, N_REPETITIONS)),
        ran=np.ones((N_CONFIGURATIONS, N_REPETITIONS), dtype=bool),
    )


def report(name: str, n_partitions: int) -> None:
    """Write sizes and times of one case to standard output."""
    formulas = region_formulas(np.random.default_rng(1), n_partitions)
    space = option_space()

    def read_partitions() -> dict[str, Partition]:
        parse.cache_clear()
        return partitions_of(space, formulas)

    partitions = read_partitions()
    times = region_times(np.random.default_rng(2), partitions)
    model = fit(times)
    n_subspaces = sum(partition.n_subspaces for partition in partitions.values())
    n_local = sum(local.coefficients.size for local in model.local)
    sys.stdout.write(
        f"{name}: {N_REGIONS} regions ({len(distinct_partitions(times.partitions))} different partitions), "
        f"{N_CONFIGURATIONS} configurations, {N_REPETITIONS} repetitions, {n_subspaces} subspaces, "
        f"{len(model.terms)} global and {n_local} local terms\n"
        f"  partitions from formulas    {seconds(read_partitions):.3f} s\n"
        f"  model with all intervals    {seconds(lambda: fit(times)):.3f} s\n"
        f"  another base configuration  {seconds(lambda: model.relative_to(times.configurations[1])):.3f} s\n"
    )


def main() -> None:
    """Report both cases."""
    report("shared partitions", 60)
    report("a partition per region", N_REGIONS)


if __name__ == "__main__":
    main()
