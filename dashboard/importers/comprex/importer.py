"""Comprex bundles as records: measurements, partitions, and what their authors published beside them."""

from dataclasses import replace

import numpy as np

from analytics.configurations.options import OptionSpace
from dashboard.importers.common_records import PUBLISHED_WORKLOAD, batch_record, published_environment
from dashboard.importers.comprex.configurations import (
    levels_of,
    option_records,
    read_ground_truth,
    read_options,
    read_profiled,
)
from dashboard.importers.comprex.manifest import FILES, MANIFEST, SHAPE, ComprexManifest
from dashboard.importers.comprex.measurements import (
    MICROSECONDS,
    configurations_of,
    read_region_times,
    read_runs,
)
from dashboard.importers.comprex.published import check_others, read_corrections, read_predictions
from dashboard.importers.comprex.regions import check_partitions, read_regions, region_records
from dashboard.importers.errors import Faults
from dashboard.importers.limits import Clock, Kind
from dashboard.importers.model_records import (
    CorrectionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
)
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
    manifest = read_json(source, MANIFEST, SHAPE, faults)
    options = read_options(source, faults)
    sound = read_regions(source, manifest, faults)
    truth = profiled = runs = times = None
    if options is not None:
        space = space_of(option_records(options))
        if sound is not None:
            check_partitions(source, *sound, options, space)
        truth = read_ground_truth(source, space, faults)
        profiled = read_profiled(source, space, truth, faults)
    if profiled is not None:
        runs = read_runs(source, profiled, faults)
        if sound is not None and runs is not None:
            times = read_region_times(source, profiled, sound[0], runs, faults)
    corrections = read_corrections(source, manifest, faults) if manifest else ()
    predictions = read_predictions(source, truth, faults)
    if sound is not None:
        check_others(source, *sound, faults)
    faults.stop_if_any()
    # Without a fault everything that is required is there.
    assert manifest and options and sound and profiled and runs and times  # noqa: S101, PT018 -- tells mypy
    regions, formulas = sound
    measured = _measured(manifest, space, profiled, truth, runs)
    plain = measured.runs[len(runs) :]
    partitions = tuple(
        PartitionRecord(place, tuple(formulas[region]))
        for region, place in regions.places("region_id").items()
    )
    predicted = tuple(PredictionRecord(plain[row].configuration, seconds) for row, seconds in predictions)
    digest = source.digest(FILES)
    records = replace(
        measured,
        batches=(batch_record("comprex", digest, source.title, manifest.model_dump(mode="json")),),
        options=option_records(options),
        regions=region_records(regions, manifest.program_region),
        region_measurements=times,
        performance_models=(_model(manifest, partitions, corrections, predicted),),
    )
    return Imported(records, digest, tuple(faults.remarks))


def _clocks(manifest: ComprexManifest) -> list[Clock]:
    """The profile's clock, the ground truth's, and that of whole profiled runs; they may be one."""
    return list(dict.fromkeys((manifest.clock, manifest.clock_of_totals, "wall")))


def _model(
    manifest: ComprexManifest,
    partitions: tuple[PartitionRecord, ...],
    corrections: tuple[CorrectionRecord, ...],
    predictions: tuple[PredictionRecord, ...],
) -> PerformanceModelRecord:
    """What manifest and partitions say of the model."""
    return PerformanceModelRecord(
        batch=0,
        revision=manifest.subject_version,
        workload=PUBLISHED_WORKLOAD.name,
        environment=0,
        kind="partitioned",
        region_metric=0,
        total_metric=_clocks(manifest).index(manifest.clock_of_totals),
        aggregate_repetitions=manifest.aggregate_repetitions,
        aggregate_configurations=manifest.aggregate_configurations,
        program_region_offset=manifest.program_region_offset_seconds,
        published_correction=manifest.published_predictions_correction or "",
        partitions=partitions,
        corrections=corrections,
        predictions=predictions,
    )


def _measured(
    manifest: ComprexManifest, space: OptionSpace, profiled: Table, truth: Table | None, runs: Table
) -> SystemRecords:
    """The runs and their totals, with what these refer to.

    Profiled runs stand first, in the order of the table; then one plain run per row of the ground truth.
    """
    place_of: dict[bytes, int] = {}
    configurations: list[ConfigurationRecord] = []
    places = []
    for table in (profiled, truth) if truth is not None else (profiled,):
        for name, levels in zip(table["config_id"], levels_of(table, space), strict=True):
            places.append(place_of.setdefault(levels.tobytes(), len(place_of)))
            if places[-1] == len(configurations):
                configurations.append(ConfigurationRecord(name, space.differing(space.decode(levels))))
    kinds: list[tuple[int, Kind, int]] = [
        (places[row], "profiled", iteration)
        for row, iteration in zip(
            configurations_of(runs, profiled).tolist(), runs.whole_numbers("iteration").tolist(), strict=True
        )
    ]
    kinds += [(place, "plain", 0) for place in places[len(profiled) :]]
    version, clocks = manifest.subject_version, _clocks(manifest)
    seconds = np.empty(0) if truth is None else truth.numbers("time_s")
    wall_seconds = runs.numbers("wall_time_us", blank=True) / MICROSECONDS
    timed = np.flatnonzero(~np.isnan(wall_seconds))
    of_walls, of_totals = clocks.index("wall"), clocks.index(manifest.clock_of_totals)
    details = {"published_by": manifest.source, "system": manifest.system}
    return SystemRecords(
        description=f"{manifest.system} {version}".strip(),
        revisions=(RevisionRecord(version),),
        configurations=tuple(configurations),
        workloads=(PUBLISHED_WORKLOAD,),
        environments=(published_environment("", details),),
        metrics=tuple(MetricRecord("time", "s", clock) for clock in clocks),
        runs=tuple(
            RunRecord(0, version, place, PUBLISHED_WORKLOAD.name, 0, kind, number)
            for place, kind, number in kinds
        ),
        measurements=MeasurementTable(
            run=np.concatenate([timed, len(runs) + np.arange(len(seconds))]),
            metric=np.concatenate([np.full(len(timed), of_walls), np.full(len(seconds), of_totals)]),
            value=np.concatenate([wall_seconds[timed], seconds]),
        ),
    )
