"""A mapped table put together as records: runs of configurations, or points of benchmarks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd
from packaging.version import InvalidVersion, Version

from dashboard.importers.common_records import PROGRAM, batch_record, named_environment
from dashboard.importers.errors import Faults, InvalidSetting
from dashboard.importers.levels import label_of, option_of
from dashboard.importers.limits import LONGEST
from dashboard.importers.mapped_csv.dialect import open_rows, read_dialect
from dashboard.importers.mapped_csv.roles import mapped_roles
from dashboard.importers.mapped_csv.rows import MAX_ROWS, NAMES, MappedRows
from dashboard.importers.record_tables import MeasurementTable, PointTable
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
from dashboard.importers.settings import ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource

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
    defaults = {name: single(given, name) or _DEFAULT for name in ("revision", "workload", "environment")}
    for name, text in defaults.items():
        if len(text) > LONGEST[name] or not text.isprintable():
            raise InvalidSetting(name, "cannot be stored", f"Use up to {LONGEST[name]} plain characters")
    table = MappedRows(dialect, roles, defaults, faults)
    with open_rows(source, dialect) as rows:
        for line, row in islice(rows, most_rows):
            table.take(line, row)
            if table.rows > MAX_ROWS:
                faults.add(dialect.file, f"has more than {MAX_ROWS} rows", "Split the file", line=line)
                break
    if not table.value and not faults.count:
        remedy = "Check which columns are mapped as metric or value"
        faults.add(dialect.file, "holds no value", remedy, line=1)
    faults.stop_if_any()
    digest = identity(source, None, given)
    manifest = {
        "columns": {dialect.header[place]: str(role) for place, role in roles.items()},
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "decimal": dialect.decimal,
        "rows": table.rows,
    }
    records = replace(
        _with_points(table) if table.columns("benchmark") else _with_runs(table, faults),
        batches=(batch_record("csv", digest, source.title, manifest),),
        revisions=tuple(map(RevisionRecord, table.names["revision"])),
        orders=_orders(list(table.names["revision"])),
        workloads=tuple(map(WorkloadRecord, table.names["workload"])),
        environments=tuple(named_environment("table", name) for name in table.names["environment"]),
        metrics=tuple(table.metrics),
    )
    return Imported(records, digest, table.remarks())


def _orders(revisions: Sequence[str]) -> tuple[OrderRecord, ...]:
    """Versions in their order, other revisions as the file lists them."""
    if len(revisions) < 2:
        return ()
    try:
        name, ordered = "releases", sorted(revisions, key=Version)
    except InvalidVersion:
        name, ordered = _DEFAULT, list(revisions)
    return (OrderRecord(name, {revision: place for place, revision in enumerate(ordered)}),)


def _with_runs(table: MappedRows, faults: Faults) -> SystemRecords:
    """Configurations and runs. Texts of one level, as `0` and `-0`, make one configuration."""
    dialect = table.dialect
    named = [
        option_of(
            dialect.header[column], (levels[place] for levels in table.configurations), dialect.file, faults
        )
        for place, column in enumerate(table.columns("option"))
    ]
    faults.stop_if_any()
    options = tuple(option for option in named if option is not None)
    table.merge_configurations(
        {
            texts: tuple(label_of(option, text) for option, text in zip(options, texts, strict=True))
            for texts in table.configurations
        }
    )
    space = space_of(options)
    values = _numbered_values(table, faults)
    revisions, workloads = list(table.names["revision"]), list(table.names["workload"])
    keys = list(table.keys)
    compared = Counter(key[:3] for key in keys)
    return SystemRecords(
        options=options,
        # Nobody named them: a configuration is called by what it differs in.
        configurations=tuple(
            ConfigurationRecord("", space.differing(dict(zip(space.names, labels, strict=True))))
            for labels in table.configurations
        ),
        # Where configurations are compared, what was measured is the time of the program as a whole.
        regions=(PROGRAM,) if max(compared.values(), default=0) > 1 else (),
        runs=tuple(
            RunRecord(
                0, revisions[revision], configuration, workloads[workload], environment, "plain", number
            )
            for key, number in values[["key", "number"]].drop_duplicates().itertuples(index=False)
            for revision, workload, environment, _, configuration in (keys[key],)
        ),
        measurements=MeasurementTable(
            values["run"].to_numpy(), values["metric"].to_numpy(), np.array(table.value)
        ),
    )


def _numbered_values(table: MappedRows, faults: Faults) -> pd.DataFrame:
    """The `key`, `metric` and `row` of each value, the `number` of its repetition, and the position of its `run`.

    Equal rows are repetitions; a repetition number that occurs twice is a fault.
    """
    values = pd.DataFrame({name: np.array(getattr(table, name)) for name in ("key", "metric", "row")})
    numbering = table.columns("repetition")
    if numbering:
        values["number"] = np.array(table.repetition)
    elif table.columns("value"):
        # The nth value of a metric belongs to the nth run.
        values["number"] = values.groupby(["key", "metric"]).cumcount()
    else:
        # All values of one row belong to one run.
        values["number"] = values.groupby("key")["row"].rank("dense").astype(int) - 1
    values["run"] = values.groupby(["key", "number"], sort=False).ngroup()
    repeated = values[values.duplicated(["run", "metric"])] if numbering else values[:0]
    for row, number in zip(repeated["row"], repeated["number"], strict=True):
        dialect = table.dialect
        problem = f"row {row} repeats repetition {number} of the same configuration and metric"
        remedy = "Number repetitions anew, or map the column as ignore: rows are counted then"
        faults.add(dialect.file, problem, remedy, column=dialect.header[numbering[0]], value=str(number))
    faults.stop_if_any()
    return values


def _with_points(table: MappedRows) -> SystemRecords:
    """Series and their points. Benchmarks have no configurations: their values of one revision are one point."""
    of_series = ["benchmark", "workload", "environment", "metric"]
    values = pd.DataFrame(
        np.array(list(table.keys))[np.array(table.key)], columns=[*NAMES, "configuration"]
    ).assign(metric=np.array(table.metric), value=np.array(table.value))
    grouped = values.groupby([*of_series, "revision"], sort=False)["value"]
    points = grouped.agg(["count", "median", "std"]).reset_index()
    points["series"] = points.groupby(of_series, sort=False).ngroup()
    workloads, benchmarks = list(table.names["workload"]), list(table.names["benchmark"])
    series = points[of_series].drop_duplicates().itertuples(index=False)
    return SystemRecords(
        series=tuple(
            SeriesRecord(workloads[workload], environment, metric, benchmarks[benchmark])
            for benchmark, workload, environment, metric in series
        ),
        points=PointTable(
            series=points["series"].to_numpy(),
            revision=points["revision"].to_numpy(),
            batch=np.zeros(len(points), dtype=np.int64),
            n=points["count"].to_numpy(),
            median=points["median"].to_numpy(),
            spread=points["std"].to_numpy(),
        ),
    )
