"""The output of a tool as recognisers look at it: text by lines, JSON, CSV or XML, every value with its place."""

import csv
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import NamedTuple

from pydantic_core import from_json

from dashboard.importers.limits import FARTHEST, LARGEST
from dashboard.importers.numbers import is_number, read_number
from dashboard.importers.xml_elements import Element, read_xml

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_JSON = re.compile(r'\ufeff?\s*[{\[]\s*(?:["{}\[\]\d-]|true|false|null|$)')
# What continuous integration writes before each line of a log.
_LOGGED_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ")


# A longer line is of no tool. Patterns go over a line once for each of its characters.
_LONGEST_LINE = 2_000
# Each comment ends where it first may, and nowhere else: else many of them can be told apart in very many ways.
_ROOT = re.compile(r"\ufeff?\s*+(?:<\?[^>]*\?>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(\w+)", re.DOTALL)


class Place(NamedTuple):
    """Where in a file a value stands: its line from 1, or the path to it in JSON; 0 and blank for the file as a whole."""

    line: int = 0
    path: str = ""


class OutputError(Exception):
    """The output of a tool says something that cannot be; place, value and remedy tell what."""

    def __init__(
        self,
        problem: str,
        place: Place | None = None,
        value: str = "",
        remedy: str = "Run the tool again, or give its output as it wrote it",
    ) -> None:
        super().__init__(problem)
        self.problem, self.place, self.value, self.remedy = problem, place or Place(), value, remedy


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a tool wrote, and where."""

    value: float
    place: Place

    def count(self) -> int:
        """It as a number of measurements. Raises `OutputError` where it is none."""
        if not (1 <= self.value <= LARGEST and self.value == int(self.value)):
            raise OutputError("is no number of measurements", self.place, f"{self.value:g}")
        return int(self.value)


def number_of(value: object, place: Place) -> Number:
    """The number that a text or a JSON value is: finite and not negative. Raises `OutputError`."""
    number = value
    if isinstance(value, str):
        plain = value.strip().replace(",", "")
        number = read_number(plain) if is_number(plain) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise OutputError(
            "is no number" if value not in (None, "") else "the number is missing", place, _shown(value)
        )
    if not math.isfinite(number) or abs(number) > FARTHEST:
        raise OutputError("is no number that can be measured", place, _shown(value))
    if number < 0:
        raise OutputError("is negative", place, _shown(value))
    return Number(float(number), place)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else repr(value)


class JsonValue:
    """A value in a JSON document, which knows the path to it."""

    def __init__(self, value: object, path: str = "") -> None:
        self.raw = value
        self.place = Place(path=path)

    def has(self, *keys: str) -> bool:
        """Whether it is an object with all these keys."""
        return isinstance(self.raw, dict) and all(key in self.raw for key in keys)

    def __getitem__(self, key: str) -> "JsonValue":
        """Return the value under a key. Raises `OutputError` where there is none."""
        found = self.get(key)
        if found is None:
            raise OutputError("is missing", Place(path=self._path(key)))
        return found

    def get(self, key: str) -> "JsonValue | None":
        """The value under a key; None where it is absent or null."""
        known = self.raw.get(key) if isinstance(self.raw, dict) else None
        return None if known is None else JsonValue(known, self._path(key))

    def each(self) -> "list[JsonValue]":
        """The values of a list that holds at least one. Raises `OutputError`."""
        if not isinstance(self.raw, list):
            raise OutputError("is no list", self.place, _shown(self.raw)[:80])
        if not self.raw:
            raise OutputError("is an empty list", self.place)
        return [JsonValue(one, self._path(str(at))) for at, one in enumerate(self.raw)]

    def items(self) -> "Iterator[tuple[str, JsonValue]]":
        """The entries of an object. Raises `OutputError`."""
        if not isinstance(self.raw, dict):
            raise OutputError("is no object", self.place, _shown(self.raw)[:80])
        return ((key, JsonValue(one, self._path(key))) for key, one in self.raw.items())

    def number(self) -> Number:
        """It as a number. Raises `OutputError`."""
        return number_of(self.raw if not isinstance(self.raw, str) else None, self.place)

    def text(self) -> str:
        """It as a text that is not blank. Raises `OutputError`."""
        if not isinstance(self.raw, str) or not self.raw.strip():
            raise OutputError("is no text", self.place, _shown(self.raw)[:80])
        return self.raw

    def texts(self) -> dict[str, str]:
        """The entries of an object that are texts or numbers, as texts."""
        known = self.raw if isinstance(self.raw, dict) else {}
        return {key: str(one) for key, one in known.items() if isinstance(one, str | int | float)}

    def _path(self, key: str) -> str:
        return f"{self.place.path}/{key}" if self.place.path else key


@dataclass(frozen=True, slots=True)
class LineMatch:
    """A line of text that a pattern matches."""

    line: int
    match: re.Match[str]

    @property
    def place(self) -> Place:
        """The line."""
        return Place(self.line)

    def text(self, group: str) -> str:
        """What a group of the pattern matched, without surrounding blanks; blank where it matched nothing."""
        return (self.match[group] or "").strip()

    def number(self, group: str) -> Number:
        """The number that a group matched. Raises `OutputError`."""
        return number_of(self.text(group), self.place)


@dataclass(frozen=True)
class ToolOutput:
    """A file that a tool may have written: its path in what is imported, and its text."""

    file: str
    text: str = field(repr=False)
    # The text of the file of another name in the same folder; None where there is none.
    beside: Callable[[str], str | None] = lambda _: None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of text, without colours and without the times that continuous integration writes before them.

        One that is too long for any tool is blank.
        """
        lines = _COLOURS.sub("", self.text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        short = (line if len(line) <= _LONGEST_LINE else "" for line in lines)
        return [_LOGGED_AT.sub("", line) if _LOGGED_AT.match(line) else line for line in short]

    @cached_property
    def document(self) -> JsonValue:
        """The text as JSON; a value that is null where it is no JSON."""
        try:
            return JsonValue(from_json(self.text) if self.kind == "JSON" else None)
        except ValueError:
            return JsonValue(None)

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The columns of the first line as CSV."""
        first = self.text.lstrip("\ufeff").partition("\n")[0].rstrip("\r")
        try:
            return tuple(next(csv.reader([first]), ()))
        except csv.Error:
            return ()

    @property
    def kind(self) -> str:
        """What the text begins as: JSON, XML or text."""
        if _JSON.match(self.text):
            return "JSON"
        return "XML" if self.text.lstrip("\ufeff \t\r\n").startswith("<") else "text"

    def rows(self) -> Iterator[tuple[Place, dict[str, str]]]:
        """The rows of a CSV file by column. Raises `OutputError` for a row that is not as wide as the header."""
        reader = csv.reader(self.text.lstrip("\ufeff").splitlines(keepends=True), strict=True)
        try:
            next(reader, None)
            for row in reader:
                place = Place(reader.line_num)
                if row and len(row) != len(self.header):
                    raise OutputError(f"has {len(row)} fields where the header has {len(self.header)}", place)
                if row:
                    yield place, dict(zip(self.header, row, strict=True))
        except csv.Error as error:
            raise OutputError(f"is no sound CSV ({error})", Place(reader.line_num)) from None

    def elements(self) -> list[Element]:
        """The elements below the root of an XML file and those one deeper. Raises `SourceError`."""
        parts = list(read_xml(BytesIO(self.text.encode()), self.file))
        return [element for depth, _, element in parts if depth]

    def root(self) -> str:
        """The tag of the root of an XML file; blank where it has none."""
        found = _ROOT.match(self.text)
        return found[1] if found else ""

    def find(self, pattern: str) -> LineMatch | None:
        """The first line that the pattern matches from its start."""
        return next(self.all(pattern), None)

    def all(self, pattern: str) -> Iterator[LineMatch]:
        """Each line that the pattern matches from its start."""
        compiled = re.compile(pattern)
        for at, line in enumerate(self.lines, start=1):
            if found := compiled.match(line):
                yield LineMatch(at, found)

    def required(self, pattern: str, words: str) -> LineMatch:
        """The first line that the pattern matches. Raises `OutputError`, which calls it by these words."""
        found = self.find(pattern)
        if found is None:
            raise OutputError(f"has no line {words!r}: it is not complete")
        return found


def require_whole_lines(output: ToolOutput) -> None:
    """Raise `OutputError` where a text ends in the middle of a line: then it may be cut in the middle of a number."""
    if not output.text.endswith(("\n", "\r")):
        place = Place(len(output.lines))
        remedy = "Give the whole output; where it is whole, end its last line"
        raise OutputError("ends in the middle of a line", place, output.lines[-1][-40:], remedy)
