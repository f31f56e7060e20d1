"""What the content of a source tells of its format, without reading it as a whole."""

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import PurePosixPath

from pydantic_core import from_json

from dashboard.importers.errors import ImporterError
from dashboard.importers.mapped_csv.dialect import read_dialect
from dashboard.importers.source import ImportSource

Told = Callable[[ImportSource], bool]

_MANIFEST = "manifest.json"
_START = 1 << 16
# Files of a source that are looked at.
_MOST_FILES = 50


def holds_files(*names: str) -> Told:
    """Whether files of all these names lie somewhere in the source."""
    return lambda source: set(names) <= {PurePosixPath(name).name for name in source.names}


def has_manifest(form: str) -> Told:
    """Whether manifest.json says that the source is of this form."""

    def told(source: ImportSource) -> bool:
        if _MANIFEST not in source.names:
            return False
        try:
            manifest = from_json(source.read(_MANIFEST))
        except (ImporterError, ValueError):
            return False
        return isinstance(manifest, dict) and manifest.get("format") == form

    return told


def starts_with(pattern: str, *, alone: bool = False) -> Told:
    """Whether the pattern is found in the start of a file, of the only one where it must be `alone`."""
    compiled = re.compile(pattern.encode(), re.DOTALL)

    def told(source: ImportSource) -> bool:
        if alone and len(source.names) > 1:
            return False
        for name in islice(sorted(source.names), _MOST_FILES):
            with suppress(ImporterError), source.stream(name) as stream:
                if compiled.search(stream.read(_START)):
                    return True
        return False

    return told


def is_table(source: ImportSource) -> bool:
    """Whether the source is one file, neither JSON nor XML, that reads as a table with at least two columns and a row."""
    if starts_with(r"^\s*[{\[<]")(source):
        return False
    try:
        dialect = read_dialect(source, delimiter=None, decimal=None)
    except ImporterError:
        return False
    return len(dialect.header) > 1 and bool(dialect.sample)
