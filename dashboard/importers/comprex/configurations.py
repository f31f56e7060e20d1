"""Configurations of a Comprex bundle: those that were profiled, and those measured end to end."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from dashboard.importers.columns import FloatArray, first_rows, numbers, texts
from dashboard.importers.comprex.manifest import CONFIGURATIONS, GROUND_TRUTH
from dashboard.importers.comprex.options import Options, read_levels
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table


@dataclass(frozen=True, slots=True)
class Configurations:
    """Configurations by id: `position` tells the row of `levels`, shape (n, n_options)."""

    position: Mapping[str, int]
    levels: IntArray


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """End-to-end times in seconds, shape (n,), of configurations."""

    configurations: Configurations
    seconds: FloatArray


def read_ground_truth(source: ImportSource, options: Options, faults: Faults) -> GroundTruth | None:
    """The end-to-end times; None where there is no such file or it cannot be read."""
    if GROUND_TRUTH not in source.names:
        return None
    table = read_table(source, GROUND_TRUTH, ("config_id", "time_s"), faults)
    if table is None:
        return None
    configurations = _read_rows(table, options, faults, besides=("config_id", "time_s"))
    seconds = numbers(table, "time_s", faults, minimum=0.0)
    return GroundTruth(configurations, seconds)


def read_configurations(
    source: ImportSource, options: Options, truth: GroundTruth | None, faults: Faults, remarks: list[str]
) -> Configurations | None:
    """The profiled configurations; None where the file cannot be read."""
    table = read_table(source, CONFIGURATIONS, ("config_id", "groundtruth_id"), faults)
    if table is None:
        return None
    found = _read_rows(table, options, faults, besides=("config_id", "groundtruth_id"))
    if not len(table):
        faults.add(CONFIGURATIONS, "lists no configuration", "Add a row per profiled configuration")
    if truth is not None:
        _check_links(table, found, truth, faults)
    elif GROUND_TRUTH not in source.names and any(table["groundtruth_id"]):
        remarks.append(f"{CONFIGURATIONS}: groundtruth_id leads nowhere, {GROUND_TRUTH} is not there.")
    return found


def _check_links(table: Table, found: Configurations, truth: GroundTruth, faults: Faults) -> None:
    """Note every `groundtruth_id` that leads nowhere or to other options."""
    other = truth.configurations
    for index, name in enumerate(table["groundtruth_id"]):
        if not name:
            continue
        if name not in other.position:
            problem = f"{GROUND_TRUTH} has no such configuration"
        elif not np.array_equal(found.levels[index], other.levels[other.position[name]]):
            problem = f"{GROUND_TRUTH} has other options there"
        else:
            continue
        remedy = f"Name the row of {GROUND_TRUTH} with the same options, or leave it blank"
        table.note(faults, index, "groundtruth_id", problem=problem, remedy=remedy)


def _read_rows(table: Table, options: Options, faults: Faults, *, besides: tuple[str, ...]) -> Configurations:
    texts(table, "config_id", faults, longest=LONGEST["configuration"], blank=False)
    position = {key[0]: row for key, row in first_rows(table, ["config_id"], faults).items()}
    return Configurations(position, read_levels(table, options, faults, besides=besides))
