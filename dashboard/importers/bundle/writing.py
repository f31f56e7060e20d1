"""Writing records as a Perfatlas bundle: the same records always give the same bytes."""

import csv
import gzip
import io
import json
import math
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from dashboard.importers.bundle.files import (
    FILE_OF,
    FORMAT,
    LIST_SHAPES,
    MANIFEST,
    NUMBERED,
    TABLES,
    VERSION,
    columns_of,
    record_class,
)
from dashboard.importers.instants import write_instant
from dashboard.importers.record_fields import MAY_BE_UNKNOWN, NAMED_BY, RecordField, fields_of
from dashboard.importers.records import SystemRecords
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord

# Zip cannot store an earlier time; every entry has the same one.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


def write_bundle(records: SystemRecords, path: Path) -> None:
    """Write a folder, or a zip where `path` ends in `.zip`; nothing is there before all is.

    Raises `FileExistsError` where something is at `path`, and `OSError`.
    """
    if path.exists():
        raise FileExistsError(path)
    files = bundle_files(records)
    # Beside the target, so that the last step is a rename within one file system.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        whole = Path(folder) / "bundle"
        if path.suffix == ".zip":
            with zipfile.ZipFile(whole, "w") as archive:
                for name, content in files.items():
                    entry = zipfile.ZipInfo(name, _NO_TIME)
                    entry.external_attr = _MODE
                    entry.create_system = 3  # Unix: the mode above would else depend on where it is written
                    entry.compress_type = zipfile.ZIP_STORED if name.endswith(".gz") else zipfile.ZIP_DEFLATED
                    archive.writestr(entry, content)
        else:
            whole.mkdir()
            for name, content in files.items():
                (whole / name).write_bytes(content)
        shutil.move(whole, path)


def bundle_files(records: SystemRecords) -> dict[str, bytes]:
    """The content of each file of the bundle, by name in order."""
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "description": records.description,
        "batches": [asdict(one) for one in records.batches],
    }
    files = {MANIFEST: _json(manifest)}
    for field in LIST_SHAPES:
        held = getattr(records, field)
        files[FILE_OF[field]] = _json(held if isinstance(held, dict) else list(map(_plain, held)))
    files |= {FILE_OF[field]: _table(records, field) for field in TABLES}
    return {
        name: gzip.compress(files[name], mtime=0) if name.endswith(".gz") else files[name]
        for name in sorted(files)
    }


def _plain(record: Any) -> dict[str, Any]:
    """A record as JSON."""
    plain = asdict(record)
    if isinstance(record, CountsRecord):
        # The time of a run is left out where it is unknown, as it was before runs had one.
        for run in plain["runs"]:
            if run["cpu_seconds"] is None:
                del run["cpu_seconds"]
    elif isinstance(record, WhiteBoxRecord):
        plain["found"] = record.found.as_json()
    return plain


def _table(records: SystemRecords, field: str) -> bytes:
    """The CSV file of a field of `SystemRecords`.

    Numbers are written as Python writes them: the shortest text that reads back the same.
    """
    held = getattr(records, field)
    fields = fields_of(record_class(field))
    out = io.StringIO()
    # Every text is quoted: only so does a lone carriage return survive.
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns_of(field))
    if not isinstance(held, tuple):
        writer.writerows(zip(*(_cells(held, one, records) for one in fields), strict=True))
        return out.getvalue().encode()
    for number, record in enumerate(held):
        cells: list[Any] = [number] if field in NUMBERED else []
        for one in fields:
            value = getattr(record, one.name)
            if isinstance(value, bool):
                value = int(value)
            cells.append(write_instant(value) if isinstance(value, datetime) else value)
        writer.writerow(cells)
    return out.getvalue().encode()


def _cells(table: Any, field: RecordField, records: SystemRecords) -> Sequence[Any]:
    """A column of an array table; None is a blank cell."""
    column = getattr(table, field.name)
    if isinstance(column, Mapping):
        size = len(table.run)
        texts = {
            row: json.dumps(dict(one), sort_keys=True, separators=(",", ":")) for row, one in column.items()
        }
        return [texts.get(row) for row in range(size)]
    values: list[Any] = column.tolist()
    if field.collection in NAMED_BY:
        names = [one.name for one in getattr(records, field.collection)]
        return [names[position] for position in values]
    if MAY_BE_UNKNOWN in field.marks:
        return [None if math.isnan(value) else value for value in values]
    return values


def _json(content: Any) -> bytes:
    text = json.dumps(
        content, ensure_ascii=False, sort_keys=True, indent=1, default=write_instant, allow_nan=False
    )
    return f"{text}\n".encode()
