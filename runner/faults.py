"""Faults of a section of `subject.toml`, put into words."""

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from .errors import SubjectFault

T = TypeVar("T")

_REMEDIES = {
    "string_type": 'write a text in quotes, such as "text"',
    "string_too_short": "write a text that is not empty",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "bool_type": "write true or false",
    "dict_type": "write a table",
    "model_type": "write a table",
    "model_attributes_type": "write a table",
    "tuple_type": "write a list in square brackets",
    "invalid-json-value": "write dates as texts in quotes",
    "union_tag_not_found": 'add source = "git", "folder" or "pypi"',
    "union_tag_invalid": 'write source = "git", "folder" or "pypi"',
    "level": "write one of true, false, a number or a text",
    "arguments": 'write a list such as ["--fast"], or {on = ["--fast"], off = []}',
    "version": 'write a version such as "3.1" or "3.0.1"',
    "greater_than": "write a larger number",
    "greater_than_equal": "write a larger number",
}
_PATTERNS = {
    "callable": 'write "module:function", the module being a Python file of the subject\'s folder',
    "regions": 'write the import name of a package, such as "markdown"',
}
_LONGEST = 80
_TAGS = ("git", "folder", "pypi")


class SubjectFaults:
    """All faults that were found in one file so far."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.found: list[SubjectFault] = []

    def add(self, key: str, value: object, problem: str, remedy: str) -> None:
        """Note a fault; `value` None means that there is no value to show."""
        # Much as TOML writes it, cut where it is long.
        shown = "" if value is None else json.dumps(value, default=str, ensure_ascii=False)
        if len(shown) > _LONGEST:
            shown = shown[: _LONGEST - 3] + "..."
        self.found.append(SubjectFault(self._file, key, shown, problem, remedy))

    def section(self, key: str, kind: Any, value: object, *, known: Iterable[str] = ()) -> Any:
        """Return `value` as `kind`, or None with its faults noted under `key`.

        `known` names the allowed keys where `kind` is no section with fields of its own.
        """
        fields = getattr(kind, "model_fields", {})
        names = (*known, *(field.alias or name for name, field in fields.items()))
        try:
            return TypeAdapter(kind).validate_python(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._add_detail(key, detail, names)
            return None

    def _add_detail(self, section: str, detail: ErrorDetails, known: tuple[str, ...]) -> None:
        parts = [part for part in detail["loc"] if part not in _TAGS]
        key = section
        for part in parts:
            key += f"[{part}]" if isinstance(part, int) else f".{part}"
        last = str(parts[-1]) if parts else section
        kind = detail["type"]
        if kind == "missing":
            self.add(key, None, "is missing", f"add it to [{section}]")
        elif kind == "extra_forbidden":
            self.unknown(key, detail["input"], last, known)
        else:
            field = next((str(part) for part in reversed(parts) if isinstance(part, str)), section)
            remedy = _REMEDIES.get(kind) or _PATTERNS.get(field, "see the reference of subject.toml")
            self.add(key, detail["input"], _problem(detail), remedy)

    def unknown(self, key: str, value: object, name: str, known: Iterable[str]) -> None:
        """Note a key that nobody knows, with the known ones."""
        known = tuple(known)
        close = difflib.get_close_matches(name, known, n=1)
        remedy = f"did you mean {close[0]}?" if close else f"remove it; known here are {', '.join(known)}"
        self.add(key, value, "is not a known key", remedy)


def _problem(detail: ErrorDetails) -> str:
    """Return what is wrong in the words of TOML, not of Python."""
    if detail["type"] == "string_pattern_mismatch":
        return "does not have the form of one"
    if detail["type"] == "invalid-json-value":
        return "is not a text, a number, true, false, a list or a table"
    message = (
        detail["msg"].replace("Input should", "should").replace("tuple", "list").replace("string", "text")
    )
    return message[0].lower() + message[1:]
