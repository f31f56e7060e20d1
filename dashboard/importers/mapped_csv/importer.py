"""A mapped table put together as records: runs of configurations, or points of benchmarks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from packaging.version import InvalidVersion, Version

from dashboard.importers.common_records import PROGRAM, batch_record, named_environment
from dashboard.importers.errors import Faults, FileFaults
from dashboard.importers.levels import label_of, option_of
from dashboard.importers.mapped_csv.dialect import CsvDialect, read_dialect
from dashboard.importers.mapped_csv.roles import ColumnRole, mapped_roles
from dashboard.importers.mapped_csv.rows import MappedRows, read_rows
from dashboard.importers.record_tables import IntArray, MeasurementTable, PointTable
from dashboard.importers.records import (
    ConfigurationRecord,
    Imported,
    OrderRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
    space_of,
)
from dashboard.importers.settings import (
    ImportSetting,
    ImportSettings,
    context_names,
    identity,
    single,
)
from dashboard.importers.source import ImportSource

if TYPE_CHECKING:
    import pandas as pd

SETTINGS = (
    ImportSetting("map", "COLUMN=ROLE", "what a column holds; --preview proposes it", repeatable=True),
    ImportSetting("delimiter", "SIGN", "what separates the columns, where it is not told from the header"),
    ImportSetting("decimal", "SIGN", "the decimal sign, . or , where it is not told from the numbers"),
    ImportSetting("revision", "NAME", "the revision that ran, where no column tells it"),
    ImportSetting("workload", "NAME", "what the program was asked to do, where no column tells it"),
    ImportSetting("environment", "NAME", "the machine it ran on, where no column tells it"),
)
_DEFAULT = "as listed"


def read(source: ImportSource, given: ImportSettings, *, most_rows: int | None = None) -> Imported:
    """The records of a table, of its first `most_rows` rows where that is given.

    Raises `InvalidSetting` for a wrong mapping, `InvalidBundle` with every bad cell, and `SourceError`.
    """
    faults = Faults()
    dialect = read_dialect(source, delimiter=single(given, "delimiter"), decimal=single(given, "decimal"))
    roles = mapped_roles(given, dialect.header)
    defaults = context_names(given, _DEFAULT)
    table = read_rows(source, dialect, roles, defaults, faults, most_rows=most_rows)
    values = table.values()
    if values.empty and not faults.count:
        remedy = "Check which columns are mapped as metric or value"
        faults.add(dialect.file, "holds no value", remedy, line=1)
    faults.stop_if_any()
    notes = FileFaults(dialect.file, faults)
    records = (
        _with_points(table, values) if "benchmark" in table.columns else _with_runs(table, values, notes)
    )
    digest = identity(source, None, given)
    manifest = {
        "columns": {column: str(role) for column, role in roles.items()},
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "decimal": dialect.decimal,
        "rows": table.count,
    }
    records = replace(
        records,
        batches=(batch_record("csv", digest, source.title, manifest),),
        revisions=tuple(map(RevisionRecord, table.names["revision"])),
        orders=_orders(list(table.names["revision"])),
        workloads=tuple(map(WorkloadRecord, table.names["workload"])),
        environments=tuple(named_environment("table", name) for name in table.names["environment"]),
        metrics=tuple(table.metrics),
    )
    blanks = table.count - values["row"].nunique()
    return Imported(records, digest, tuple(_remarks(dialect, roles, table.count, blanks)))


def _remarks(dialect: CsvDialect, roles: Mapping[str, ColumnRole], n_rows: int, blanks: int) -> Iterator[str]:
    """What of the table is left out or in doubt, in words."""
    if dialect.encoding == "latin-1":
        yield f"{dialect.file} is not UTF-8 and was read as Latin-1: check names with accents."
    if left := [name for name in dialect.header if name not in roles]:
        shown = ", ".join(left[:8]) + (", ..." if len(left) > 8 else "")
        yield f"{dialect.file}: columns left out: {shown}."
    if blanks:
        yield f"{dialect.file}: {blanks} of {n_rows} rows hold no value and were left out."
    scaled = {role.unit for role in roles.values() if role.quantity == "time" and role.unit != "s"}
    if scaled:
        yield f"{dialect.file}: times in {', '.join(sorted(scaled))} are stored in seconds."


def _orders(revisions: Sequence[str]) -> tuple[OrderRecord, ...]:
    """Versions in their order, other revisions as the file lists them."""
    if len(revisions) < 2:
        return ()
    try:
        name, ordered = "releases", sorted(revisions, key=Version)
    except InvalidVersion:
        name, ordered = _DEFAULT, list(revisions)
    return (OrderRecord(name, {revision: place for place, revision in enumerate(ordered)}),)


def _configurations(table: MappedRows, faults: FileFaults) -> tuple[SystemRecords, IntArray]:
    """Options and configurations, and the position of the one that each distinct row of texts means.

    Texts of one level, as `0` and `-0`, make one configuration.
    """
    found = [option_of(column, known, faults.file, faults.all) for column, known in table.levels.items()]
    faults.all.stop_if_any()
    options = tuple(option for option in found if option is not None)
    labels = [cache(partial(label_of, option)) for option in options]
    distinct: dict[tuple[str, ...], int] = {}
    places = [
        distinct.setdefault(
            tuple(label(text) for label, text in zip(labels, one, strict=True)), len(distinct)
        )
        for one in table.configurations
    ]
    space = space_of(options)
    # Nobody named them: a configuration is called by what it differs in.
    differing = (space.differing(dict(zip(space.names, one, strict=True))) for one in distinct)
    configurations = tuple(ConfigurationRecord("", one) for one in differing)
    return SystemRecords(options=options, configurations=configurations), np.array(places)


def _with_runs(table: MappedRows, values: "pd.DataFrame", faults: FileFaults) -> SystemRecords:
    """Runs and their measurements. Equal rows are repetitions; a repetition number that occurs twice is a fault."""
    records, places = _configurations(table, faults)
    values["configuration"] = places[values["configuration"]]
    key = ["revision", "workload", "environment", "configuration"]
    if "repetition" not in table.columns and "value" in table.columns:
        # The nth value of a metric belongs to the nth run.
        values["repetition"] = values.groupby([*key, "metric"]).cumcount()
    elif "repetition" not in table.columns:
        # All values of one row belong to one run.
        values["repetition"] = values.groupby(key)["row"].rank("dense").astype(int) - 1
    values["run"] = values.groupby([*key, "repetition"], sort=False).ngroup()
    twice = values[values.duplicated(["run", "metric"]) & ("repetition" in table.columns)]
    for row, number in zip(twice["row"] + 1, twice["repetition"], strict=True):
        problem = f"row {row} repeats repetition {number} of the same configuration and metric"
        remedy = "Number repetitions anew, or map the column as ignore: rows are counted then"
        faults.add(problem, remedy, column=table.columns["repetition"], value=str(number))
    faults.all.stop_if_any()
    compared = values[key].drop_duplicates().groupby(key[:-1]).size()
    runs = values.drop_duplicates("run")[[*key, "repetition"]]
    revisions, workloads = list(table.names["revision"]), list(table.names["workload"])
    return replace(
        records,
        # Where configurations are compared, what was measured is the time of the program as a whole.
        regions=(PROGRAM,) if compared.max() > 1 else (),
        runs=tuple(
            RunRecord(
                0, revisions[revision], configuration, workloads[workload], environment, "plain", number
            )
            for revision, workload, environment, configuration, number in zip(
                *(runs[name].tolist() for name in runs), strict=True
            )
        ),
        measurements=MeasurementTable(
            values["run"].to_numpy(), values["metric"].to_numpy(np.int64), values["value"].to_numpy()
        ),
    )


def _with_points(table: MappedRows, values: "pd.DataFrame") -> SystemRecords:
    """Series and their points. Benchmarks have no configurations: their values of one revision are one point."""
    of_series = ["workload", "environment", "metric", "benchmark"]
    grouped = values.groupby([*of_series, "revision"], sort=False)["value"]
    points = grouped.agg(["count", "median", "std"]).reset_index()
    points["series"] = points.groupby(of_series, sort=False).ngroup()
    series = points.drop_duplicates("series")[of_series].to_numpy().tolist()
    workloads, benchmarks = list(table.names["workload"]), list(table.names["benchmark"])
    return SystemRecords(
        series=tuple(
            SeriesRecord(workloads[workload], environment, metric, benchmarks[benchmark])
            for workload, environment, metric, benchmark in series
        ),
        points=PointTable(
            series=points["series"].to_numpy(),
            revision=points["revision"].to_numpy(np.int64),
            batch=np.zeros(len(points), dtype=np.int64),
            n=points["count"].to_numpy(),
            median=points["median"].to_numpy(),
            spread=points["std"].to_numpy(),
        ),
    )
