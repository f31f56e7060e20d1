"""Perfatlas bundles, version 2: everything that is known of one system, to be stored, moved and read by others.

The format is described in docs/reference/perfatlas-bundle.md.
"""

from typing import cast

from dashboard.importers.bundle import tables
from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import (
    ANALYSES,
    CONFIGURATIONS,
    ENVIRONMENTS,
    FILES,
    MANIFEST,
    METRICS,
    OPTIONS,
    ORDERS,
    REVISIONS,
    SERIES,
    SHAPES,
    SOURCES,
    WORKLOADS,
    Manifest,
)
from dashboard.importers.errors import Faults
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.source import Source
from dashboard.importers.tables import read_json


def read(source: Source) -> Imported:
    """The records of a Perfatlas bundle. Raises `SourceError`, and `InvalidBundle` with every fault."""
    faults = Faults()
    found = read_json(source, MANIFEST, SHAPES[MANIFEST], faults)
    # Of a bundle of another format or version nothing else can be judged.
    faults.stop_if_any()
    manifest = cast("Manifest", found)
    parts = {
        file: read_json(source, file, shape, faults) or ()
        for file, shape in SHAPES.items()
        if file != MANIFEST
    }
    # Positions and names can only be judged where the lists that they point into were read.
    faults.stop_if_any()
    revisions = {one.name: place for place, one in enumerate(parts[REVISIONS])}
    workloads = {one.name: place for place, one in enumerate(parts[WORKLOADS])}
    sizes = {
        "batch": len(manifest.batches),
        "configuration": len(parts[CONFIGURATIONS]),
        "environment": len(parts[ENVIRONMENTS]),
    }
    n_metrics = len(parts[METRICS])
    regions = tables.read_regions(source, faults)
    versions = tables.read_region_versions(source, faults, n_regions=len(regions), revisions=revisions)
    runs = tables.read_runs(source, faults, sizes=sizes, revisions=revisions, workloads=workloads)
    measurements = tables.read_measurements(source, faults, n_runs=len(runs), n_metrics=n_metrics)
    of_regions = tables.read_region_measurements(
        source, faults, n_runs=len(runs), n_regions=len(regions), n_metrics=n_metrics
    )
    points = tables.read_points(
        source, faults, n_series=len(parts[SERIES]), n_batches=sizes["batch"], revisions=revisions
    )
    records = SystemRecords(
        description=manifest.description,
        batches=manifest.batches,
        revisions=parts[REVISIONS],
        orders=parts[ORDERS],
        options=parts[OPTIONS],
        configurations=parts[CONFIGURATIONS],
        workloads=parts[WORKLOADS],
        environments=parts[ENVIRONMENTS],
        metrics=parts[METRICS],
        regions=regions,
        region_versions=versions,
        sources=dict(parts[SOURCES]),
        runs=runs,
        measurements=measurements,
        region_measurements=of_regions,
        analyses=parts[ANALYSES],
        series=parts[SERIES],
        points=points,
    )
    check(records, faults)
    faults.stop_if_any()
    return Imported(records, source.digest(FILES))
