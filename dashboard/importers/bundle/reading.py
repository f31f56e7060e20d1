"""Reading a Perfatlas bundle: lists in JSON first, then the tables that refer to them, then what they say together."""

from dataclasses import replace
from typing import Any, cast

from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import (
    FILE_OF,
    FILES,
    LIST_SHAPES,
    MANIFEST,
    MANIFEST_SHAPE,
    OPTIONAL,
    TABLES,
    BundleManifest,
)
from dashboard.importers.bundle.tables import read_content
from dashboard.importers.errors import Faults
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.source import ImportSource
from dashboard.importers.text_files import read_json


def read(source: ImportSource) -> Imported:
    """The records of a Perfatlas bundle. Raises `InvalidBundle` with every fault."""
    faults = Faults()
    manifest = cast("BundleManifest", read_json(source, MANIFEST, MANIFEST_SHAPE, faults))
    # Of a bundle of another format or version nothing else can be judged.
    faults.stop_if_any()
    lists: dict[str, Any] = {
        field: read_json(source, FILE_OF[field], shape, faults)
        for field, shape in LIST_SHAPES.items()
        if field not in OPTIONAL or FILE_OF[field] in source.names
    }
    # Positions and names can only be judged where the lists that they point into were read.
    faults.stop_if_any()
    records = SystemRecords(description=manifest.description, batches=manifest.batches, **lists)
    for field in TABLES:
        content = read_content(source, field, records, faults)
        if content is not None:
            records = replace(records, **{field: content})
    check(records, faults)
    faults.stop_if_any()
    return Imported(records, source.digest(FILES))
