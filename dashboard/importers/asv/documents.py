"""JSON files of asv: read with bounds, and every fault noted with its place."""

from typing import Any

from pydantic_core import from_json

from dashboard.importers.errors import Faults
from dashboard.importers.source import ImportSource

# Results of one revision take a few hundred kilobytes, megabytes with all samples. Read, a file takes ten times as much.
LARGEST_FILE = 1 << 26

Document = dict[str, Any]


def read_document(source: ImportSource, file: str, faults: Faults) -> Document | None:
    """The JSON object in a file; None, with a fault noted, where it holds anything else. Raises `SourceError`.

    Python writes NaN and Infinity into JSON, and so does asv.
    """
    with source.stream(file) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        problem = f"is larger than {LARGEST_FILE >> 20} MB: no result file of one revision is"
        faults.add(file, problem, "Remove the samples, or the file")
        return None
    try:
        found = from_json(content)
    except ValueError as error:
        faults.add(
            file, f"is no JSON ({error})", "Copy it again, or remove it and run asv for its revision anew"
        )
        return None
    if not isinstance(found, dict):
        faults.add(file, "is no JSON object", "Give a folder that asv wrote", value=repr(found)[:100])
        return None
    return found


def text_of(document: Document, key: str, file: str, faults: Faults) -> str:
    """The text under `key`; blank, with a fault noted, where there is none or a text that no database holds."""
    found = document.get(key)
    if isinstance(found, str) and found and is_storable(found):
        return found
    faults.add(
        file, "is no text" if key in document else "is missing", _REMEDY, column=key, value=_shown(found)
    )
    return ""


def is_storable(text: str) -> bool:
    """Whether a database takes the text: NUL characters and halves of surrogate pairs it does not."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(value: object) -> str:
    return "" if value is None else repr(value)[:100]


_REMEDY = "Run asv for this revision anew, or remove the file"
