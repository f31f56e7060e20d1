"""Reads what `valgrind --tool=callgrind` wrote: exact instructions of every function, by line, own and with what it called.

The format is that of the Valgrind manual, "Callgrind Format Specification". Written here because the one kept package that
reads it, gprof2dot, is a command line tool: it merges functions of one name, keeps no lines, and guesses at damage.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Instructions that were fetched and executed: the one event that callgrind counts without simulating caches.
_EVENT = "Ir"
_NAMED = re.compile(r"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=(?:\((\d+)\))?(?: ?(.*))?")
_COST = re.compile(r"[0-9+*-]")
_HEADER = re.compile(r"([a-z]+):(.*)")
# Names are short numbers after their first use, one list for objects, one for files, one for functions.
_LISTS = {"ob": "ob", "cob": "ob", "fl": "fl", "fi": "fl", "fe": "fl", "cfi": "fl", "cfl": "fl", "fn": "fn", "cfn": "fn"}  # fmt: skip
UNKNOWN = "???"
MOST = 2**63 - 1


class CallgrindUnreadable(ValueError):
    """The text is not, or not wholly, what callgrind writes; the message says where and why."""


class FunctionName(NamedTuple):
    """A function by the object that holds it (a path), its source file and its name; "???" for what is not known."""

    object: str
    file: str
    name: str


@dataclass(slots=True)
class FunctionCost:
    """Instructions of one function: `lines` its own by (file, line), `called` those of the functions that it called."""

    lines: Counter[tuple[str, int]] = field(default_factory=Counter)
    called: int = 0

    @property
    def own(self) -> int:
        """Its own instructions."""
        return sum(self.lines.values())


def read_callgrind(text: str) -> dict[FunctionName, FunctionCost]:
    """Return the cost of each function in what callgrind wrote; all own costs together are its total.

    What a function calls of itself is not in its `called`; of functions that call each other in turns it may be in both.
    Raises `CallgrindUnreadable`, also where the costs do not add up to the total that stands in the text.
    """
    reader = _Reader()
    number = 0
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            reader.take(line)
        except (ValueError, KeyError, IndexError) as error:
            told = str(error) if isinstance(error, CallgrindUnreadable) else "is not understood"
            raise CallgrindUnreadable(f"line {number}, {line[:80]!r}: {told}") from None
    total = sum(cost.own for cost in reader.functions.values())
    if reader.total is None or total != reader.total:
        says = "no total" if reader.total is None else f"a total of {reader.total}"
        raise CallgrindUnreadable(f"it is cut short: {total} instructions in {number} lines, and {says}")
    return reader.functions


def added(profiles: Iterable[Mapping[FunctionName, FunctionCost]]) -> dict[FunctionName, FunctionCost]:
    """Return the costs of several processes together."""
    found: dict[FunctionName, FunctionCost] = {}
    for profile in profiles:
        for name, cost in profile.items():
            one = found.setdefault(name, FunctionCost())
            one.lines.update(cost.lines)
            one.called += cost.called
    return found


class _Reader:
    """What was read so far: of the names, of the position, and the costs."""

    def __init__(self) -> None:
        self.functions: dict[FunctionName, FunctionCost] = {}
        self.total: int | None = None
        self._names: dict[str, dict[str, str]] = {"ob": {}, "fl": {}, "fn": {}}
        self._now = {"ob": UNKNOWN, "fl": UNKNOWN, "fn": ""}
        # Where the function stands, and where its code comes from: a header's, where that is inlined.
        self._file = UNKNOWN
        self._called: dict[str, str] = {}
        self._is_call = False
        self._positions, self._line, self._event = 1, 0, -1
        self._at = [0]

    def take(self, line: str) -> None:
        """Read one line."""
        if not line or line.startswith("#"):
            return
        if _COST.match(line):
            self.cost(line.split())
        elif named := _NAMED.fullmatch(line):
            self.use_name(*named.groups())
        elif line.startswith("calls="):
            self._is_call = True
        elif line.startswith(("jump=", "jcnd=")):
            # Followed by a position without cost.
            self._is_call = False
        elif header := _HEADER.match(line):
            self.header(header[1], header[2].split())
        else:
            raise CallgrindUnreadable("is no line of callgrind's")

    def header(self, key: str, words: list[str]) -> None:
        """Read a line that says how to read others."""
        if key == "version" and words != ["1"]:
            raise CallgrindUnreadable("only version 1 of the format is known")
        if key == "positions":
            if not words or not set(words) <= {"instr", "bb", "line"}:
                raise CallgrindUnreadable("positions are instr, bb and line")
            self._positions, self._at = len(words), [0] * len(words)
            self._line = words.index("line") if "line" in words else -1
        elif key == "events":
            if _EVENT not in words:
                raise CallgrindUnreadable(f"it counts no instructions ({_EVENT})")
            self._event = words.index(_EVENT)
        elif key == "totals":
            # One for each part of the file.
            self.total = (self.total or 0) + _number(words[self._event])

    def use_name(self, key: str, number: str | None, text: str | None) -> None:
        """Read the name of an object, a file or a function that the next costs are of."""
        known = self._names[_LISTS[key]]
        if number is None:
            name = text or UNKNOWN
        elif text:
            name = known[number] = text
        elif number in known:
            name = known[number]
        else:
            raise CallgrindUnreadable("a name that was not given before")
        if key.startswith("c"):
            self._called[_LISTS[key]] = name
        elif key in {"fi", "fe"}:
            self._file = name
        else:
            self._now[key] = name
            self._file = self._now["fl"]

    def cost(self, words: list[str]) -> None:
        """Read a cost at a position: of the function itself, or of a call."""
        if self._event < 0:
            raise CallgrindUnreadable("a cost before the line that says of which events")
        where, costs = words[: self._positions], words[self._positions :]
        for at, word in enumerate(where):
            if word != "*":
                self._at[at] = int(word, 0) + (self._at[at] if word[0] in "+-" else 0)
            if not 0 <= self._at[at] <= MOST:
                raise CallgrindUnreadable("a position that cannot be")
        # Events at the end of a line that are 0 are left out.
        cost = _number(costs[self._event]) if len(costs) > self._event else 0
        function = FunctionName(self._now["ob"], self._now["fl"], self._now["fn"])
        if not function.name:
            raise CallgrindUnreadable("a cost before the first function")
        entry = self.functions.setdefault(function, FunctionCost())
        if self._is_call:
            callee = FunctionName(
                self._called.get("ob", function.object),
                self._called.get("fl", function.file),
                self._called["fn"],
            )
            entry.called += cost if callee != function else 0
            self._is_call, self._called = False, {}
        elif costs:
            entry.lines[self._file, self._at[self._line] if self._line >= 0 else 0] += cost


def _number(word: str) -> int:
    value = int(word, 0)
    if not 0 <= value <= MOST:
        raise CallgrindUnreadable("a number that cannot be")
    return value
