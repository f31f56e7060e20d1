"""Options x releases: measured configurations as SPL Conqueror and the studies around it write them.

The format is described in docs/how-to/import-options-and-releases.md. Everything is checked, and every fault is
reported, before anything is handed out.
"""

from dashboard.importers.errors import Faults
from dashboard.importers.records import Imported
from dashboard.importers.settings import Given, identity
from dashboard.importers.source import ImportSource
from dashboard.importers.spl_conqueror import told as settings
from dashboard.importers.spl_conqueror.assembly import assemble
from dashboard.importers.spl_conqueror.files import find_files
from dashboard.importers.spl_conqueror.reading import Folder, read_measured, read_published
from dashboard.importers.spl_conqueror.readme import read_readme
from dashboard.importers.spl_conqueror.told import SETTINGS
from dashboard.importers.tables import read_text

__all__ = ["SETTINGS", "read"]


def read(source: ImportSource, given: Given) -> Imported:
    """The records of a folder of measured configurations. Raises `InvalidBundle` and `InvalidSetting`."""
    faults = Faults()
    remarks: list[str] = []
    told = settings.parse(given)
    files = find_files(source, faults)
    faults.stop_if_any()
    assert files is not None  # noqa: S101 -- without a fault it is there; this tells the type checker
    folder = Folder(source, files, told, faults, remarks)
    text = (read_text(source, files.readme, faults) if files.readme else None) or ""
    measured = read_measured(folder)
    published = read_published(folder, measured) if measured else None
    faults.stop_if_any()
    assert measured is not None and published is not None  # noqa: S101, PT018 -- likewise
    settings.check_metrics(told, tuple(measured.values))
    readme = read_readme(text, tuple(measured.values))
    digest = identity(source, None, given)
    records = assemble(
        measured, title=source.title, digest=digest, readme=readme, told=told, published=published
    )
    unknown = [metric.quantity for metric in records.metrics if not metric.unit]
    if unknown:
        remarks.append(f"unknown unit of {', '.join(unknown)}: set it with `manage.py metric`.")
    if measured.deviations and not (told.repetitions or readme.repetitions):
        remarks.append("nothing says of how many executions the deviations are: give --repetitions N.")
    return Imported(records, digest, (*remarks, *readme.doubts))
