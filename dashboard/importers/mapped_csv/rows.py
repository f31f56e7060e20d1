"""The rows of a mapped table: what each cell means, with every bad cell noted."""

from array import array
from collections.abc import Mapping, Sequence

from analytics.configurations.options import MAX_LEVELS
from analytics.units import SECONDS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.mapped_csv.dialect import CsvDialect
from dashboard.importers.mapped_csv.roles import ColumnRole
from dashboard.importers.numbers import BLANKS, read_number
from dashboard.importers.records import MetricRecord

MAX_ROWS = 500_000
NAMES = ("revision", "workload", "environment", "benchmark")

Key = tuple[int, int, int, int, int]  # positions: revision, workload, environment, benchmark, configuration


class MappedRows:
    """Takes row after row, and holds them by column.

    `names`, `configurations` (texts of levels), `metrics` and `keys` tell the position of each distinct one. Of each
    value, `key` is a position in `keys`, `repetition` -1 where no column tells it, `row` counts from 1.
    """

    def __init__(
        self,
        dialect: CsvDialect,
        roles: Mapping[int, ColumnRole],
        defaults: Mapping[str, str],
        faults: Faults,
    ) -> None:
        self.dialect = dialect
        self.roles = roles
        self.names: dict[str, dict[str, int]] = {name: {} for name in NAMES}
        self.configurations: dict[tuple[str, ...], int] = {}
        self.metrics: dict[MetricRecord, int] = {}
        self.keys: dict[Key, int] = {}
        self.rows = 0
        self.blanks = 0
        self.key, self.repetition, self.row, self.metric = (array("q") for _ in range(4))
        self.value = array("d")
        self._defaults = defaults
        self._faults = faults
        self._options = self.columns("option")
        self._levels: dict[int, set[str]] = {place: set() for place in self._options}
        self._columns = {name: self.columns(name) for name in (*NAMES, "repetition", "quantity", "unit")}

    def columns(self, kind: str) -> list[int]:
        """The positions of the columns with a role."""
        return [place for place, role in self.roles.items() if role.kind == kind]

    def take(self, line: int, row: Sequence[str]) -> None:
        """Take one row; a fault in it is noted and its measurements are left out."""
        self.rows += 1
        width = len(self.dialect.header)
        if len(row) != width:
            problem = f"has {len(row)} fields where the header has {width}"
            remedy = "Complete the row or quote fields that hold the delimiter"
            self._faults.add(self.dialect.file, problem, remedy, line=line)
            return
        before = self._faults.count
        revision, workload, environment, benchmark = (self._name(line, row, name) for name in NAMES)
        levels = tuple(self._level(line, row, place) for place in self._options)
        repetition = -1
        for place in self._columns["repetition"]:
            number = read_number(row[place].strip(), self.dialect.decimal)
            if number is not None and number == int(number) and 0 <= number <= LARGEST:
                repetition = int(number)
                continue
            remedy = "Write a whole number from 0, or map the column as ignore: rows are counted then"
            self._note(line, place, row[place], "is no repetition", remedy)
        values = [self._value(line, row, place, role) for place, role in self.roles.items()]
        if self._faults.count > before:
            return
        configuration = self.configurations.setdefault(levels, len(self.configurations))
        key = (revision, workload, environment, benchmark, configuration)
        measured = [one for one in values if one is not None]
        self.blanks += not measured
        for metric, value in measured:
            self.key.append(self.keys.setdefault(key, len(self.keys)))
            self.repetition.append(repetition)
            self.row.append(self.rows)
            self.metric.append(self.metrics.setdefault(metric, len(self.metrics)))
            self.value.append(value)

    def merge_configurations(self, labels: Mapping[tuple[str, ...], tuple[str, ...]]) -> None:
        """Make configurations one whose texts have the same `labels` of levels; these take the place of the texts."""
        merged: dict[tuple[str, ...], int] = {}
        places = [merged.setdefault(labels[texts], len(merged)) for texts in self.configurations]
        keys: dict[Key, int] = {}
        moved = [keys.setdefault((*key[:4], places[key[4]]), len(keys)) for key in self.keys]
        self.key = array("q", (moved[key] for key in self.key))
        self.keys, self.configurations = keys, merged

    def remarks(self) -> tuple[str, ...]:
        """What of the table is left out or in doubt, in words."""
        dialect = self.dialect
        remarks = []
        if dialect.encoding == "latin-1":
            remarks.append(" is not UTF-8 and was read as Latin-1: check names with accents.")
        left = [name for place, name in enumerate(dialect.header) if place not in self.roles]
        if left:
            shown = ", ".join(left[:8]) + (", ..." if len(left) > 8 else "")
            remarks.append(f": columns left out: {shown}.")
        if self.blanks:
            remarks.append(f": {self.blanks} of {self.rows} rows hold no value and were left out.")
        scaled = {role.unit for role in self.roles.values() if role.quantity == "time" and role.unit != "s"}
        if scaled:
            remarks.append(f": times in {', '.join(sorted(scaled))} are stored in seconds.")
        return tuple(f"{dialect.file}{remark}" for remark in remarks)

    def _name(self, line: int, row: Sequence[str], name: str) -> int:
        """The position of what a row names, of a revision for example."""
        known = self.names[name]
        columns = self._columns[name]
        text = row[columns[0]].strip() if columns else self._defaults.get(name, "")
        longest = LONGEST["subject" if name == "benchmark" else name]
        if columns and not text:
            self._note(line, columns[0], "", f"the {name} is missing", "Write its name")
        elif columns and (len(text) > longest or not text.isprintable()):
            remedy = f"Use up to {longest} plain characters"
            self._note(line, columns[0], text, "the name cannot be stored", remedy)
        return known.setdefault(text, len(known))

    def _level(self, line: int, row: Sequence[str], place: int) -> str:
        text = row[place].strip()
        if self.dialect.decimal == "," and read_number(text, ",") is not None:
            text = text.replace(",", ".")
        levels = self._levels[place]
        if not text:
            remedy = "Write the option's level, or leave the row out"
            self._note(line, place, "", "the level is missing", remedy)
        elif text not in levels:
            if len(levels) == MAX_LEVELS:
                problem = f"has more than {MAX_LEVELS} levels and is no option"
                self._note(line, place, text, problem, "Map the column as something else")
            else:
                levels.add(text)
        return text

    def _value(
        self, line: int, row: Sequence[str], place: int, role: ColumnRole
    ) -> tuple[MetricRecord, float] | None:
        """What a cell measures, times in seconds; None where it is blank or the column holds something else."""
        if role.kind not in ("metric", "value"):
            return None
        cell = row[place].strip()
        if cell.lower() in BLANKS:
            return None
        value = read_number(cell, self.dialect.decimal)
        if value is None:
            sign = "point" if self.dialect.decimal == "." else "comma"
            remedy = f"Write a number with a decimal {sign}, or nothing"
            self._note(line, place, cell, "is no number in range", remedy)
            return None
        measured = role
        if role.kind == "value":
            # What was measured stands beside the value.
            (beside,) = self._columns["quantity"]
            quantity = row[beside].strip()
            unit = next((row[column].strip() for column in self._columns["unit"]), role.unit)
            is_long = max(len(quantity), len(unit)) > LONGEST["metric"]
            if not quantity or is_long or not (quantity + unit).isprintable():
                remedy = f"Use 1 to {LONGEST['metric']} plain characters"
                self._note(line, beside, quantity or unit, "cannot be the name of a metric", remedy)
            measured = ColumnRole("metric", quantity, unit, clock="wall" if quantity == "time" else "none")
        if measured.quantity != "time":
            return MetricRecord(measured.quantity, measured.unit, measured.clock, measured.better), value
        factor = SECONDS.get(measured.unit)
        if factor is None:
            place = (self._columns["unit"] or [place])[0]
            self._note(line, place, measured.unit, "is no unit of time", f"Write {', '.join(SECONDS)}")
            return None
        return MetricRecord("time", "s", measured.clock, measured.better), value * factor

    def _note(self, line: int, place: int, value: str, problem: str, remedy: str) -> None:
        dialect = self.dialect
        column = dialect.header[place] or f"number {place + 1}"
        self._faults.add(dialect.file, problem, remedy, line=line, column=column, value=value)
