"""Perfatlas bundles, version 2: everything that is known of one system, to be stored, moved and read by others.

The format is described in docs/reference/perfatlas-bundle.md.
"""

from dataclasses import replace
from typing import cast

from dashboard.importers.bundle import tables
from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import (
    ANALYSES,
    COEFFICIENTS,
    CONFIGURATIONS,
    COUNTS,
    ENVIRONMENTS,
    FEATURE_MODELS,
    FILES,
    HYBRIDS,
    MANIFEST,
    METRICS,
    OPTIONAL_FILES,
    OPTIONS,
    ORDERS,
    REVISIONS,
    SERIES,
    SHAPES,
    SOURCES,
    TRACINGS,
    WORKLOADS,
    Manifest,
)
from dashboard.importers.errors import Faults
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import read_json


def read(source: ImportSource) -> Imported:
    """The records of a Perfatlas bundle. Raises `InvalidBundle` with every fault."""
    faults = Faults()
    manifest = read_json(source, MANIFEST, SHAPES[MANIFEST], faults)
    # Of a bundle of another format or version nothing else can be judged.
    faults.stop_if_any()
    lists = _read_lists(source, cast("Manifest", manifest), faults)
    # Positions and names can only be judged where the lists that they point into were read.
    faults.stop_if_any()
    records = _with_tables(source, lists, faults)
    check(records, faults)
    faults.stop_if_any()
    return Imported(records, source.digest(FILES))


def _read_lists(source: ImportSource, manifest: Manifest, faults: Faults) -> SystemRecords:
    """What stands in JSON."""
    parts = {
        file: read_json(source, file, shape, faults) or ()
        for file, shape in SHAPES.items()
        if file != MANIFEST and (file in source.names or file not in OPTIONAL_FILES)
    }
    return SystemRecords(
        description=manifest.description,
        batches=manifest.batches,
        revisions=parts[REVISIONS],
        orders=parts[ORDERS],
        options=parts[OPTIONS],
        configurations=parts[CONFIGURATIONS],
        workloads=parts[WORKLOADS],
        environments=parts[ENVIRONMENTS],
        metrics=parts[METRICS],
        sources=dict(parts[SOURCES]),
        analyses=parts[ANALYSES],
        coefficients=parts.get(COEFFICIENTS, ()),
        feature_models=parts.get(FEATURE_MODELS, ()),
        series=parts[SERIES],
        tracings=parts.get(TRACINGS, ()),
        counts=parts.get(COUNTS, ()),
        hybrids=parts.get(HYBRIDS, ()),
    )


def _with_tables(source: ImportSource, lists: SystemRecords, faults: Faults) -> SystemRecords:
    """The same with what stands in CSV."""
    revisions = {one.name: place for place, one in enumerate(lists.revisions)}
    workloads = {one.name: place for place, one in enumerate(lists.workloads)}
    sizes = {
        "batch": len(lists.batches),
        "configuration": len(lists.configurations),
        "environment": len(lists.environments),
        "metric": len(lists.metrics),
        "series": len(lists.series),
    }
    sizes["region"] = len(regions := tables.read_regions(source, faults))
    versions = tables.read_region_versions(source, faults, sizes=sizes, revisions=revisions)
    runs = tables.read_runs(source, faults, sizes=sizes, revisions=revisions, workloads=workloads)
    sizes["run"] = len(runs)
    return replace(
        lists,
        regions=regions,
        region_versions=versions,
        runs=runs,
        measurements=tables.read_measurements(source, faults, sizes=sizes),
        region_measurements=tables.read_region_measurements(source, faults, sizes=sizes),
        points=tables.read_points(source, faults, sizes=sizes, revisions=revisions),
    )
