"""What an import of a file would bring in, without storing anything."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.importers.mapped_csv import propose, read
from dashboard.importers.mapped_csv.dialect import CsvDialect
from dashboard.importers.mapped_csv.guessing import ColumnGuess
from dashboard.importers.records import Imported
from dashboard.importers.registry import FORMATS
from dashboard.importers.settings import ImportSettings, check
from dashboard.importers.source import open_source

# A page answers within a second; the whole table is checked when it is imported.
PAGE_ROWS = 5_000


@dataclass(frozen=True, slots=True)
class Preview:
    """How much a file holds; `options` are {name: labels of its levels}, `metrics` in words."""

    runs: int
    configurations: int
    points: int
    regions: int
    options: Mapping[str, tuple[str, ...]]
    revisions: tuple[str, ...]
    metrics: tuple[str, ...]
    most_repetitions: int
    remarks: tuple[str, ...]


def preview_file(*, format_name: str, path: Path, given: ImportSettings) -> Preview:
    """Read and check everything. Raises `ImporterError`."""
    known = FORMATS[format_name]
    check(given, known.settings, known.name)
    with open_source(path, lone=known.files is None) as source:
        return _preview(known.read(source, given))


def preview_table(*, path: Path, given: ImportSettings) -> Preview:
    """What the first rows of a CSV file give. Raises `ImporterError`."""
    check(given, FORMATS["csv"].settings, "csv")
    with open_source(path, lone=True) as source:
        return _preview(read(source, given, most_rows=PAGE_ROWS))


def propose_mapping(*, path: Path, given: ImportSettings) -> tuple[CsvDialect, tuple[ColumnGuess, ...]]:
    """How a CSV file is written, and a role for each of its columns. Raises `ImporterError`."""
    with open_source(path, lone=True) as source:
        return propose(source, given)


def _preview(found: Imported) -> Preview:
    records = found.records
    repeated = Counter(
        (one.revision, one.configuration, one.workload, one.environment, one.kind) for one in records.runs
    )
    return Preview(
        runs=len(records.runs),
        configurations=len(records.configurations),
        points=len(records.points.median),
        regions=len(records.regions),
        options={one.name: tuple(level.label for level in one.levels) for one in records.options},
        revisions=tuple(one.name for one in records.revisions),
        metrics=tuple(
            f"{one.quantity} in {one.unit}" if one.unit else one.quantity for one in records.metrics
        ),
        most_repetitions=max(repeated.values(), default=0),
        remarks=found.remarks,
    )
