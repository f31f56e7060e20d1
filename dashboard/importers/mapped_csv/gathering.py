"""Gathering the rows of a mapped table: what each cell means, with every bad cell noted."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analytics.units import SECONDS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.mapped_csv.numbers import BLANKS, number
from dashboard.importers.mapped_csv.roles import Role
from dashboard.importers.records import MetricRecord

MAX_ROWS = 500_000
MAX_LEVELS = 127  # of one option
NAMES = ("revision", "workload", "environment", "benchmark")


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column has which role, by position; `defaults` are the names where no column tells them."""

    file: str
    header: tuple[str, ...]
    roles: Mapping[int, Role]
    defaults: Mapping[str, str]
    decimal: str

    def of(self, kind: str) -> list[int]:
        """The positions of the columns with a role."""
        return [place for place, role in self.roles.items() if role.kind == kind]


Key = tuple[int, int, int, int, int]  # revision, workload, environment, benchmark, configuration


@dataclass(slots=True)
class Gathered:
    """The rows by column: `key` is a position in `keys`, `repetition` -1 where no column tells it."""

    names: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in NAMES})
    configurations: dict[tuple[str, ...], int] = field(default_factory=dict)
    metrics: dict[MetricRecord, int] = field(default_factory=dict)
    keys: dict[Key, int] = field(default_factory=dict)
    rows: int = 0
    blanks: int = 0
    key: "array[int]" = field(default_factory=lambda: array("q"))
    repetition: "array[int]" = field(default_factory=lambda: array("q"))
    row: "array[int]" = field(default_factory=lambda: array("q"))
    metric: "array[int]" = field(default_factory=lambda: array("q"))
    value: "array[float]" = field(default_factory=lambda: array("d"))


class Gathering:
    """Takes row after row."""

    def __init__(self, layout: Layout, faults: Faults) -> None:
        self.found = Gathered()
        self._layout = layout
        self._faults = faults
        self._options = layout.of("option")
        self._levels: dict[int, set[str]] = {place: set() for place in self._options}
        self._columns = {name: layout.of(name) for name in (*NAMES, "repetition", "quantity", "unit")}

    def take(self, line: int, row: Sequence[str]) -> None:
        """One row; a fault in it is noted and its measurements are left out."""
        found, faults = self.found, self._faults
        found.rows += 1
        if len(row) != len(self._layout.header):
            problem = f"has {len(row)} fields where the header has {len(self._layout.header)}"
            faults.add(
                self._layout.file,
                problem,
                "Complete the row or quote fields that hold the delimiter",
                line=line,
            )
            return
        before = faults.count
        names = [self._name(line, row, name) for name in NAMES]
        levels = tuple(self._level(line, row, place) for place in self._options)
        repetition = self._repetition(line, row)
        values = [self._value(line, row, place, role) for place, role in self._layout.roles.items()]
        if faults.count > before:
            return
        key: Key = (*names, found.configurations.setdefault(levels, len(found.configurations)))  # type: ignore[assignment]
        measured = [one for one in values if one is not None]
        found.blanks += not measured
        for of, value in measured:
            found.key.append(found.keys.setdefault(key, len(found.keys)))
            found.repetition.append(repetition)
            found.row.append(found.rows)
            found.metric.append(found.metrics.setdefault(of, len(found.metrics)))
            found.value.append(value)

    def _name(self, line: int, row: Sequence[str], name: str) -> int:
        """The position of what a row names, of a revision for example."""
        known = self.found.names[name]
        columns = self._columns[name]
        text = row[columns[0]].strip() if columns else self._layout.defaults.get(name, "")
        longest = LONGEST["subject" if name == "benchmark" else name]
        if columns and not text:
            self._note(line, columns[0], "", f"the {name} is missing", "Write its name")
        elif columns and (len(text) > longest or not text.isprintable()):
            self._note(
                line, columns[0], text, "the name cannot be stored", f"Use up to {longest} plain characters"
            )
        return known.setdefault(text, len(known))

    def _level(self, line: int, row: Sequence[str], place: int) -> str:
        text = row[place].strip()
        if self._layout.decimal == "," and number(text, ",") is not None:
            text = text.replace(",", ".")
        levels = self._levels[place]
        if not text:
            self._note(
                line, place, "", "the level is missing", "Write the option's level, or leave the row out"
            )
        elif text not in levels:
            if len(levels) == MAX_LEVELS:
                problem = f"has more than {MAX_LEVELS} levels and is no option"
                self._note(line, place, text, problem, "Map the column as something else")
            else:
                levels.add(text)
        return text

    def _repetition(self, line: int, row: Sequence[str]) -> int:
        if not self._columns["repetition"]:
            return -1
        (place,) = self._columns["repetition"]
        value = number(row[place].strip(), self._layout.decimal)
        if value is None or value != int(value) or not 0 <= value <= LARGEST:
            remedy = "Write a whole number from 0, or map the column as ignore: rows are counted then"
            self._note(line, place, row[place], "is no repetition", remedy)
            return 0
        return int(value)

    def _value(
        self, line: int, row: Sequence[str], place: int, role: Role
    ) -> tuple[MetricRecord, float] | None:
        """What a cell measures, times in seconds; None where it is blank or the column holds something else."""
        if role.kind not in ("metric", "value"):
            return None
        cell = row[place].strip()
        if cell.lower() in BLANKS:
            return None
        value = number(cell, self._layout.decimal)
        if value is None:
            sign = "point" if self._layout.decimal == "." else "comma"
            self._note(
                line,
                place,
                cell,
                "is no number in range",
                f"Write a number with a decimal {sign}, or nothing",
            )
            return None
        measured = role if role.kind == "metric" else self._told(line, row, role)
        if measured.quantity != "time":
            return MetricRecord(measured.quantity, measured.unit, measured.clock, measured.better), value
        factor = SECONDS.get(measured.unit)
        if factor is None:
            place = (self._columns["unit"] or [place])[0]
            self._note(line, place, measured.unit, "is no unit of time", f"Write {', '.join(SECONDS)}")
            return None
        return MetricRecord("time", "s", measured.clock, measured.better), value * factor

    def _told(self, line: int, row: Sequence[str], role: Role) -> Role:
        """The metric of a value that stands beside its quantity."""
        (place,) = self._columns["quantity"]
        quantity = row[place].strip()
        units = self._columns["unit"]
        unit = row[units[0]].strip() if units else role.unit
        if (
            not quantity
            or max(len(quantity), len(unit)) > LONGEST["metric"]
            or not (quantity + unit).isprintable()
        ):
            remedy = f"Use 1 to {LONGEST['metric']} plain characters"
            self._note(line, place, quantity or unit, "cannot be the name of a metric", remedy)
        return Role("metric", quantity, unit, clock="wall" if quantity == "time" else "none")

    def _note(self, line: int, place: int, value: str, problem: str, remedy: str) -> None:
        column = self._layout.header[place] or f"number {place + 1}"
        self._faults.add(self._layout.file, problem, remedy, line=line, column=column, value=value)
