"""Reading the text, the JSON and the rows of a file, and noting every fault with its place."""

import codecs
import csv
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import ImportSource

T = TypeVar("T")


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
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        faults.add(file, "starts with the byte order mark of UTF-16", "Save it as UTF-8", line=1)
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


def csv_rows(
    lines: Iterable[str], file: str, delimiter: str, *, longest: int
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, each with the line on which it ends; an empty line is an empty row.

    A field has at most `longest` characters. Raises `SourceError` where quotes or fields are wrong.
    """
    csv.field_size_limit(longest)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        problem = f"is no sound CSV ({error})"
        raise SourceError(file, problem, "Check quotes and line ends here", line=reader.line_num) from None


def read_json(source: ImportSource, file: str, shape: TypeAdapter[T], faults: Faults) -> T | None:
    """A JSON file of this shape; None, with faults noted, where it is another."""
    text = read_text(source, file, faults)
    if text is None:
        return None
    try:
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
        if "\\u" in text:
            _check_characters(content)
        return shape.validate_json(text, strict=True)
    except json.JSONDecodeError as error:
        faults.add(file, f"is no JSON ({error.msg})", "Correct it here", line=error.lineno)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            place = "/".join(str(part) for part in detail["loc"])
            value = "" if detail["type"] == "missing" else repr(detail["input"])
            remedy = "See the description of the format"
            faults.add(
                file, f"{detail['msg'][:1].lower()}{detail['msg'][1:]}", remedy, column=place, value=value
            )
    except (ValueError, RecursionError) as error:
        faults.add(file, f"is no acceptable JSON: {error}", "Correct it")
    return None


def _check_characters(content: object) -> None:
    """Raise `ValueError` for characters that only escapes can bring in, and that no database stores."""
    text = json.dumps(content, ensure_ascii=False)
    # A backslash in a text stands there twice: what follows it is no escape.
    if "\\u0000" in text.replace("\\\\", ""):
        raise ValueError("it holds a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; `json` alone would keep the last of two equal keys in silence."""
    content = dict(pairs)
    if len(content) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return content


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        words = "too large a number" if text[-1].isdigit() else "no number of JSON"
        raise ValueError(f"{text} is {words}")
    return value
