"""Writing records as a Perfatlas bundle: the same records always give the same bytes."""

import csv
import gzip
import io
import json
import math
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from dashboard.importers.bundle.files import (
    ANALYSES,
    COEFFICIENTS,
    COLUMNS,
    CONFIGURATIONS,
    COUNTS,
    ENVIRONMENTS,
    FEATURE_MODELS,
    FORMAT,
    HYBRIDS,
    MANIFEST,
    MEASUREMENTS,
    METRICS,
    OPTIONS,
    ORDERS,
    POINTS,
    REGION_MEASUREMENTS,
    REGION_VERSIONS,
    REGIONS,
    REVISIONS,
    RUNS,
    SERIES,
    SOURCES,
    TRACINGS,
    VERSION,
    WORKLOADS,
)
from dashboard.importers.instants import write_instant
from dashboard.importers.record_tables import (
    MeasurementTable,
    RegionMeasurementTable,
)
from dashboard.importers.records import (
    SystemRecords,
)
from dashboard.importers.whitebox_records import CountsRecord

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
            _write_zip(files, whole)
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
    lists: dict[str, Any] = {
        MANIFEST: manifest,
        REVISIONS: [asdict(one) for one in records.revisions],
        ORDERS: [asdict(one) for one in records.orders],
        OPTIONS: [asdict(one) for one in records.options],
        CONFIGURATIONS: [asdict(one) for one in records.configurations],
        WORKLOADS: [asdict(one) for one in records.workloads],
        ENVIRONMENTS: [asdict(one) for one in records.environments],
        METRICS: [asdict(one) for one in records.metrics],
        SOURCES: dict(records.sources),
        ANALYSES: [asdict(one) for one in records.analyses],
        COEFFICIENTS: [asdict(one) for one in records.coefficients],
        FEATURE_MODELS: [asdict(one) for one in records.feature_models],
        SERIES: [asdict(one) for one in records.series],
        TRACINGS: [{**asdict(one), "found": one.found.as_json()} for one in records.tracings],
        COUNTS: [_counts(one) for one in records.counts],
        HYBRIDS: [asdict(one) for one in records.hybrids],
    }
    files = {name: _json(content) for name, content in lists.items()}
    files |= {name: _csv(COLUMNS[name], rows) for name, rows in _tables(records).items()}
    return {name: _packed(files[name]) if name.endswith(".gz") else files[name] for name in sorted(files)}


def _counts(record: CountsRecord) -> dict[str, Any]:
    """As JSON; the time of a run is left out where it is not known, as it was before runs had one."""
    said = asdict(record)
    for run in said["runs"]:
        if run["cpu_seconds"] is None:
            del run["cpu_seconds"]
    return said


def _tables(records: SystemRecords) -> dict[str, Iterable[Iterable[Any]]]:
    return {
        REGIONS: (
            (row, one.key, one.package, one.name, int(one.is_program))
            for row, one in enumerate(records.regions)
        ),
        REGION_VERSIONS: (astuple(one) for one in records.region_versions),
        RUNS: _runs(records),
        MEASUREMENTS: _measurements(records.measurements),
        REGION_MEASUREMENTS: _region_measurements(records.region_measurements),
        POINTS: _points(records),
    }


def _measurements(table: MeasurementTable) -> Iterator[tuple[Any, ...]]:
    rows = zip(table.run.tolist(), table.metric.tolist(), table.value.tolist(), strict=True)
    for (run, metric, value), (deviation, n) in zip(rows, table.behind(), strict=True):
        yield run, metric, value, deviation, n


def _region_measurements(table: RegionMeasurementTable) -> Iterator[tuple[Any, ...]]:
    columns = (table.run, table.region, table.metric, table.value)
    for row, cells in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        lines = table.lines.get(row)
        text = None if lines is None else json.dumps(dict(lines), sort_keys=True, separators=(",", ":"))
        yield (*cells, text)


def _points(records: SystemRecords) -> Iterator[tuple[Any, ...]]:
    table = records.points
    columns = (table.series, table.revision, table.batch, table.n, table.median, table.spread)
    for series, revision, batch, n, median, spread in zip(*(one.tolist() for one in columns), strict=True):
        known = None if math.isnan(spread) else spread
        yield series, records.revisions[revision].name, batch, n, median, known


def _runs(records: SystemRecords) -> Iterator[tuple[Any, ...]]:
    for row, one in enumerate(records.runs):
        yield (
            row,
            one.batch,
            one.revision,
            one.configuration,
            one.workload,
            one.environment,
            one.kind,
            one.repetition,
            one.status,
            None if one.started_at is None else write_instant(one.started_at),
            one.message,
            one.invalid_reason,
            one.output_tail,
        )


def _json(content: Any) -> bytes:
    text = json.dumps(
        content, ensure_ascii=False, sort_keys=True, indent=1, default=write_instant, allow_nan=False
    )
    return f"{text}\n".encode()


def _csv(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A CSV file; numbers are written as Python writes them: the shortest text that reads back the same."""
    out = io.StringIO()
    # Every text is quoted: only so does a lone carriage return survive.
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode()


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _write_zip(files: dict[str, bytes], path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _NO_TIME)
            entry.external_attr = _MODE
            entry.create_system = 3  # Unix: the mode above would else depend on where it is written
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".gz") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
