"""Putting the parts of a Comprex bundle together as records."""

import hashlib
import json
from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray
from dashboard.importers.comprex.configurations import Configurations, GroundTruth
from dashboard.importers.comprex.manifest import Clock, ComprexManifest
from dashboard.importers.comprex.measurements import RegionTimes, Runs
from dashboard.importers.comprex.options import Options
from dashboard.importers.comprex.published import Predictions
from dashboard.importers.comprex.regions import Regions
from dashboard.importers.record_tables import (
    MeasurementTable,
    RegionMeasurementTable,
)
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    CorrectionRecord,
    EnvironmentRecord,
    MetricRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
)

_WORKLOAD = WorkloadRecord("as published", "The workload of the published measurements.")


def assemble(
    *,
    title: str,
    digest: str,
    manifest: ComprexManifest,
    options: Options,
    regions: Regions,
    profiled: Configurations,
    truth: GroundTruth | None,
    runs: Runs,
    times: RegionTimes,
    corrections: tuple[CorrectionRecord, ...],
    predictions: Predictions | None,
) -> SystemRecords:
    """The records of a bundle without faults: one revision, workload, environment, batch and analysis."""
    configurations, places, truth_places = _configurations(options, profiled, truth)
    metrics, of_regions, of_totals, of_walls = _metrics(manifest)
    totals = _totals(runs, truth, of_walls, of_totals)
    revision = manifest.subject_version
    return SystemRecords(
        description=f"{manifest.system} {revision}".strip(),
        batches=(BatchRecord("comprex", digest, title, manifest.model_dump(mode="json")),),
        revisions=(RevisionRecord(revision),),
        options=options.records,
        configurations=configurations,
        workloads=(_WORKLOAD,),
        environments=(_environment(manifest),),
        metrics=metrics,
        regions=regions.records,
        runs=_runs(revision, runs, places, truth_places),
        measurements=totals,
        region_measurements=RegionMeasurementTable(
            times.run, times.region, np.full(len(times.run), of_regions), times.seconds
        ),
        analyses=(
            replace(
                _analysis(manifest, regions),
                region_metric=of_regions,
                total_metric=of_totals,
                corrections=corrections,
                predictions=_predictions(predictions, truth_places),
            ),
        ),
    )


def _analysis(manifest: ComprexManifest, regions: Regions) -> PerformanceModelRecord:
    """What manifest and partitions say of the analysis."""
    return PerformanceModelRecord(
        batch=0,
        revision=manifest.subject_version,
        workload=_WORKLOAD.name,
        environment=0,
        kind="partitioned",
        region_metric=0,
        total_metric=0,
        aggregate_repetitions=manifest.aggregate_repetitions,
        aggregate_configurations=manifest.aggregate_configurations,
        program_region_offset=manifest.program_region_offset_seconds,
        published_correction=manifest.published_predictions_correction or "",
        partitions=tuple(
            PartitionRecord(place, tuple(regions.formulas[region]))
            for region, place in regions.position.items()
        ),
    )


def _configurations(
    options: Options, profiled: Configurations, truth: GroundTruth | None
) -> tuple[tuple[ConfigurationRecord, ...], IntArray, IntArray]:
    """All distinct configurations, and the place among them of each profiled and each ground-truth row."""
    found: dict[bytes, int] = {}
    records: list[ConfigurationRecord] = []

    def place(given: Configurations) -> IntArray:
        places = np.empty(len(given.levels), dtype=np.int64)
        for name, row in given.position.items():
            levels = given.levels[row]
            key = levels.tobytes()
            if key not in found:
                found[key] = len(records)
                assignments = {
                    option.name: option.levels[1].label
                    for option, level in zip(options.records, levels, strict=True)
                    if level
                }
                records.append(ConfigurationRecord(name, assignments))
            places[row] = found[key]
        return places

    profiled_places = place(profiled)
    truth_places = place(truth.configurations) if truth else np.empty(0, dtype=np.int64)
    return tuple(records), profiled_places, truth_places


def _metrics(manifest: ComprexManifest) -> tuple[tuple[MetricRecord, ...], int, int, int]:
    """All metrics, and the place of the regions', the ground truth's and the profiled runs' own."""
    clocks: tuple[Clock, ...] = (manifest.clock, manifest.clock_of_totals, "wall")
    metrics = tuple(MetricRecord("time", "s", clock) for clock in dict.fromkeys(clocks))
    of_regions, of_totals, of_walls = ([metric.clock for metric in metrics].index(clock) for clock in clocks)
    return metrics, of_regions, of_totals, of_walls


def _environment(manifest: ComprexManifest) -> EnvironmentRecord:
    """The authors' machine, which is not described: one environment per bundle's origin, never mixed."""
    details = {"published_by": manifest.source, "system": manifest.system}
    digest = hashlib.sha256(json.dumps(details, sort_keys=True).encode()).hexdigest()
    return EnvironmentRecord(digest, "as published", details)


def _runs(revision: str, runs: Runs, places: IntArray, truth_places: IntArray) -> tuple[RunRecord, ...]:
    """Profiled runs first, in the order of the table; then one plain run per row of the ground truth."""
    profiled = (
        RunRecord(0, revision, int(places[row]), _WORKLOAD.name, 0, int(iteration), "profiled")
        for row, iteration in zip(runs.configuration, runs.iteration, strict=True)
    )
    plain = (RunRecord(0, revision, int(place), _WORKLOAD.name, 0, 0, "plain") for place in truth_places)
    return (*profiled, *plain)


def _totals(runs: Runs, truth: GroundTruth | None, of_walls: int, of_totals: int) -> MeasurementTable:
    timed = np.flatnonzero(~np.isnan(runs.wall_seconds))
    seconds = truth.seconds if truth else np.empty(0)
    first = len(runs.configuration)
    return MeasurementTable(
        run=np.concatenate([timed, np.arange(first, first + len(seconds))]),
        metric=np.concatenate([np.full(len(timed), of_walls), np.full(len(seconds), of_totals)]),
        value=np.concatenate([runs.wall_seconds[timed], seconds]),
    )


def _predictions(predictions: Predictions | None, truth_places: IntArray) -> tuple[PredictionRecord, ...]:
    if predictions is None:
        return ()
    places = truth_places[predictions.truth].tolist()
    return tuple(map(PredictionRecord, places, predictions.seconds.tolist()))
