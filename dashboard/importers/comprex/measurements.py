"""Profiled runs of a Comprex bundle and what its regions took in them."""

from collections import Counter

import numpy as np

from dashboard.importers.comprex.manifest import CONFIGURATIONS, REGION_MEASUREMENTS, REGIONS, RUNS
from dashboard.importers.errors import Faults
from dashboard.importers.record_tables import RegionMeasurementTable
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import IntArray, Table, read_table

_RUN_COLUMNS = ("config_id", "iteration", "wall_time_us", "hotspot_total_us", "n_hotspots", "region_total_us")
_COLUMNS = ("config_id", "region_id", "iteration", "self_time_us")
MICROSECONDS = 1e6
_SHOWN = 5


def configurations_of(table: Table, configurations: Table) -> IntArray:
    """The row of `configurations` that each row of `table` names."""
    problem, remedy = "is no known configuration", f"Add it to {CONFIGURATIONS} or correct the id"
    return table.references("config_id", configurations.places("config_id"), problem, remedy)


def read_runs(source: ImportSource, configurations: Table, faults: Faults) -> Table | None:
    """The table of profiled runs; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, RUNS, _RUN_COLUMNS, faults)
    if table is None:
        return None
    configuration = configurations_of(table, configurations)
    iteration = table.whole_numbers("iteration")
    table.check_unique("config_id", "iteration")
    for column in ("wall_time_us", "region_total_us"):
        table.numbers(column, minimum=0.0, blank=True)
    listed = set(table["config_id"])
    for name in configurations.places("config_id"):
        if name not in listed:
            remedy = f"Add its runs, or remove it from {CONFIGURATIONS}"
            faults.add(RUNS, "the configuration has no run", remedy, column="config_id", value=name)
    if faults.count > before:
        return None
    repetitions = Counter(
        frozenset(iteration[configuration == place].tolist()) for place in range(len(configurations))
    )
    if len(repetitions) > 1:
        numbers_of = ", ".join(f"{len(key)} ({count} configurations)" for key, count in repetitions.items())
        faults.remarks.append(f"{RUNS}: configurations differ in their iterations: {numbers_of}.")
    return table


def read_region_times(
    source: ImportSource, configurations: Table, regions: Table, runs: Table, faults: Faults
) -> RegionMeasurementTable | None:
    """The self times of regions in seconds, of the first metric; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, REGION_MEASUREMENTS, _COLUMNS, faults)
    if table is None:
        return None
    configuration = configurations_of(table, configurations)
    problem, remedy = "is no known region", f"Add it to {REGIONS} or correct the id"
    region = table.references("region_id", regions.places("region_id"), problem, remedy)
    iteration = table.whole_numbers("iteration")
    microseconds = table.numbers("self_time_us", minimum=0.0)
    iterations = runs.whole_numbers("iteration").tolist()
    listed = {key: run for run, key in enumerate(zip(runs["config_id"], iterations, strict=True))}
    names = zip(table["config_id"], iteration.tolist(), strict=True)
    run = np.fromiter((listed.get(key, -1) for key in names), dtype=np.int64, count=len(table))
    for row in np.flatnonzero((configuration >= 0) & (iteration >= 0) & (run < 0)).tolist():
        problem, remedy = f"{RUNS} lists no such run of", f"Add the run to {RUNS} or remove the row"
        table.note(row, "iteration", f"{problem} {table['config_id'][row]}", remedy)
    rows = np.flatnonzero((run >= 0) & (region >= 0)).tolist()
    keys = (run * len(regions) + region).tolist()
    for later, first in table.repeats(keys[row] for row in rows):
        row, earlier = rows[later], rows[first]
        value = f"{table['config_id'][row]}, {table['region_id'][row]}, {table['iteration'][row]}"
        problem = f"line {table.lines[earlier]} has this configuration, region and iteration ({value})"
        table.note(row, "self_time_us", problem, "Keep one of the two rows")
    if faults.count > before:
        return None
    # A missing row counts as zero and stays unseen, unless a run's own total differs from its rows.
    sums = np.bincount(run, weights=microseconds, minlength=len(runs))
    totals = runs.numbers("region_total_us", blank=True)
    differ = np.flatnonzero(np.abs(sums - totals) > 1.0).tolist()
    faults.remarks.extend(
        f"{RUNS}: region_total_us of {runs['config_id'][one]}, iteration {iterations[one]} is {totals[one]:.0f}, but "
        f"its rows in {REGION_MEASUREMENTS}, which count, sum to {sums[one]:.0f}: check for lost rows."
        for one in differ[:_SHOWN]
    )
    if len(differ) > _SHOWN:
        faults.remarks.append(f"{RUNS}: {len(differ) - _SHOWN} more runs whose region_total_us differs.")
    of_first = np.zeros(len(run), dtype=np.int64)
    return RegionMeasurementTable(run, region, of_first, microseconds / MICROSECONDS)
