"""Writing records as a Perfatlas bundle: the same records always give the same bytes."""

import csv
import gzip
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
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
from dashboard.importers.record_fields import NAMED_BY, RecordField, fields_of
from dashboard.importers.record_tables import cells_of
from dashboard.importers.records import CallPathsRecord, SystemRecords
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
        "false_alarm_rate": records.false_alarm_rate,
        "host_link": records.host_link,
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
    elif isinstance(record, CallPathsRecord):
        plain["paths"] = record.paths.model_dump(mode="json")
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
    numbers = [range(len(held))] if field in NUMBERED else []
    writer.writerows(zip(*numbers, *(_cells(held, one, records) for one in fields), strict=True))
    return out.getvalue().encode()


def _cells(held: Any, field: RecordField, records: SystemRecords) -> Sequence[Any]:
    """A column of a list or of an array table; None is a blank cell."""
    if isinstance(held, tuple):
        values = [getattr(one, field.name) for one in held]
        if field.shape is bool:
            return list(map(int, values))
        return [write_instant(value) if isinstance(value, datetime) else value for value in values]
    cells = cells_of(held, field)
    if field.collection in NAMED_BY:
        names = [one.name for one in getattr(records, field.collection)]
        return [names[position] for position in cells]
    return cells


def _json(content: Any) -> bytes:
    text = json.dumps(
        content, ensure_ascii=False, sort_keys=True, indent=1, default=write_instant, allow_nan=False
    )
    return f"{text}\n".encode()
