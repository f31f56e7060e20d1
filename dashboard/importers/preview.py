"""What an import of a file would bring in, without storing anything."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dashboard.importers.mapped_csv import propose, read
from dashboard.importers.mapped_csv.dialect import CsvDialect
from dashboard.importers.mapped_csv.roles import ColumnRole
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.registry import FORMATS
from dashboard.importers.settings import ImportSettings, check
from dashboard.importers.source import open_source

# A page answers within a second; the whole table is checked when it is imported.
PAGE_ROWS = 5_000


def preview_file(*, format_name: str, path: Path, given: ImportSettings) -> Imported:
    """Read and check everything. Raises `ImporterError`."""
    file_format = FORMATS[format_name]
    check(given, file_format.settings, file_format.name)
    with open_source(path, lone=file_format.files is None) as source:
        return file_format.read(source, given)


def preview_table(*, path: Path, given: ImportSettings) -> Imported:
    """What the first rows of a CSV file give. Raises `ImporterError`."""
    check(given, FORMATS["csv"].settings, "csv")
    with open_source(path, lone=True) as source:
        return read(source, given, most_rows=PAGE_ROWS)


def propose_mapping(*, path: Path, given: ImportSettings) -> tuple[CsvDialect, Sequence[ColumnRole]]:
    """How a CSV file is written, and a role for each of its columns. Raises `ImporterError`."""
    with open_source(path, lone=True) as source:
        return propose(source, given)


def most_repetitions(records: SystemRecords) -> int:
    """How often one configuration was measured in the same way, at most."""
    repeated = Counter(
        (one.revision, one.configuration, one.workload, one.environment, one.kind) for one in records.runs
    )
    return max(repeated.values(), default=0)
