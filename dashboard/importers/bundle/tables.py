"""Reading the tables of a Perfatlas bundle: positions are checked where they are read."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

import numpy as np

from dashboard.importers.bundle.files import (
    COLUMNS,
    MEASUREMENTS,
    OPTIONAL_COLUMNS,
    POINTS,
    REGION_MEASUREMENTS,
    REGION_VERSIONS,
    REGIONS,
    RUNS,
)
from dashboard.importers.columns import IntArray, numbers, references, texts, whole_numbers
from dashboard.importers.errors import Faults
from dashboard.importers.instants import read_instant
from dashboard.importers.limits import FARTHEST, LARGEST, LONGEST, Kind, Status
from dashboard.importers.record_tables import (
    MeasurementTable,
    PointTable,
    RegionMeasurementTable,
    no_measurements,
    no_points,
    no_region_measurements,
)
from dashboard.importers.records import (
    RegionRecord,
    RegionVersionRecord,
    RunRecord,
)
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table

_KINDS = ("plain", "profiled")
_STATUSES = ("ok", "failed", "timeout", "killed")
_LINE = re.compile(r"[1-9]\d{0,8}", re.ASCII)


def open_table(source: ImportSource, file: str, faults: Faults) -> Table | None:
    """A table of the bundle; None, with a fault noted, where it cannot be read."""
    required = [column for column in COLUMNS[file] if column not in OPTIONAL_COLUMNS.get(file, ())]
    return read_table(source, file, required, faults)


def read_regions(source: ImportSource, faults: Faults) -> tuple[RegionRecord, ...]:
    """The regions, in order."""
    table = open_table(source, REGIONS, faults)
    if table is None:
        return ()
    _check_numbers(table, faults)
    keys = texts(table, "key", faults, longest=LONGEST["region key"], blank=False)
    packages = texts(table, "package", faults, longest=LONGEST["region package"])
    names = texts(table, "name", faults, longest=LONGEST["region name"])
    program = _one_of(table, "is_program", ("0", "1"), faults)
    return tuple(
        RegionRecord(key, name, package, is_program=bool(flag))
        for key, name, package, flag in zip(keys, names, packages, program.tolist(), strict=True)
    )


def read_region_versions(
    source: ImportSource, faults: Faults, *, sizes: Mapping[str, int], revisions: Mapping[str, int]
) -> tuple[RegionVersionRecord, ...]:
    """What regions were in which revision."""
    table = open_table(source, REGION_VERSIONS, faults)
    if table is None:
        return ()
    region = _position(table, "region", sizes, faults)
    _named(table, "revision", revisions, faults)
    first, last = (_whole(table, column, faults) for column in ("first_line", "last_line"))
    for column, longest in (("file", "file"), ("body_digest", "digest"), ("source", "digest")):
        texts(table, column, faults, longest=LONGEST[longest])
    return tuple(
        RegionVersionRecord(*row)
        for row in zip(
            region.tolist(),
            table["revision"],
            table["file"],
            first.tolist(),
            last.tolist(),
            table["body_digest"],
            table["source"],
            strict=True,
        )
    )


def read_runs(
    source: ImportSource,
    faults: Faults,
    *,
    sizes: Mapping[str, int],
    revisions: Mapping[str, int],
    workloads: Mapping[str, int],
) -> tuple[RunRecord, ...]:
    """The runs, in order; `sizes` tells how many there are of what a column points to."""
    table = open_table(source, RUNS, faults)
    if table is None:
        return ()
    _check_numbers(table, faults)
    batch, configuration, environment = (
        _position(table, column, sizes, faults) for column in ("batch", "configuration", "environment")
    )
    _named(table, "revision", revisions, faults)
    _named(table, "workload", workloads, faults)
    repetition = _whole(table, "repetition", faults)
    _one_of(table, "kind", _KINDS, faults)
    _one_of(table, "status", _STATUSES, faults)
    for column in ("message", "invalid_reason"):
        texts(table, column, faults, longest=LONGEST["message"])
    started = [_instant(table, row, faults) for row in range(len(table))]
    return tuple(
        RunRecord(
            batch=int(batch[row]),
            revision=table["revision"][row],
            configuration=int(configuration[row]),
            workload=table["workload"][row],
            environment=int(environment[row]),
            repetition=int(repetition[row]),
            kind=cast("Kind", table["kind"][row]),
            status=cast("Status", table["status"][row]),
            started_at=started[row],
            message=table["message"][row],
            invalid_reason=table["invalid_reason"][row],
            output_tail=table["output_tail"][row],
        )
        for row in range(len(table))
    )


def read_measurements(source: ImportSource, faults: Faults, *, sizes: Mapping[str, int]) -> MeasurementTable:
    """The measurements of whole runs."""
    table = open_table(source, MEASUREMENTS, faults)
    if table is None:
        return no_measurements()
    run = _position(table, "run", sizes, faults)
    metric = _position(table, "metric", sizes, faults)
    _check_unique(table, ("run", "metric"), (run, metric), faults)
    deviation = numbers(table, "deviation", faults, minimum=0.0, blank=True) if "deviation" in table else None
    n = _whole(table, "n", faults, minimum=1) if "n" in table else None
    return MeasurementTable(run, metric, numbers(table, "value", faults), deviation, n)


def read_region_measurements(
    source: ImportSource, faults: Faults, *, sizes: Mapping[str, int]
) -> RegionMeasurementTable:
    """The measurements of regions."""
    table = open_table(source, REGION_MEASUREMENTS, faults)
    if table is None:
        return no_region_measurements()
    run = _position(table, "run", sizes, faults)
    region = _position(table, "region", sizes, faults)
    metric = _position(table, "metric", sizes, faults)
    _check_unique(table, ("run", "region", "metric"), (run, region, metric), faults)
    lines = {row: _lines(table, row, faults) for row, cell in enumerate(table["lines"]) if cell}
    return RegionMeasurementTable(run, region, metric, numbers(table, "value", faults), lines)


def read_points(
    source: ImportSource, faults: Faults, *, sizes: Mapping[str, int], revisions: Mapping[str, int]
) -> PointTable:
    """The points of imported series."""
    table = open_table(source, POINTS, faults)
    if table is None:
        return no_points()
    series = _position(table, "series", sizes, faults)
    revision = _named(table, "revision", revisions, faults)
    _check_unique(table, ("series", "revision"), (series, revision), faults)
    return PointTable(
        series=series,
        revision=revision,
        batch=_position(table, "batch", sizes, faults),
        n=_whole(table, "n", faults),
        median=numbers(table, "median", faults),
        spread=numbers(table, "spread", faults, minimum=0.0, blank=True),
    )


def _check_numbers(table: Table, faults: Faults) -> None:
    """The column `number` must count rows from 0: a lost row would shift what others refer to."""
    for row, cell in enumerate(table["number"]):
        if cell != str(row):
            problem, remedy = f"the row's number should be {row}", "Number the rows from 0 without gaps"
            table.note(faults, row, "number", problem=problem, remedy=remedy)
            return


def _position(table: Table, column: str, sizes: Mapping[str, int], faults: Faults) -> IntArray:
    size = sizes[column]
    known = {str(position): position for position in range(size)}
    problem = f"there are only {size} of these" if size else "there is none of these"
    remedy = "Write a position, counted from 0"
    return references(table, column, known, faults, problem=problem, remedy=remedy)


def _named(table: Table, column: str, known: Mapping[str, int], faults: Faults) -> IntArray:
    remedy = f"Correct it, or add it to {column}s.json"
    return references(table, column, known, faults, problem="the name is unknown", remedy=remedy)


def _one_of(table: Table, column: str, words: Sequence[str], faults: Faults) -> IntArray:
    known = {word: position for position, word in enumerate(words)}
    remedy = f"Write one of {', '.join(words)}"
    return references(table, column, known, faults, problem="is no known word", remedy=remedy)


def _whole(table: Table, column: str, faults: Faults, *, minimum: int = 0) -> IntArray:
    values = whole_numbers(table, column, faults, minimum=minimum)
    for row in np.flatnonzero(values > LARGEST).tolist():
        table.note(faults, row, column, problem="is too large", remedy=f"Write at most {LARGEST}")
    return values


def _check_unique(table: Table, columns: Sequence[str], keys: tuple[IntArray, ...], faults: Faults) -> None:
    order = np.lexsort(keys[::-1])
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in keys:
        same &= np.diff(key[order]) == 0
    for place in np.flatnonzero(same).tolist():
        first, row = sorted(order[place : place + 2].tolist())
        if all(key[row] >= 0 for key in keys):
            problem = f"line {table.lines[first]} has the same {', '.join(columns)}"
            table.note(faults, row, columns[-1], problem=problem, remedy="Keep one of the two rows")


def _instant(table: Table, row: int, faults: Faults) -> datetime | None:
    cell = table["started_at"][row]
    if not cell:
        return None
    try:
        return read_instant(cell)
    except ValueError:
        remedy = "Write it as 2026-01-31T12:00:00Z, or leave it blank"
        table.note(faults, row, "started_at", problem="is no time with a time zone", remedy=remedy)
        return None


def _lines(table: Table, row: int, faults: Faults) -> dict[str, float]:
    """The values of single lines of source, {line number: value}."""
    try:
        found = json.loads(table["lines"][row])
    except (ValueError, RecursionError):
        found = None
    if (
        isinstance(found, dict)
        and all(_LINE.fullmatch(key) for key in found)
        and all(type(value) in {int, float} and abs(value) <= FARTHEST for value in found.values())
    ):
        return {key: float(value) for key, value in found.items()}
    remedy = 'Write a JSON object {"12": 0.5} of line numbers and values, or leave it blank'
    table.note(faults, row, "lines", problem="is no object of lines", remedy=remedy)
    return {}
