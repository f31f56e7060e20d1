"""Exporting a system as a Perfatlas bundle, or its profiled runs as traces."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.access import Access, Refused
from dashboard.importers.bundle.writing import write_bundle
from dashboard.importers.tef.writing import NoTraces, traces
from dashboard.selectors.export.records import load_system_records
from dashboard.services import audit


def export_system(*, access: Access, path: Path) -> None:
    """Write everything that is known of a system to a new folder, or to a new zip where `path` ends in `.zip`.

    The same content always gives the same bytes. Raises `Refused` where something is at `path` or it cannot be
    written.
    """
    records = load_system_records(access.system)
    with _exporting(access, path):
        write_bundle(records, path)


def export_traces(*, access: Access, path: Path) -> int:
    """Write each profiled run as a trace, with a table of configurations, into a new zip; how many there are.

    Raises `Refused` where there is nothing to write or nowhere.
    """
    if path.suffix != ".zip":
        raise Refused(f"{path}: traces go into a zip. Choose a path that ends in .zip.")
    records = load_system_records(access.system)
    n_files = 0
    try:
        with (
            _exporting(access, path),
            path.open("xb") as stream,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, text in traces(records):
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
                n_files += 1
    except NoTraces as error:
        path.unlink()
        raise Refused(f"{access.slug}: {error}.") from None
    return n_files - 1  # without the table


@contextmanager
def _exporting(access: Access, path: Path) -> Iterator[None]:
    """Note the export once it is written. Raises `Refused` where that cannot be."""
    try:
        yield
    except FileExistsError:
        raise Refused(f"{path}: there is something already. Choose another path or remove it.") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be written ({error.strerror}). Choose another path.") from error
    audit.record(access.principal, "export", access.slug, name=path.name)
