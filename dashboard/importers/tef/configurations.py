"""Which configuration each trace was made with."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.importers.errors import Faults, InvalidSetting, SourceError
from dashboard.importers.levels import option_of
from dashboard.importers.records import OptionRecord
from dashboard.importers.settings import ImportSettings, single
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table

TABLE = "configurations.csv"
_TRACE, _CONFIG = "trace", "config_id"
_PLACES = ("revision", "workload")
_CONFIG_IN_NAME = re.compile(r"config-(\d+)")


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A trace, and what it was made with; `assignments` is None where nothing says so."""

    file: str
    assignments: Mapping[str, str] | None
    revision: str
    workload: str


def find_traces(
    source: ImportSource, given: ImportSettings, faults: Faults, remarks: list[str]
) -> tuple[TraceFile, ...]:
    """The traces of a source with their configurations. Raises `InvalidSetting` and `SourceError`."""
    files = sorted(name for name in source.names if name.endswith((".json", ".json.gz")))
    if not files and len(source.names) == 1:
        files = list(source.names)  # a single file may have any name
    if not files:
        raise SourceError(
            source.title, "holds no trace", "Name traces *.json or *.json.gz, or give one file alone"
        )
    place = {
        "revision": single(given, "revision") or "as traced",
        "workload": single(given, "workload") or "as traced",
    }
    told = single(given, "configuration")
    if TABLE in source.names:
        if told is not None:
            problem = f"says what {TABLE} says for each trace"
            raise InvalidSetting("configuration", problem, "Leave one of the two away", told)
        return _from_table(source, files, place, faults, remarks)
    if told is not None:
        assignments = _assignments(told)
        return tuple(TraceFile(file, assignments, **place) for file in files)
    if len(files) > 1:
        problem = f"holds {len(files)} traces, and nothing says with which configuration each was made"
        remedy = f"Add {TABLE} with the columns {_TRACE} and one per option, or give --configuration for all"
        raise SourceError(source.title, problem, remedy)
    return (TraceFile(files[0], None, **place),)


def _assignments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise InvalidSetting(
                "configuration", "is not written as OPTION=VALUE,...", "Write foo=on,bar=off", text
            )
        if name in found:
            raise InvalidSetting("configuration", f"says {name!r} twice", "Keep one of the two", text)
        found[name] = value
    return found


def _from_table(
    source: ImportSource, files: Sequence[str], place: Mapping[str, str], faults: Faults, remarks: list[str]
) -> tuple[TraceFile, ...]:
    table = read_table(source, TABLE, (), faults)
    if table is None:
        return ()
    key = next((name for name in (_TRACE, _CONFIG) if name in table), None)
    if key is None:
        remedy = f"Add {_TRACE} with the names of the files, or {_CONFIG} with VaRA's numbers"
        faults.add(TABLE, "has no column that tells the traces", remedy, line=1)
        return ()
    options = [name for name in table.columns if name not in {_TRACE, _CONFIG, *_PLACES}]
    found: dict[str, TraceFile] = {}
    for row in range(len(table)):
        wanted = _files_of(table, row, key, files)
        if not wanted:
            table.note(
                faults, row, key, problem="there is no such trace", remedy="Add the file or drop the row"
            )
        for file in wanted:
            if file in found:
                table.note(
                    faults, row, key, problem=f"{file} has a row already", remedy="Keep one of the two"
                )
                continue
            assignments = {name: table[name][row].strip() for name in options}
            for name, value in assignments.items():
                if not value:
                    table.note(faults, row, name, problem="the value is missing", remedy="Write the level")
            where = {name: _cell(table, name, row) or place[name] for name in _PLACES}
            found[file] = TraceFile(file, assignments, **where)
    left = [file for file in files if file not in found]
    if left:
        listed = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
        remarks.append(f"{TABLE} has no row for {listed}: passed over.")
    return tuple(found[file] for file in files if file in found)


def _files_of(table: Table, row: int, key: str, files: Collection[str]) -> list[str]:
    wanted = table[key][row].strip()
    if key == _TRACE:
        return [file for file in files if file == wanted]
    return [file for file in files if (number := _CONFIG_IN_NAME.search(file)) and number[1] == wanted]


def _cell(table: Table, column: str, row: int) -> str:
    return table[column][row].strip() if column in table else ""


def read_options(traces: Iterable[TraceFile], file: str, faults: Faults) -> tuple[OptionRecord, ...]:
    """The options that the traces' configurations name, with all levels that occur; a switch always has both."""
    values: dict[str, dict[str, None]] = {}
    for trace in traces:
        for name, value in (trace.assignments or {}).items():
            values.setdefault(name, {})[value] = None
    # 0 and 1 say of a feature that it is off or on, also where all traces agree.
    bits = {"0": "off", "1": "on"}
    plain = {
        name: [bits[text] for text in texts] if set(texts) <= set(bits) else texts
        for name, texts in values.items()
    }
    found = (option_of(name, texts, file, faults) for name, texts in plain.items())
    return tuple(option for option in found if option is not None)
