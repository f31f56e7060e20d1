"""What a column holds: its role, and how a person writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from analytics.units import SECONDS
from dashboard.importers.errors import InvalidSetting
from dashboard.importers.limits import LONGEST, Better, Clock
from dashboard.importers.settings import ImportSettings

Kind = Literal[
    "ignore",
    "option",
    "metric",
    "revision",
    "repetition",
    "workload",
    "environment",
    "benchmark",
    "quantity",
    "unit",
    "value",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Roles that one column at most may have.
SINGLE: frozenset[Kind] = frozenset(KINDS) - {"ignore", "option", "metric"}
_HOW = (
    "Write COLUMN=ROLE, where ROLE is option, metric:QUANTITY:UNIT (then :higher where more is better, :cpu for CPU "
    f"time), value:UNIT, {', '.join(sorted(SINGLE - {'value'}))} or ignore"
)


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """What a column holds. `quantity` and `unit` are those of a metric; a value that stands alone has a unit only."""

    kind: Kind
    quantity: str = ""
    unit: str = ""
    better: Better = "lower"
    clock: Clock = "none"

    def __str__(self) -> str:
        if self.kind == "metric":
            behind = [
                word for word in (self.better, self.clock) if word not in ("lower", _usual(self.quantity))
            ]
            return ":".join([self.kind, self.quantity, self.unit, *behind])
        return f"value:{self.unit}" if self.kind == "value" and self.unit else self.kind


IGNORED = ColumnRole("ignore")


def _usual(quantity: str) -> Clock:
    """The clock of a quantity where nothing says it."""
    return "wall" if quantity == "time" else "none"


def metric(quantity: str, unit: str, *words: str) -> ColumnRole:
    """The role of a column of this metric; `words` may hold a direction and a clock. Raises `ValueError`."""
    better: Better = "lower"
    clock = _usual(quantity)
    for word in words:
        if word in get_args(Better):
            better = cast("Better", word)
        elif word in get_args(Clock):
            clock = cast("Clock", word)
        else:
            raise ValueError(f"{word!r} is neither lower nor higher, wall nor cpu")
    if quantity == "time" and unit not in SECONDS:
        raise ValueError(f"time needs its unit: {', '.join(SECONDS)}")
    if not quantity or max(len(quantity), len(unit)) > LONGEST["metric"]:
        raise ValueError(f"a quantity has 1 to {LONGEST['metric']} characters, a unit at most as many")
    return ColumnRole("metric", quantity, unit, better, clock)


def parse(text: str) -> ColumnRole:
    """The role that `text` writes. Raises `ValueError`."""
    kind, *parts = (part.strip() for part in text.split(":"))
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no role")
    if kind == "metric":
        if len(parts) < 2:
            raise ValueError("a metric needs its quantity and its unit")
        return metric(*parts)
    if kind == "value":
        return ColumnRole("value", unit=":".join(parts))
    if parts:
        raise ValueError(f"{kind} takes nothing behind it")
    return ColumnRole(cast("Kind", kind))


def mapped_roles(given: ImportSettings, header: Sequence[str]) -> Mapping[str, ColumnRole]:
    """The roles that the setting `map` gives to columns, in the order of the header; none for those to be ignored.

    Names of columns may hold a `=`. Raises `InvalidSetting`.
    """
    roles: dict[str, ColumnRole] = {}
    for text in given.get("map", ()):
        column, equals, role = (part.strip() for part in text.rpartition("="))
        if not (column and equals):
            raise InvalidSetting("map", "names no column and role", _HOW, text)
        if column in roles:
            raise InvalidSetting("map", "gives a column two roles", "Keep one of the two", text)
        try:
            roles[column] = parse(role)
        except ValueError as error:
            raise InvalidSetting("map", str(error), _HOW, text) from None
    for column in sorted({name for name in header if header.count(name) > 1} & set(roles)):
        raise InvalidSetting("map", "two columns have this name", "Rename one in the file", column)
    for column in roles:
        if column not in header:
            raise InvalidSetting(
                "map", "there is no such column", f"The columns are {', '.join(header)}", column
            )
    _check_roles(roles)
    return {name: roles[name] for name in header if roles.get(name, IGNORED) != IGNORED}


def _check_roles(roles: Mapping[str, ColumnRole]) -> None:
    """Raise `InvalidSetting` where the roles together make no table of measurements."""
    kinds = [role.kind for role in roles.values()]
    for kind in sorted(SINGLE):
        if kinds.count(kind) > 1:
            columns = ", ".join(column for column, role in roles.items() if role.kind == kind)
            raise InvalidSetting("map", f"{kind} is given to several columns", "Keep one of them", columns)
    is_long = "value" in kinds
    if is_long == ("metric" in kinds):
        problem = "both metric and value are given" if is_long else "no column holds what was measured"
        remedy = (
            "Give metric:QUANTITY:UNIT to each column of values, or value beside a column with quantities"
        )
        raise InvalidSetting("map", problem, remedy)
    if is_long and "quantity" not in kinds:
        remedy = (
            "Give quantity to the column that names what was measured, or metric:QUANTITY:UNIT to this one"
        )
        raise InvalidSetting("map", "a value needs its quantity", remedy)
    if not is_long and {"quantity", "unit"} & set(kinds):
        raise InvalidSetting(
            "map", "quantity and unit belong to a value", "Give value to the column of numbers"
        )
    units = [role.unit for role in roles.values() if role.kind == "value"]
    if is_long and ("unit" in kinds) == bool(units[0]):
        problem = "the unit is given twice" if units[0] else "the values have no unit"
        raise InvalidSetting("map", problem, "Give unit to a column, or value:UNIT")
    if "benchmark" in kinds and "option" in kinds:
        raise InvalidSetting(
            "map", "a benchmark has no options", "Map the options with ignore, or the benchmark as workload"
        )
