"""A mapped table put together as records: runs of configurations, or points of benchmarks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from packaging.version import InvalidVersion, Version

from analytics.configurations.options import IntArray, OptionSpace
from dashboard.importers.common_records import PROGRAM, batch_record, named_environment
from dashboard.importers.errors import Faults, InvalidSetting
from dashboard.importers.levels import label_of, option_of
from dashboard.importers.limits import LONGEST
from dashboard.importers.mapped_csv.dialect import CsvDialect, open_rows, read_dialect
from dashboard.importers.mapped_csv.roles import check_roles, given_roles
from dashboard.importers.mapped_csv.rows import MAX_ROWS, CsvLayout, MappedRows
from dashboard.importers.record_tables import MeasurementTable, PointTable
from dashboard.importers.records import (
    ConfigurationRecord,
    Imported,
    OptionRecord,
    OrderRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
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
    layout = _layout(dialect, given)
    table = MappedRows(layout, faults)
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
        "columns": {dialect.header[place]: str(role) for place, role in layout.roles.items()},
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "decimal": dialect.decimal,
        "rows": table.rows,
    }
    options = _options(layout, table, faults)
    revisions = tuple(table.names["revision"])
    records = SystemRecords(
        batches=(batch_record("csv", digest, source.title, manifest),),
        revisions=tuple(map(RevisionRecord, revisions)),
        orders=_orders(revisions),
        workloads=tuple(map(WorkloadRecord, table.names["workload"])),
        environments=tuple(named_environment("table", name) for name in table.names["environment"]),
        metrics=tuple(table.metrics),
    )
    if layout.of("benchmark"):
        records = _with_points(records, table)
    else:
        records = _with_runs(records, layout, table, options, faults)
    faults.stop_if_any()
    return Imported(records, digest, tuple(_remarks(layout, table)))


def _layout(dialect: CsvDialect, given: ImportSettings) -> CsvLayout:
    roles = given_roles(given)
    header = dialect.header
    for column in sorted({name for name in header if header.count(name) > 1} & set(roles)):
        raise InvalidSetting("map", "two columns have this name", "Rename one in the file", column)
    for column in roles:
        if column not in header:
            remedy = f"The columns are {', '.join(header)}"
            raise InvalidSetting("map", "there is no such column", remedy, column)
    check_roles(roles)
    defaults = {}
    for name in ("revision", "workload", "environment"):
        defaults[name] = single(given, name) or _DEFAULT
        if len(defaults[name]) > LONGEST[name] or not defaults[name].isprintable():
            raise InvalidSetting(name, "cannot be stored", f"Use up to {LONGEST[name]} plain characters")
    used = {
        place: roles[name]
        for place, name in enumerate(header)
        if name in roles and roles[name].kind != "ignore"
    }
    return CsvLayout(dialect, used, defaults)


def _remarks(layout: CsvLayout, table: MappedRows) -> list[str]:
    dialect = layout.dialect
    remarks = []
    if dialect.encoding == "latin-1":
        remarks.append(f"{dialect.file} is not UTF-8 and was read as Latin-1: check names with accents.")
    left = [name for place, name in enumerate(dialect.header) if place not in layout.roles]
    if left:
        shown = ", ".join(left[:8]) + (", ..." if len(left) > 8 else "")
        remarks.append(f"{dialect.file}: columns left out: {shown}.")
    if table.blanks:
        blanks = f"{table.blanks} of {table.rows} rows hold no value and were left out."
        remarks.append(f"{dialect.file}: {blanks}")
    scaled = {role.unit for role in layout.roles.values() if role.quantity == "time" and role.unit != "s"}
    if scaled:
        remarks.append(f"{dialect.file}: times in {', '.join(sorted(scaled))} are stored in seconds.")
    return remarks


def _options(layout: CsvLayout, table: MappedRows, faults: Faults) -> tuple[OptionRecord, ...]:
    dialect = layout.dialect
    options = []
    for place, column in enumerate(layout.of("option")):
        texts = dict.fromkeys(levels[place] for levels in table.configurations)
        options.append(option_of(dialect.header[column], texts, dialect.file, faults))
    faults.stop_if_any()
    return tuple(option for option in options if option is not None)


def _orders(revisions: Sequence[str]) -> tuple[OrderRecord, ...]:
    """Versions in their order, other revisions as the file lists them."""
    if len(revisions) < 2:
        return ()
    try:
        name, ordered = "releases", sorted(revisions, key=Version)
    except InvalidVersion:
        name, ordered = _DEFAULT, list(revisions)
    return (OrderRecord(name, {revision: place for place, revision in enumerate(ordered)}),)


def _with_runs(
    records: SystemRecords,
    layout: CsvLayout,
    table: MappedRows,
    options: tuple[OptionRecord, ...],
    faults: Faults,
) -> SystemRecords:
    """The records with configurations and runs. Texts of one level, as `0` and `-0`, make one configuration."""
    table.merge_configurations(
        {
            texts: tuple(label_of(option, text) for option, text in zip(options, texts, strict=True))
            for texts in table.configurations
        }
    )
    space = OptionSpace(tuple(option.as_option() for option in options))
    run_of, numbers = _repetitions(layout, table, faults)
    revisions, workloads = list(table.names["revision"]), list(table.names["workload"])
    keys = list(table.keys)
    compared: dict[tuple[int, int, int], set[int]] = {}
    for revision, workload, environment, _, configuration in keys:
        compared.setdefault((revision, workload, environment), set()).add(configuration)
    return replace(
        records,
        options=options,
        # Nobody named them: a configuration is called by what it differs in.
        configurations=tuple(
            ConfigurationRecord("", space.differing(dict(zip(space.names, labels, strict=True))))
            for labels in table.configurations
        ),
        # Where configurations are compared, what was measured is the time of the program as a whole.
        regions=(PROGRAM,) if any(len(one) > 1 for one in compared.values()) else (),
        runs=tuple(
            RunRecord(
                0, revisions[revision], configuration, workloads[workload], environment, "plain", number
            )
            for (revision, workload, environment, _, configuration), number in (
                (keys[key], number) for key, number in numbers
            )
        ),
        measurements=MeasurementTable(
            run_of, np.array(table.metric, dtype=np.int64), np.array(table.value, dtype=np.float64)
        ),
    )


def _repetitions(
    layout: CsvLayout, table: MappedRows, faults: Faults
) -> tuple[IntArray, Mapping[tuple[int, int], int]]:
    """The run of each value, shape (n_values,), and the position of each run by its key and repetition.

    Equal rows are repetitions; a repetition number that occurs twice is a fault.
    """
    run_of = np.empty(len(table.key), dtype=np.int64)
    place: dict[tuple[int, int], int] = {}
    values: set[tuple[int, int]] = set()
    is_numbered = bool(layout.of("repetition"))
    is_long = bool(layout.of("value"))
    counts: Counter[tuple[int, int]] = Counter()
    last: dict[int, tuple[int, int]] = {}
    for index, (key, repetition, row, metric) in enumerate(
        zip(table.key, table.repetition, table.row, table.metric, strict=True)
    ):
        if is_numbered:
            number = repetition
        elif is_long:
            # The nth value of a metric belongs to the nth run.
            number = counts[key, metric]
            counts[key, metric] += 1
        else:
            # All values of one row belong to one run.
            before, number = last.get(key, (-1, -1))
            number += before != row
            last[key] = (row, number)
        run = run_of[index] = place.setdefault((key, number), len(place))
        if (run, metric) in values:
            dialect = layout.dialect
            problem = f"row {row} repeats repetition {number} of the same configuration and metric"
            remedy = "Number repetitions anew, or map the column as ignore: rows are counted then"
            column = dialect.header[layout.of("repetition")[0]]
            faults.add(dialect.file, problem, remedy, column=column, value=str(number))
        elif is_numbered:
            values.add((run, metric))
    return run_of, place


def _with_points(records: SystemRecords, table: MappedRows) -> SystemRecords:
    """The records with series. Benchmarks have no configurations: their values of one revision are one point."""
    keys = list(table.keys)
    workloads, benchmarks = list(table.names["workload"]), list(table.names["benchmark"])
    values: dict[tuple[int, int, int, int, int], list[float]] = {}
    for key, metric, value in zip(table.key, table.metric, table.value, strict=True):
        revision, workload, environment, benchmark, _ = keys[key]
        values.setdefault((benchmark, workload, environment, metric, revision), []).append(value)
    series = {one: place for place, one in enumerate(dict.fromkeys(key[:4] for key in values))}
    return replace(
        records,
        series=tuple(
            SeriesRecord(workloads[workload], environment, metric, benchmarks[benchmark])
            for benchmark, workload, environment, metric in series
        ),
        points=PointTable(
            series=np.array([series[key[:4]] for key in values], dtype=np.int64),
            revision=np.array([key[4] for key in values], dtype=np.int64),
            batch=np.zeros(len(values), dtype=np.int64),
            n=np.array([len(one) for one in values.values()], dtype=np.int64),
            median=np.array([float(np.median(one)) for one in values.values()]),
            spread=np.array(
                [float(np.std(one, ddof=1)) if len(one) > 1 else np.nan for one in values.values()]
            ),
        ),
    )
