"""Traces for tests: our own, small, in the shape in which VaRA writes them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dashboard.importers import tef
from dashboard.importers.records import Imported
from dashboard.importers.settings import NO_SETTINGS, ImportSettings
from dashboard.importers.source import open_source

Event = dict[str, Any]
NESTED: Sequence[tuple[float, str, str, object]] = (
    (0, "B", "Base", 0),
    (1, "B", "foo", 1),
    (2, "B", "bar", 2),
    (4, "E", "bar", 2),
    (5, "E", "foo", 1),
    (6, "E", "Base", 0),
)


def events(
    steps: Sequence[tuple[float, str, str, object]], *, thread: object = 7, category: str = "Feature"
) -> list[Event]:
    """Begin and end events of (time, phase, name, identity)."""
    return [
        {
            "name": name,
            "cat": category,
            "ph": phase,
            "ts": at,
            "pid": 7,
            "tid": thread,
            "args": {} if identity is None else {"ID": identity},
        }
        for at, phase, name, identity in steps
    ]


def trace(of: Sequence[Any], unit: str | None = "ms") -> str:
    """A trace in the object form."""
    content: dict[str, Any] = {"traceEvents": list(of), "stackFrames": {}}
    if unit is not None:
        content["timestampUnit"] = unit
    return json.dumps(content)


def read(
    folder: Path, files: Mapping[str, str | bytes] | str, given: ImportSettings = NO_SETTINGS
) -> Imported:
    """What the importer makes of files, or of one trace alone."""
    written = {"trace.json": files} if isinstance(files, str) else files
    folder.mkdir(exist_ok=True, parents=True)
    for name, content in written.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    path = folder / "trace.json" if isinstance(files, str) else folder
    with open_source(path, lone=True) as source:
        return tef.read(source, given)


def seconds(found: Imported, run: int = 0) -> dict[str, float]:
    """The time in each region of a run."""
    table = found.records.region_measurements
    return {
        found.records.regions[region].key: value
        for of_run, region, value in zip(
            table.run.tolist(), table.region.tolist(), table.value.tolist(), strict=True
        )
        if of_run == run
    }
