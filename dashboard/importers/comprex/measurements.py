"""Options, configurations and profiled runs of a Comprex bundle, and what its regions took in them."""

from collections import Counter

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.importers.comprex.manifest import ComprexFile as File
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.record_tables import RegionMeasurementTable
from dashboard.importers.records import LevelRecord, OptionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table

_OPTION_COLUMNS = (
    *("name", "off_value", "on_value", "off_value_alt", "on_value_alt"),
    *("value_source", "in_any_partition"),
)
_RUN_COLUMNS = ("config_id", "iteration", "wall_time_us", "hotspot_total_us", "n_hotspots", "region_total_us")
_TIME_COLUMNS = ("config_id", "region_id", "iteration", "self_time_us")
MICROSECONDS = 1e6
_BOOLEANS = {"false": False, "true": True}
_LEVELS = {"0": 0, "1": 1}
_SHOWN = 5


def read_options(source: ImportSource, faults: Faults) -> Table:
    """The table of options. Raises `InvalidBundle` where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, File.OPTIONS, _OPTION_COLUMNS, faults)
    if table is None:
        faults.stop()
    table.check_unique("name")
    for column in ("off_value", "on_value"):
        table.texts(column, longest=LONGEST["level"])
    table.texts("name", longest=LONGEST["option"], blank=False)
    for row, option in enumerate(option_records(table)):
        try:
            option.as_option()
        except ConfigurationError as error:
            table.note(row, "name", str(error), "Correct the name or the values")
    if not len(table):
        faults.add(File.OPTIONS, "lists no option", "Add a row per option")
    if faults.count > before:
        faults.stop()
    return table


def option_records(table: Table) -> tuple[OptionRecord, ...]:
    """The options of the table; values that it does not tell are written off and on."""
    records = []
    for cells in zip(*(table[column] for column in _OPTION_COLUMNS), strict=True):
        name, off, on, other_off, other_on, origin, _ = cells
        levels = tuple(
            LevelRecord(_BOOLEANS.get(value, value) if value else is_on, value or label)
            for is_on, label, value in ((False, "off", off), (True, "on", on))
        )
        others = f"other values: {other_off or '?'} and {other_on or '?'}" if other_off or other_on else ""
        notes = (others, f"source of the values: {origin}" if origin else "")
        records.append(OptionRecord(name, levels, "; ".join(filter(None, notes))))
    return tuple(records)


def levels_of(table: Table, space: OptionSpace) -> IntArray:
    """The level of each option in each row of configurations, shape (n_rows, n_options); -1 for anything but 0 and 1."""
    off = ["0"] * len(table)
    levels = [[_LEVELS.get(cell, -1) for cell in table.columns.get(name, off)] for name in space.names]
    return np.array(levels, dtype=np.int8).T


def read_configurations(
    source: ImportSource, file: File, other: str, space: OptionSpace, faults: Faults
) -> Table | None:
    """The configurations in `file`, every option 0 or 1; `other` is a column that is no option.

    None where the file cannot be read.
    """
    table = read_table(source, file, ("config_id", other), faults)
    if table is None:
        return None
    table.texts("config_id", longest=LONGEST["configuration"], blank=False)
    table.check_unique("config_id")
    for column in table.columns:
        if column not in ("config_id", other, *space.names):
            remedy = f"Add the option to {File.OPTIONS} or remove the column"
            faults.add(file, "the column is no known option", remedy, line=1, column=column)
    for name in space.names:
        if name not in table:
            faults.add(file, "the option has no column", "Add the column", line=1, column=name)
    levels = levels_of(table, space)
    for place, row in np.argwhere(levels.T < 0).tolist():
        table.note(row, space.names[place], "is neither 0 nor 1", "Write 0 for off and 1 for on")
    for row, earlier in table.repeats(one.tobytes() for one in levels):
        if (levels[row] >= 0).all():
            problem = f"has the same options as line {table.lines[earlier]}"
            table.note(row, "config_id", problem, "Keep one of the two rows")
    return table


def read_ground_truth(source: ImportSource, space: OptionSpace, faults: Faults) -> Table | None:
    """The configurations that were measured end to end; None where there is no such file, or it cannot be read."""
    if File.GROUND_TRUTH not in source.names:
        return None
    table = read_configurations(source, File.GROUND_TRUTH, "time_s", space, faults)
    if table is not None:
        table.numbers("time_s", minimum=0.0)
    return table


def read_profiled(source: ImportSource, truth: Table | None, space: OptionSpace, faults: Faults) -> Table:
    """The profiled configurations; a `groundtruth_id` is that of the same configuration in `truth`.

    Raises `InvalidBundle` where the file cannot be read.
    """
    table = read_configurations(source, File.CONFIGURATIONS, "groundtruth_id", space, faults)
    if table is None:
        faults.stop()
    if not len(table):
        faults.add(File.CONFIGURATIONS, "lists no configuration", "Add a row per profiled configuration")
    if truth is None:
        if File.GROUND_TRUTH not in source.names and any(table["groundtruth_id"]):
            remark = f"groundtruth_id leads nowhere, {File.GROUND_TRUTH} is not there."
            faults.remarks.append(f"{File.CONFIGURATIONS}: {remark}")
        return table
    levels, true_levels, places = levels_of(table, space), levels_of(truth, space), truth.places("config_id")
    for row, name in enumerate(table["groundtruth_id"]):
        if not name or (name in places and np.array_equal(levels[row], true_levels[places[name]])):
            continue
        problem = "has other options there" if name in places else "has no such configuration"
        remedy = f"Name the row of {truth.file} with the same options, or leave it blank"
        table.note(row, "groundtruth_id", f"{truth.file} {problem}", remedy)
    return table


def configurations_of(table: Table, configurations: Table) -> IntArray:
    """The row of `configurations` that each row of `table` names."""
    remedy = f"Add it to {configurations.file} or correct the id"
    places = configurations.places("config_id")
    return table.references("config_id", places, "is no known configuration", remedy)


def read_runs(source: ImportSource, configurations: Table, faults: Faults) -> Table:
    """The table of profiled runs. Raises `InvalidBundle` where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, File.RUNS, _RUN_COLUMNS, faults)
    if table is None:
        faults.stop()
    configuration = configurations_of(table, configurations)
    iteration = table.whole_numbers("iteration")
    table.check_unique("config_id", "iteration")
    for column in ("wall_time_us", "region_total_us"):
        table.numbers(column, minimum=0.0, blank=True)
    listed = set(table["config_id"])
    for name in configurations.places("config_id"):
        if name not in listed:
            remedy = f"Add its runs, or remove it from {configurations.file}"
            faults.add(File.RUNS, "the configuration has no run", remedy, column="config_id", value=name)
    if faults.count > before:
        faults.stop()
    repetitions = Counter(
        frozenset(iteration[configuration == place].tolist()) for place in range(len(configurations))
    )
    if len(repetitions) > 1:
        numbers_of = ", ".join(f"{len(key)} ({count} configurations)" for key, count in repetitions.items())
        faults.remarks.append(f"{File.RUNS}: configurations differ in their iterations: {numbers_of}.")
    return table


