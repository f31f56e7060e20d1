"""Reading the text files of a bundle, and noting every fault with its place."""

import codecs
import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import TypeAdapter, ValidationError

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import ImportSource

T = TypeVar("T")

_BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_MAX_FIELD = 1 << 24


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file by column; `lines[i]` is the line of the file on which row i ends."""

    file: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __getitem__(self, column: str) -> Sequence[str]:
        return self.columns[column]

    def note(
        self,
        faults: Faults,
        row: int,
        column: str,
        *,
        problem: str,
        remedy: str,
        value: str | None = None,
    ) -> None:
        """Note a fault in one row; `value` is the cell of `column` unless given."""
        shown = self.columns[column][row] if value is None else value
        faults.add(self.file, problem, remedy, line=self.lines[row], column=column, value=shown)


def read_text(source: ImportSource, file: str, faults: Faults) -> str | None:
    """The text of a file; None, with a fault noted, where it is absent, damaged or no UTF-8."""
    if file not in source.names:
        faults.add(file, "the file is missing", "Add it to the bundle")
        return None
    try:
        content = source.read(file).removeprefix(codecs.BOM_UTF8)
    except SourceError as error:
        faults.add_fault(error.fault)
        return None
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            faults.add(
                file,
                f"starts with the byte order mark of {encoding}",
                "Save it as UTF-8",
                line=1,
            )
            return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02x}"
        faults.add(file, "is not UTF-8", "Save it as UTF-8", line=line, value=byte)
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        faults.add(file, "holds a NUL character", "Remove it", line=line)
        return None
    return text


def read_table(
    source: ImportSource, file: str, required: Iterable[str], faults: Faults, *, delimiter: str = ","
) -> Table | None:
    """A CSV file with a header; None where it cannot be read or a required column is missing.

    Empty lines are passed over. Rows whose number of fields differs from the header's are faults and left out.
    """
    text = read_text(source, file, faults)
    if text is None:
        return None
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        first = reader.line_num + 1
        rows = list(reader)
    except csv.Error as error:
        faults.add(
            file, f"is no sound CSV ({error})", "Check quotes and line ends here", line=reader.line_num
        )
        return None
    if not _check_header(file, header, required, faults):
        return None
    lines: Sequence[int] = range(first, first + len(rows))
    if reader.line_num >= first + len(rows):  # fields hold line breaks: count again
        again = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        lines = [again.line_num for _ in again][1:]
    wrong = [index for index, row in enumerate(rows) if len(row) != len(header)]
    for index in wrong:
        if rows[index]:
            problem = f"has {len(rows[index])} fields where the header has {len(header)}"
            faults.add(file, problem, "Complete the row or quote fields that hold commas", line=lines[index])
    if wrong:
        left_out = set(wrong)
        rows = [row for index, row in enumerate(rows) if index not in left_out]
        lines = [line for index, line in enumerate(lines) if index not in left_out]
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return Table(file, dict(zip(header, columns, strict=True)), lines)


def _check_header(file: str, header: Sequence[str], required: Iterable[str], faults: Faults) -> bool:
    before = faults.count
    if not header:
        faults.add(file, "is empty", "Write a header line with the names of the columns", line=1)
        return False
    for column in sorted({name for name in header if header.count(name) > 1}):
        faults.add(file, "the column is there twice", "Keep one of them", line=1, column=column)
    for column in required:
        if column not in header:
            faults.add(
                file, "the column is missing", "Add it to the header and to each row", line=1, column=column
            )
    return faults.count == before


def read_json(source: ImportSource, file: str, shape: TypeAdapter[T], faults: Faults) -> T | None:
    """A JSON file of this shape; None, with faults noted, where it is another."""
    text = read_text(source, file, faults)
    if text is None:
        return None
    try:
        content = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
        if "\\u" in text:
            _check_characters(content)
        return shape.validate_json(text, strict=True)
    except json.JSONDecodeError as error:
        faults.add(file, f"is no JSON ({error.msg})", "Correct it here", line=error.lineno)
    except ValidationError as error:
        for found in error.errors(include_url=False):
            place = "/".join(str(part) for part in found["loc"])
            value = "" if found["type"] == "missing" else repr(found["input"])
            remedy = "See the description of the format"
            faults.add(
                file, f"{found['msg'][:1].lower()}{found['msg'][1:]}", remedy, column=place, value=value
            )
    except (ValueError, RecursionError) as error:
        faults.add(file, f"is no acceptable JSON: {error}", "Correct it")
    return None


def _check_characters(content: object) -> None:
    """Raise `ValueError` for characters that only escapes can bring in, and that no database stores."""
    text = json.dumps(content, ensure_ascii=False)
    if "\\u0000" in text:
        raise ValueError("it holds a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; `json` alone would keep the last of two equal keys in silence."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large a number")
    return value


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")
