"""How a CSV file is written: encoding, delimiter, decimal sign; and its rows, one by one."""

import codecs
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from dashboard.importers.errors import InvalidSetting, SourceError
from dashboard.importers.numbers import BLANKS, has_comma, read_number
from dashboard.importers.source import ImportSource
from dashboard.importers.text_files import csv_rows

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
SAMPLE_ROWS = 200
MAX_COLUMNS = 1_000
_CHUNK = 1 << 20
_MAX_FIELD = 1 << 20
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How the file is written, its header, and its first rows."""

    file: str
    encoding: str
    delimiter: str
    decimal: str
    header: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]

    def cells(self, place: int) -> Sequence[str]:
        """The texts of a column in the first rows."""
        return [row[place].strip() for row in self.sample]


def read_dialect(source: ImportSource, *, delimiter: str | None, decimal: str | None) -> CsvDialect:
    """What the one CSV file of a source looks like, as its first rows tell, or these settings where they are given.

    Raises `SourceError`, and `InvalidSetting` for settings that it cannot be read with.
    """
    files = sorted(source.names)
    if len(files) != 1:
        raise SourceError(source.title, f"holds {len(files)} files", "Give one CSV file, alone or in the zip")
    (file,) = files
    encoding = _encoding(source, file)
    with _text(source, file, encoding) as text:
        lines = list(islice(_lines(text), SAMPLE_ROWS))
    sign = _delimiter(lines, file) if delimiter is None else DELIMITERS.get(delimiter, delimiter)
    if len(sign) != 1 or sign in '"\r\n':
        remedy = f"Write one character, or {', '.join(DELIMITERS)}"
        raise InvalidSetting("delimiter", "is no delimiter", remedy, sign)
    rows = _parsed(lines, sign, file)
    if not rows:
        raise SourceError(file, "is empty", "Write a header line with the names of the columns")
    header = tuple(cell.strip() for cell in rows[0])
    sample = tuple(tuple(row) for row in rows[1:] if len(row) == len(header))
    if len(header) > MAX_COLUMNS:
        raise SourceError(file, f"has {len(header)} columns, more than {MAX_COLUMNS}", "Leave some out")
    if not decimal:
        # A whole column that can only be read with decimal commas: versions have points whatever the sign of numbers is.
        columns = (
            [cell for cell in map(str.strip, column) if cell.lower() not in BLANKS]
            for column in zip(*sample, strict=True)
        )
        has_commas = any(
            any(map(has_comma, cells)) and all(read_number(cell, ",") is not None for cell in cells)
            for cells in columns
        )
        decimal = "," if has_commas else "."
    if decimal not in (".", ","):
        raise InvalidSetting("decimal", "is no decimal sign", "Write . or ,", decimal)
    return CsvDialect(file, encoding, sign, decimal, header, sample)


@contextmanager
def open_rows(source: ImportSource, dialect: CsvDialect) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """The rows behind the header with the line on which each ends; empty lines are passed over.

    Reading them raises `SourceError` where quotes or fields are wrong.
    """
    with _text(source, dialect.file, dialect.encoding) as text:
        rows = csv_rows(_lines(text), dialect.file, dialect.delimiter, longest=_MAX_FIELD)
        yield islice((row for row in rows if any(row[1])), 1, None)


def _encoding(source: ImportSource, file: str) -> str:
    """UTF-8 where all of it is, UTF-16 where it says so, else Latin-1, in which every byte is a character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.stream(file) as stream:
        first = stream.read(_CHUNK)
        for mark, encoding in _MARKS:
            if first.startswith(mark):
                return encoding
        try:
            while first:
                decoder.decode(first)
                first = stream.read(_CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "latin-1"
    return "utf-8"


@contextmanager
def _text(source: ImportSource, file: str, encoding: str) -> Iterator[io.TextIOWrapper]:
    with source.stream(file) as stream:
        # Damaged characters are replaced; where they stand in a number or a name, that is a fault of the cell.
        yield io.TextIOWrapper(stream, encoding, errors="replace", newline="")


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """Lines, none of them so long that it fills the memory."""
    while line := text.readline(_CHUNK):
        yield line.replace("\0", "�")


def _delimiter(lines: list[str], file: str) -> str:
    candidates = []
    for sign in DELIMITERS.values():
        try:
            widths = [len(row) for row in _parsed(lines, sign, file)]
        except SourceError:
            continue
        if widths:
            # Rows as wide as the header speak for a sign, then many columns; with none of them there is one column.
            candidates.append(
                (widths.count(widths[0]) / len(widths) if widths[0] > 1 else 0.0, widths[0], sign)
            )
    best = max(candidates, key=lambda one: one[:2], default=(0.0, 1, ","))
    return best[2] if best[1] > 1 else ","


def _parsed(lines: list[str], delimiter: str, file: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        rows.extend(row for _, row in csv_rows(lines, file, delimiter, longest=_MAX_FIELD) if any(row))
    except SourceError as error:
        # The last quoted field of the sample may go on behind it.
        if error.fault.line < SAMPLE_ROWS:
            raise
    return rows