def read_region_times(
    source: ImportSource, configurations: Table, regions: Table, runs: Table, faults: Faults
) -> RegionMeasurementTable:
    """The self times of regions in seconds, of the first metric.

    Raises `InvalidBundle` where the file cannot be read or has a fault.
    """
    before = faults.count
    table = read_table(source, File.REGION_MEASUREMENTS, _TIME_COLUMNS, faults)
    if table is None:
        faults.stop()
    configuration = configurations_of(table, configurations)
    remedy = f"Add it to {File.REGIONS} or correct the id"
    region = table.references("region_id", regions.places("region_id"), "is no known region", remedy)
    iteration = table.whole_numbers("iteration")
    microseconds = table.numbers("self_time_us", minimum=0.0)
    iterations = runs.whole_numbers("iteration").tolist()
    listed = {key: run for run, key in enumerate(zip(runs["config_id"], iterations, strict=True))}
    names = zip(table["config_id"], iteration.tolist(), strict=True)
    run = np.fromiter((listed.get(key, -1) for key in names), dtype=np.int64, count=len(table))
    for row in np.flatnonzero((configuration >= 0) & (iteration >= 0) & (run < 0)).tolist():
        problem = f"{File.RUNS} lists no such run of {table['config_id'][row]}"
        table.note(row, "iteration", problem, f"Add the run to {File.RUNS} or remove the row")
    rows = np.flatnonzero((run >= 0) & (region >= 0)).tolist()
    keys = (run * len(regions) + region).tolist()
    for later, first in table.repeats(keys[row] for row in rows):
        row, earlier = rows[later], rows[first]
        value = f"{table['config_id'][row]}, {table['region_id'][row]}, {table['iteration'][row]}"
        problem = f"line {table.lines[earlier]} has this configuration, region and iteration ({value})"
        table.note(row, "self_time_us", problem, "Keep one of the two rows")
    if faults.count > before:
        faults.stop()
    # A missing row counts as zero and stays unseen, unless a run's own total differs from its rows.
    sums = np.bincount(run, weights=microseconds, minlength=len(runs))
    totals = runs.numbers("region_total_us", blank=True)
    differ = np.flatnonzero(np.abs(sums - totals) > 1.0).tolist()
    faults.remarks.extend(
        f"{File.RUNS}: region_total_us of {runs['config_id'][one]}, iteration {iterations[one]} is {totals[one]:.0f}, but "
        f"its rows in {File.REGION_MEASUREMENTS}, which count, sum to {sums[one]:.0f}: check for lost rows."
        for one in differ[:_SHOWN]
    )
    if len(differ) > _SHOWN:
        faults.remarks.append(f"{File.RUNS}: {len(differ) - _SHOWN} more runs whose region_total_us differs.")
    return RegionMeasurementTable(run, region, np.zeros_like(run), microseconds / MICROSECONDS)
