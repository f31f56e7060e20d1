"""Comprex bundles as records: measurements, partitions, and what their authors published beside them."""

from dataclasses import replace

import numpy as np

from analytics.configurations.options import OptionSpace
from dashboard.importers.common_records import PUBLISHED_WORKLOAD, batch_record, published_environment
from dashboard.importers.comprex import measurements, models
from dashboard.importers.comprex.manifest import FILES, SHAPE, ComprexManifest
from dashboard.importers.comprex.manifest import ComprexFile as File
from dashboard.importers.errors import Faults
from dashboard.importers.model_records import PartitionRecord, PredictionRecord
from dashboard.importers.record_tables import MeasurementTable
from dashboard.importers.records import (
    ConfigurationRecord,
    Imported,
    MetricRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    space_of,
)
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table
from dashboard.importers.text_files import read_json


def read(source: ImportSource) -> Imported:
    """The records of a Comprex bundle: one revision, workload, environment, batch and model.

    The whole bundle is checked before anything is handed out. Raises `InvalidBundle` with every fault.
    """
    faults = Faults()
    manifest = read_json(source, File.MANIFEST, SHAPE, faults)
    found = models.read_regions(source, manifest, faults)
    corrections = models.read_corrections(source, manifest, faults)
    if found is not None:
        models.check_others(source, *found, faults)
    # From here on each table refers to the one before: the first that cannot be used ends the reading.
    options = measurements.read_options(source, faults)
    space = space_of(measurements.option_records(options))
    if found is not None:
        models.check_partitions(source, *found, options, space)
    truth = measurements.read_ground_truth(source, space, faults)
    predictions = models.read_predictions(source, truth, faults)
    profiled = measurements.read_profiled(source, truth, space, faults)
    runs = measurements.read_runs(source, profiled, faults)
    if found is None:
        faults.stop()
    regions, formulas = found
    times = measurements.read_region_times(source, profiled, regions, runs, faults)
    if manifest is None or faults.count:
        faults.stop()
    measured = _measured(manifest, space, profiled, truth, runs)
    plain = measured.runs[len(runs) :]
    predicted = tuple(PredictionRecord(plain[row].configuration, seconds) for row, seconds in predictions)
    of_regions = enumerate(regions["region_id"])
    partitions = tuple(PartitionRecord(place, tuple(formulas[region])) for place, region in of_regions)
    model = manifest.performance_model(partitions, corrections, predicted)
    digest = source.digest(FILES)
    records = replace(
        measured,
        batches=(batch_record("comprex", digest, source.title, manifest.model_dump(mode="json")),),
        options=measurements.option_records(options),
        regions=tuple(models.region_records(regions, manifest.program_region)),
        region_measurements=times,
        performance_models=(model,),
    )
    return Imported(records, digest, tuple(faults.remarks))


def _measured(
    manifest: ComprexManifest, space: OptionSpace, profiled: Table, truth: Table | None, runs: Table
) -> SystemRecords:
    """The runs and their totals, with what these refer to.

    Profiled runs stand first, in the order of the table; then one plain run per row of the ground truth.
    """
    configurations: dict[bytes, ConfigurationRecord] = {}
    keys = []
    for table in filter(None, (profiled, truth)):
        for name, levels in zip(table["config_id"], measurements.levels_of(table, space), strict=True):
            keys.append(levels.tobytes())
            configurations.setdefault(
                keys[-1], ConfigurationRecord(name, space.differing(space.decode(levels)))
            )
    place_of = {key: place for place, key in enumerate(configurations)}
    places = [place_of[key] for key in keys]
    version, clocks = manifest.subject_version, manifest.clocks
    of_runs = zip(
        measurements.configurations_of(runs, profiled), runs.whole_numbers("iteration"), strict=True
    )
    workload = PUBLISHED_WORKLOAD.name
    executed = [
        RunRecord(0, version, places[row], workload, 0, "profiled", int(iteration))
        for row, iteration in of_runs
    ]
    executed += [RunRecord(0, version, place, workload, 0, "plain", 0) for place in places[len(profiled) :]]
    seconds = np.empty(0) if truth is None else truth.numbers("time_s")
    wall_seconds = runs.numbers("wall_time_us", blank=True) / measurements.MICROSECONDS
    timed = np.flatnonzero(~np.isnan(wall_seconds))
    details = {"published_by": manifest.source, "system": manifest.system}
    metrics = [clocks.index("wall"), clocks.index(manifest.clock_of_totals)]
    return SystemRecords(
        description=f"{manifest.system} {version}".strip(),
        revisions=(RevisionRecord(version),),
        configurations=tuple(configurations.values()),
        workloads=(PUBLISHED_WORKLOAD,),
        environments=(published_environment("", details),),
        metrics=tuple(MetricRecord("time", "s", clock) for clock in clocks),
        runs=tuple(executed),
        measurements=MeasurementTable(
            run=np.concatenate([timed, len(runs) + np.arange(len(seconds))]),
            metric=np.repeat(metrics, [len(timed), len(seconds)]),
            value=np.concatenate([wall_seconds[timed], seconds]),
        ),
    )
