"""Comprex bundles, version 1: region measurements of one revision, with partitions and ground truth.

The format is described in docs/reference/comprex-bundle.md. The whole bundle is checked, and every fault is
reported, before anything is handed out.
"""

from dashboard.importers.comprex.assembly import assemble
from dashboard.importers.comprex.configurations import read_configurations, read_ground_truth
from dashboard.importers.comprex.manifest import FILES, MANIFEST, SHAPE
from dashboard.importers.comprex.measurements import read_region_times, read_runs
from dashboard.importers.comprex.options import read_options
from dashboard.importers.comprex.published import check_others, read_corrections, read_predictions
from dashboard.importers.comprex.regions import read_regions
from dashboard.importers.errors import Faults
from dashboard.importers.records import Imported
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import read_json


def read(source: ImportSource) -> Imported:
    """The records of a Comprex bundle. Raises `InvalidBundle` with every fault."""
    faults = Faults()
    remarks: list[str] = []
    manifest = read_json(source, MANIFEST, SHAPE, faults)
    options = read_options(source, faults)
    regions = read_regions(source, manifest, options, faults, remarks)
    truth = read_ground_truth(source, options, faults) if options else None
    profiled = read_configurations(source, options, truth, faults, remarks) if options else None
    runs = read_runs(source, profiled, faults, remarks) if profiled else None
    times = (
        read_region_times(
            source, configurations=profiled, regions=regions, runs=runs, faults=faults, remarks=remarks
        )
        if profiled and regions and runs
        else None
    )
    corrections = read_corrections(source, manifest, faults, remarks) if manifest else ()
    predictions = read_predictions(source, truth, faults, remarks)
    if regions:
        check_others(source, regions, faults)
    faults.stop_if_any()
    # Without a fault everything that is required is there; this tells the type checker.
    assert manifest and options and regions and profiled and runs and times  # noqa: S101, PT018
    digest = source.digest(FILES)
    records = assemble(
        title=source.title,
        digest=digest,
        manifest=manifest,
        options=options,
        regions=regions,
        profiled=profiled,
        truth=truth,
        runs=runs,
        times=times,
        corrections=corrections,
        predictions=predictions,
    )
    return Imported(records, digest, tuple(remarks))
