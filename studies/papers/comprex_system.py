"""The published systems of the Comprex paper as arrays, the cells of its tables, and its Table IV on regions."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.covers import greedy_cover
from analytics.configurations.joining import crossed
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition, partitions_of
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.models import fit
from analytics.influence.times import FloatArray, RegionTimes
from dashboard.importers import comprex
from dashboard.importers.records import SystemRecords
from studies.papers.tables import (
    Cell,
    Quantity,
    ReproducedTable,
    Reproduction,
    ReproductionError,
    printed,
    read_records,
)


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


def _system(records: SystemRecords, title: str) -> ComprexSystem:
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
        profiled_seconds=_profiled_seconds(records, times),
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


def _profiled_seconds(records: SystemRecords, times: RegionTimes) -> FloatArray:
    """The wall time of one profiled run of each configuration, else the sum of its regions; medians over runs."""
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


def systems(work: Reproduction) -> Iterator[tuple[str, ComprexSystem]]:
    """The systems whose measurements are at hand, by key. Raises `ReproductionError` where there is none."""
    folder = work.data / FOLDER
    found = [key for key in SYSTEMS if (folder / key).is_dir()]
    if not found:
        raise ReproductionError(
            f"{folder}: holds none of {', '.join(SYSTEMS)}; give the folder of the published data by --data"
        )
    for key in found:
        work.tell(f"reading {SYSTEMS[key]}")
        yield key, _system(read_records(folder / key, comprex.read), SYSTEMS[key])


def cells_of(
    published: Mapping[tuple[str, str], Quantity],
    ours: Mapping[tuple[str, str], Quantity | str],
    *,
    unit: str = "",
    remarks: Mapping[str, str] | None = None,
) -> tuple[Cell, ...]:
    """Cells in the order of the published rows, all in one unit.

    Ours is a number, or the reason why there is none. `remarks` by row hold for every system that is at hand.
    """
    held = {column for _, column in ours}
    cells = []
    for (row, column), number in published.items():
        own = ours.get((row, column))
        if isinstance(own, str):
            cells.append(Cell(row, SYSTEMS[column], unit, None, number, own))
            continue
        remark = (remarks or {}).get(row, "") if column in held else NO_DATA
        cells.append(Cell(row, SYSTEMS[column], unit, own, number, remark))
    return tuple(cells)


# A term of a region counts from so many seconds on.
REGION_TERM = 0.3
_CONTROL_FLOW = "the published data hold partitions of methods only, not of single control-flow statements"
_REMARKS = {
    "control-flow regions": _CONTROL_FLOW,
    "control-flow configurations": _CONTROL_FLOW,
    "regions with a term of 0.3 s": "the paper does not say when a region counts",
}


def regions(work: Reproduction) -> ReproducedTable:
    """Make Table IV: how many configurations cover the regions, by the size of a region. Raises `ReproductionError`."""
    ours: dict[tuple[str, str], Quantity | str] = {}
    for key, system in systems(work):
        times = system.times
        large = sum(
            int(
                (np.abs(local.coefficients[:, local.weights.levels.max(axis=1) >= 0]) >= REGION_TERM)
                .any(axis=1)
                .sum()
            )
            for local in fit(times).local
        )
        ours |= {
            ("method regions", key): Quantity(len(times.regions)),
            ("method configurations", key): Quantity(len(greedy_cover(times.space, times.partitions))),
            ("program configurations", key): Quantity(program_subspaces(times.partitions)),
            ("regions with a term of 0.3 s", key): Quantity(large),
        }
    return ReproducedTable(
        title="Regions and the configurations that cover their subspaces",
        source=f"{PAPER}, Table IV; regions with a term of 0.3 s: Sec. V-B",
        settings=(
            ("cover", "greedy over all regions' subspaces, ties to the fewest options off their reference"),
            ("program", "subspaces of the cross product of all regions' partitions"),
            (
                "region with a term",
                f"a coefficient of at least {REGION_TERM} s in size, the intercept left out",
            ),
        ),
        cells=cells_of(printed("comprex-table-4"), ours, remarks=_REMARKS),
    )


def program_subspaces(partitions: Sequence[Partition]) -> int:
    """The number of subspaces when all `partitions` together are one region's.

    Regions that share no option multiply, so each group of regions linked by options is counted alone
    (Velez et al., ICSE 2021, Table IV, column Program). Raises `TooManyCellsError` where the options of one group
    have more than 2^20 combinations.
    """
    # No two groups mention an option in common.
    groups: list[tuple[set[int], list[Partition]]] = []
    for partition in partitions:
        options, members = set(partition.options), [partition]
        apart = []
        for group in groups:
            if group[0] & options:
                options |= group[0]
                members += group[1]
            else:
                apart.append(group)
        groups = [*apart, (options, members)]
    tables = (crossed(members[0].space, members)[1] for _, members in groups)
    return math.prod(int(table.max(initial=0)) + 1 for table in tables)
