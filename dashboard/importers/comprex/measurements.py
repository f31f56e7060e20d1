"""ProfiledRuns of a Comprex bundle and what its regions took in them."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dashboard.importers.comprex.configurations import ComprexConfigurations
from dashboard.importers.comprex.manifest import CONFIGURATIONS, REGION_MEASUREMENTS, REGIONS, RUNS
from dashboard.importers.comprex.regions import ComprexRegions
from dashboard.importers.errors import Faults
from dashboard.importers.record_tables import RegionMeasurementTable
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import FloatArray, IntArray, Table, read_table

_RUN_COLUMNS = ("config_id", "iteration", "wall_time_us", "hotspot_total_us", "n_hotspots", "region_total_us")
_COLUMNS = ("config_id", "region_id", "iteration", "self_time_us")
_MICROSECONDS = 1e6
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ProfiledRuns:
    """Profiled runs by column, shape (n,) each: configuration, iteration, wall time in seconds (NaN: unknown)."""

    configuration: IntArray
    iteration: IntArray
    wall_seconds: FloatArray
    region_total_us: FloatArray


def read_runs(
    source: ImportSource, configurations: ComprexConfigurations, faults: Faults
) -> ProfiledRuns | None:
    """The profiled runs; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, RUNS, _RUN_COLUMNS, faults)
    if table is None:
        return None
    configuration = _configuration(table, configurations)
    iteration = table.whole_numbers("iteration")
    table.first_rows("config_id", "iteration")
    wall = table.numbers("wall_time_us", minimum=0.0, blank=True)
    total = table.numbers("region_total_us", minimum=0.0, blank=True)
    listed = set(table["config_id"])
    for name in configurations.position:
        if name not in listed:
            remedy = f"Add its runs, or remove it from {CONFIGURATIONS}"
            faults.add(RUNS, "the configuration has no run", remedy, column="config_id", value=name)
    if faults.count > before:
        return None
    repetitions = Counter(
        frozenset(iteration[configuration == position].tolist())
        for position in range(len(configurations.position))
    )
    if len(repetitions) > 1:
        numbers_of = ", ".join(f"{len(key)} ({count} configurations)" for key, count in repetitions.items())
        faults.remarks.append(f"{RUNS}: configurations differ in their iterations: {numbers_of}.")
    return ProfiledRuns(configuration, iteration, wall / _MICROSECONDS, total)


def read_region_times(
    source: ImportSource,
    configurations: ComprexConfigurations,
    regions: ComprexRegions,
    runs: ProfiledRuns,
    faults: Faults,
) -> RegionMeasurementTable | None:
    """The self times of regions in seconds, of the first metric; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, REGION_MEASUREMENTS, _COLUMNS, faults)
    if table is None:
        return None
    configuration = _configuration(table, configurations)
    problem, remedy = "is no known region", f"Add it to {REGIONS} or correct the id"
    region = table.references("region_id", regions.position, problem, remedy)
    iteration = table.whole_numbers("iteration")
    microseconds = table.numbers("self_time_us", minimum=0.0)
    run = _run_of(table, configuration, iteration, runs)
    rows = np.flatnonzero((run >= 0) & (region >= 0))
    keys = run[rows] * len(regions.position) + region[rows]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    for index in np.flatnonzero(first[inverse] != np.arange(len(rows))).tolist():
        row, earlier = int(rows[index]), int(rows[first[inverse[index]]])
        value = f"{table['config_id'][row]}, {table['region_id'][row]}, {table['iteration'][row]}"
        problem = f"line {table.lines[earlier]} has this configuration, region and iteration ({value})"
        table.note(row, "self_time_us", problem, "Keep one of the two rows")
    if faults.count > before:
        return None
    # A missing row counts as zero and stays unseen, unless a run's own total differs from its rows.
    sums = np.bincount(run, weights=microseconds, minlength=len(runs.configuration))
    differ = np.flatnonzero(np.abs(sums - runs.region_total_us) > 1.0)
    names = {row: name for name, row in configurations.position.items()}
    faults.remarks.extend(
        f"{RUNS}: region_total_us of {names[int(runs.configuration[index])]}, iteration "
        f"{runs.iteration[index]} is {runs.region_total_us[index]:.0f}, but its rows in "
        f"{REGION_MEASUREMENTS}, which count, sum to {sums[index]:.0f}: check for lost rows."
        for index in differ[:_SHOWN]
    )
    if len(differ) > _SHOWN:
        faults.remarks.append(f"{RUNS}: {len(differ) - _SHOWN} more runs whose region_total_us differs.")
    of_first = np.zeros(len(run), dtype=np.int64)
    return RegionMeasurementTable(run, region, of_first, microseconds / _MICROSECONDS)


def _configuration(table: Table, configurations: ComprexConfigurations) -> IntArray:
    problem, remedy = "is no known configuration", f"Add it to {CONFIGURATIONS} or correct the id"
    return table.references("config_id", configurations.position, problem, remedy)


def _run_of(table: Table, configuration: IntArray, iteration: IntArray, runs: ProfiledRuns) -> IntArray:
    """The position of each row's run, shape (n,); -1 where it is not listed."""
    width = 1 + max(int(iteration.max(initial=0)), int(runs.iteration.max(initial=0)))
    listed = runs.configuration * width + runs.iteration
    order = np.argsort(listed)
    wanted = configuration * width + iteration
    place = np.minimum(np.searchsorted(listed[order], wanted), max(len(listed) - 1, 0))
    run = order[place] if len(order) else np.full(len(wanted), -1)
    run = np.where((listed[run] == wanted) if len(listed) else False, run, -1)
    sound = (configuration >= 0) & (iteration >= 0)
    for index in np.flatnonzero(sound & (run < 0)).tolist():
        problem = f"{RUNS} lists no such run of {table['config_id'][index]}"
        remedy = f"Add the run to {RUNS} or remove the row"
        table.note(index, "iteration", problem, remedy)
    return np.where(sound, run, -1)
