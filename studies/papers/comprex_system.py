"""The published systems of the Comprex paper as arrays, read by the importer, and the cells of its tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import partitions_of
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.times import FloatArray, RegionTimes
from dashboard.importers import comprex
from dashboard.importers.errors import InvalidBundle, SourceError
from dashboard.importers.records import SystemRecords
from dashboard.importers.source import open_source
from studies.papers.tables import Cell, Quantity, ReproductionError, Tell


@dataclass(frozen=True, slots=True, eq=False)
class ComprexSystem:
    """Region times of the profiled runs, and what was measured end to end, in seconds.

    `configurations` (n, n_options) were measured end to end in `seconds` (n,). `profiled_seconds` are the wall times of
    one profiled run of each configuration of `times`, medians over runs; the sum of its regions where no wall time was
    published.
    """

    title: str
    times: RegionTimes
    configurations: IntArray
    seconds: FloatArray
    profiled_seconds: FloatArray
    corrections: tuple[OverheadCorrection, ...]


def read_system(folder: Path, title: str) -> ComprexSystem:
    """The system in `folder`. Raises `ReproductionError`."""
    try:
        with open_source(folder) as source:
            records = comprex.read(source).records
    except (SourceError, InvalidBundle) as error:
        raise ReproductionError(f"{folder}: {error}") from None
    space = records.option_space()
    levels = space.encode(one.assignments for one in records.configurations)
    plain = [place for place, run in enumerate(records.runs) if run.kind == "plain"]
    totals = _values(records, records.performance_models[0].total_metric)
    times = _region_times(records, space, levels)
    return ComprexSystem(
        title=title,
        times=times,
        configurations=levels[[records.runs[place].configuration for place in plain]],
        seconds=np.array([totals[place] for place in plain]),
        profiled_seconds=_profiled(records, times),
        corrections=tuple(
            OverheadCorrection(one.name, one.intercept, one.slope)
            for one in records.performance_models[0].corrections
        ),
    )


def _values(records: SystemRecords, metric: int) -> dict[int, float]:
    """What was measured of whole runs in one metric, by the run's position."""
    table = records.measurements
    chosen = table.metric == metric
    return dict(zip(table.run[chosen].tolist(), table.value[chosen].tolist(), strict=True))


def _profiled(records: SystemRecords, times: RegionTimes) -> FloatArray:
    walls = _values(records, [metric.clock for metric in records.metrics].index("wall"))
    by_configuration: dict[int, list[float]] = {}
    for place, run in enumerate(records.runs):
        if run.kind == "profiled" and place in walls:
            by_configuration.setdefault(run.configuration, []).append(walls[place])
    if by_configuration:
        return np.array([np.median(by_configuration[key]) for key in sorted(by_configuration)])
    sums = times.values.sum(axis=0)
    return np.array([np.median(sums[row, ran]) for row, ran in enumerate(times.ran)]) + times.offset


def _region_times(records: SystemRecords, space: OptionSpace, levels: IntArray) -> RegionTimes:
    analysis = records.performance_models[0]
    profiled = [(place, run) for place, run in enumerate(records.runs) if run.kind == "profiled"]
    used = sorted({run.configuration for _, run in profiled})
    row_of = {configuration: row for row, configuration in enumerate(used)}
    repetitions = sorted({run.repetition for _, run in profiled})
    of_run = np.full((len(records.runs), 2), -1)
    for place, run in profiled:
        of_run[place] = row_of[run.configuration], repetitions.index(run.repetition)
    ran = np.zeros((len(used), len(repetitions)), dtype=bool)
    ran[tuple(of_run[of_run[:, 0] >= 0].T)] = True
    table = records.region_measurements
    values = np.zeros((len(records.regions), len(used), len(repetitions)))
    values[table.region, of_run[table.run, 0], of_run[table.run, 1]] = table.value
    formulas = {records.regions[one.region].key: one.formulas for one in analysis.partitions}
    partitions = partitions_of(space, formulas)
    return RegionTimes(
        space=space,
        regions=tuple(one.key for one in records.regions),
        partitions=tuple(partitions[one.key] for one in records.regions),
        configurations=levels[used],
        values=values,
        ran=ran,
        aggregate_repetitions=analysis.aggregate_repetitions,
        aggregate_configurations=analysis.aggregate_configurations,
        program_region=next((one.key for one in records.regions if one.is_program), None),
        offset=analysis.program_region_offset,
    )


PAPER = (
    "M. Velez et al., White-Box Analysis over Machine Learning: Modeling Performance of Configurable Systems, "
    "ICSE 2021"
)
SYSTEMS = {"lucene": "Apache Lucene", "h2": "H2", "berkeleydb": "Berkeley DB", "density": "Density Converter"}
FOLDER = "comprex"
NO_DATA = "the measurements of this system are not among the published data that are at hand"


def systems(data: Path, tell: Tell) -> Iterator[tuple[str, ComprexSystem]]:
    """The systems whose measurements lie below `data`, by key. Raises `ReproductionError` where there is none."""
    found = [key for key in SYSTEMS if (data / FOLDER / key).is_dir()]
    if not found:
        raise ReproductionError(
            f"{data / FOLDER}: holds none of {', '.join(SYSTEMS)}; give the folder of the published data by --data"
        )
    for key in found:
        tell(f"reading {SYSTEMS[key]}")
        yield key, read_system(data / FOLDER / key, SYSTEMS[key])


def cells_of(
    published: Mapping[tuple[str, str], Quantity],
    ours: Mapping[tuple[str, str], Quantity],
    remarks: Mapping[tuple[str, str], str],
    unit: str = "",
) -> tuple[Cell, ...]:
    """Cells in the order of the published rows, all in one unit; `remarks` say why ours is missing or differs."""
    held = {column for _, column in ours}
    return tuple(
        Cell(
            row=row,
            column=SYSTEMS[column],
            unit=unit,
            ours=ours.get((row, column)),
            published=number,
            remark=remarks.get((row, column), "" if (row, column) in ours or column in held else NO_DATA),
        )
        for (row, column), number in published.items()
    )
