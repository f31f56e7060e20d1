"""Exporting a system as a Perfatlas bundle."""

from pathlib import Path

from dashboard.access import Principal
from dashboard.importers.bundle.writing import write_bundle
from dashboard.selectors.system_records import load_system_records
from dashboard.services import audit


class ExportRefused(Exception):
    """The bundle cannot be written where it should be."""


def export_system(*, principal: Principal, system_slug: str, path: Path) -> None:
    """Write everything that is known of a system to a new folder, or to a new zip where `path` ends in `.zip`.

    The same content always gives the same bytes. Needs the role viewer. Raises `NotFound`, and `ExportRefused` where
    something is at `path` or it cannot be written.
    """
    records = load_system_records(principal=principal, system_slug=system_slug)
    try:
        write_bundle(records, path)
    except FileExistsError:
        raise ExportRefused(
            f"{path}: there is something already. Choose another path or remove it."
        ) from None
    except OSError as error:
        raise ExportRefused(f"{path}: cannot be written ({error.strerror}). Choose another path.") from error
    audit.record(principal=principal, action="export", system_slug=system_slug, details={"name": path.name})
