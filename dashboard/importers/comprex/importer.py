"""Comprex bundles as records: measurements, partitions, and what their authors published beside them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import TypeAdapter

from analytics.configurations.options import IntArray, OptionSpace
from dashboard.importers.common_records import PUBLISHED_WORKLOAD, batch_record, published_environment
from dashboard.importers.comprex.configurations import (
    ComprexConfigurations,
    ComprexOptions,
    read_ground_truth,
    read_options,
    read_profiled,
)
from dashboard.importers.comprex.manifest import (
    CORRECTIONS,
    FILES,
    GLOBAL_MODEL,
    GROUND_TRUTH,
    HOTSPOTS,
    LOCAL_MODELS,
    MANIFEST,
    PREDICTIONS,
    REGIONS,
    SHAPE,
    SUBSPACE_TIMES,
    ComprexManifest,
)
from dashboard.importers.comprex.measurements import ProfiledRuns, read_region_times, read_runs
from dashboard.importers.comprex.regions import ComprexRegions, read_regions
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST, Clock
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
)
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import read_table
from dashboard.importers.text_files import read_json

_OBJECT: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])


def read(source: ImportSource) -> Imported:
    """The records of a Comprex bundle: one revision, workload, environment, batch and model.

    The whole bundle is checked before anything is handed out. Raises `InvalidBundle` with every fault.
    """
    faults = Faults()
    manifest = read_json(source, MANIFEST, SHAPE, faults)
    options = read_options(source, faults)
    regions = read_regions(source, manifest, options, faults)
    truth = read_ground_truth(source, options, faults) if options else None
    profiled = read_profiled(source, options, truth, faults) if options else None
    runs = read_runs(source, profiled, faults) if profiled else None
    times = (
        read_region_times(source, profiled, regions, runs, faults) if profiled and regions and runs else None
    )
    corrections = _read_corrections(source, manifest, faults) if manifest else ()
    predictions = _read_predictions(source, truth, faults)
    if regions:
        _check_others(source, regions, faults)
    faults.stop_if_any()
    # Without a fault everything that is required is there; this tells the type checker.
    assert manifest and options and regions and profiled and runs and times  # noqa: S101, PT018
    digest = source.digest(FILES)
    configurations, places = _configurations(options.space, profiled, truth)
    measured = places[len(profiled.levels) :]
    # The profile's clock, the ground truth's, and that of whole profiled runs; they may be one.
    clocks: list[Clock] = list(dict.fromkeys((manifest.clock, manifest.clock_of_totals, "wall")))
    model = _model(manifest, regions, clocks.index(manifest.clock_of_totals))
    records = replace(
        _reference(manifest, options, regions, configurations, clocks),
        batches=(batch_record("comprex", digest, source.title, manifest.model_dump(mode="json")),),
        runs=_runs(manifest.subject_version, runs, places[runs.configuration], measured),
        measurements=_totals(runs, truth, clocks.index("wall"), model.total_metric),
        region_measurements=times,
        performance_models=(
            replace(
                model,
                corrections=corrections,
                predictions=tuple(
                    PredictionRecord(int(measured[row]), seconds) for row, seconds in predictions
                ),
            ),
        ),
    )
    return Imported(records, digest, tuple(faults.remarks))


def _reference(
    manifest: ComprexManifest,
    options: ComprexOptions,
    regions: ComprexRegions,
    configurations: tuple[ConfigurationRecord, ...],
    clocks: Sequence[Clock],
) -> SystemRecords:
    """The records of what measurements refer to."""
    details = {"published_by": manifest.source, "system": manifest.system}
    return SystemRecords(
        description=f"{manifest.system} {manifest.subject_version}".strip(),
        revisions=(RevisionRecord(manifest.subject_version),),
        options=options.records,
        configurations=configurations,
        workloads=(PUBLISHED_WORKLOAD,),
        environments=(published_environment("", details),),
        metrics=tuple(MetricRecord("time", "s", clock) for clock in clocks),
        regions=regions.records,
    )


def _configurations(
    space: OptionSpace, profiled: ComprexConfigurations, truth: ComprexConfigurations | None
) -> tuple[tuple[ConfigurationRecord, ...], IntArray]:
    """All distinct configurations, and the place among them of each profiled row, then of each row of the ground truth."""
    found: dict[bytes, int] = {}
    records: list[ConfigurationRecord] = []
    places = []
    for given in (profiled, truth) if truth else (profiled,):
        for name, row in given.position.items():
            levels = given.levels[row]
            if levels.tobytes() not in found:
                found[levels.tobytes()] = len(records)
                labels = space.differing(space.decode(levels))
                records.append(ConfigurationRecord(name, labels))
            places.append(found[levels.tobytes()])
    return tuple(records), np.array(places, dtype=np.int64)


def _model(manifest: ComprexManifest, regions: ComprexRegions, of_totals: int) -> PerformanceModelRecord:
    """What manifest and partitions say of the model."""
    return PerformanceModelRecord(
        batch=0,
        revision=manifest.subject_version,
        workload=PUBLISHED_WORKLOAD.name,
        environment=0,
        kind="partitioned",
        region_metric=0,
        total_metric=of_totals,
        aggregate_repetitions=manifest.aggregate_repetitions,
        aggregate_configurations=manifest.aggregate_configurations,
        program_region_offset=manifest.program_region_offset_seconds,
        published_correction=manifest.published_predictions_correction or "",
        partitions=tuple(
            PartitionRecord(place, tuple(regions.formulas[region]))
            for region, place in regions.position.items()
        ),
    )


def _runs(revision: str, runs: ProfiledRuns, places: IntArray, measured: IntArray) -> tuple[RunRecord, ...]:
    """Profiled runs first, in the order of the table; then one plain run per row of the ground truth."""
    profiled = (
        RunRecord(0, revision, place, PUBLISHED_WORKLOAD.name, 0, "profiled", iteration)
        for place, iteration in zip(places.tolist(), runs.iteration.tolist(), strict=True)
    )
    plain = (
        RunRecord(0, revision, place, PUBLISHED_WORKLOAD.name, 0, "plain", 0) for place in measured.tolist()
    )
    return (*profiled, *plain)


def _totals(
    runs: ProfiledRuns, truth: ComprexConfigurations | None, of_walls: int, of_totals: int
) -> MeasurementTable:
    seconds = truth.seconds if truth and truth.seconds is not None else np.empty(0)
    timed = np.flatnonzero(~np.isnan(runs.wall_seconds))
    first = len(runs.configuration)
    return MeasurementTable(
        run=np.concatenate([timed, np.arange(first, first + len(seconds))]),
        metric=np.concatenate([np.full(len(timed), of_walls), np.full(len(seconds), of_totals)]),
        value=np.concatenate([runs.wall_seconds[timed], seconds]),
    )


def _read_corrections(
    source: ImportSource, manifest: ComprexManifest, faults: Faults
) -> tuple[CorrectionRecord, ...]:
    """The published fits of the profiler's overhead, in order; none where there is no file."""
    file = manifest.corrections or CORRECTIONS
    if file not in source.names:
        if manifest.corrections is not None:
            faults.remarks.append(f"{MANIFEST} names {file}, which is not there: no corrections are known.")
        return ()
    table = read_table(source, file, ("fit", "intercept_s", "slope", "r_squared"), faults)
    if table is None:
        return ()
    names = table.texts("fit", longest=LONGEST["correction"], blank=False)
    table.first_rows("fit")
    intercepts = table.numbers("intercept_s")
    slopes = table.numbers("slope")
    for index in np.flatnonzero(slopes == 0).tolist():
        problem = "a slope of 0 corrects nothing"
        table.note(index, "slope", problem, "Write the fitted slope")
    r_squared = table.numbers("r_squared", blank=True)
    wanted = manifest.published_predictions_correction
    if wanted is not None and wanted not in names:
        column = "published_predictions_correction"
        faults.add(MANIFEST, f"{file} has no such fit", "Name one of its fits", column=column, value=wanted)
    return tuple(
        CorrectionRecord(name, intercept, slope, None if np.isnan(share) else share)
        for name, intercept, slope, share in zip(
            names, intercepts.tolist(), slopes.tolist(), r_squared.tolist(), strict=True
        )
    )


def _read_predictions(
    source: ImportSource, truth: ComprexConfigurations | None, faults: Faults
) -> list[tuple[int, float]]:
    """The published predictions: row of the ground truth, and seconds.

    None where there is no file, or it or the ground truth cannot be read.
    """
    if PREDICTIONS not in source.names:
        return []
    if truth is None:
        if GROUND_TRUTH not in source.names:
            faults.remarks.append(
                f"{PREDICTIONS} is left out: {GROUND_TRUTH}, whose ids it uses, is not there."
            )
        return []
    table = read_table(source, PREDICTIONS, ("config_id", "predicted_time_s"), faults)
    if table is None:
        return []
    table.first_rows("config_id")
    problem, remedy = f"is not in {GROUND_TRUTH}", f"Add it to {GROUND_TRUTH} or remove the row"
    rows = table.references("config_id", truth.position, problem, remedy)
    # A correction may carry the prediction of a very short run below zero.
    return list(zip(rows.tolist(), table.numbers("predicted_time_s").tolist(), strict=True))


def _check_others(source: ImportSource, regions: ComprexRegions, faults: Faults) -> None:
    """Check the files that are not stored: the authors' subspace times and models, and raw profiles."""
    for file in (LOCAL_MODELS, GLOBAL_MODEL, HOTSPOTS):
        if file in source.names:
            read_json(source, file, _OBJECT, faults)
    if SUBSPACE_TIMES not in source.names:
        return
    table = read_table(source, SUBSPACE_TIMES, ("region_id", "subspace_index", "time_s"), faults)
    if table is None:
        return
    table.first_rows("region_id", "subspace_index")
    remedy = f"Add it to {REGIONS} or correct the id"
    table.references("region_id", regions.position, "is no known region", remedy)
    subspaces = table.whole_numbers("subspace_index")
    table.numbers("time_s", minimum=0.0)
    for index, region in enumerate(table["region_id"]):
        count = len(regions.formulas.get(region, ()))
        if region in regions.formulas and subspaces[index] >= count:
            problem = f"{region} has only {count} subspaces"
            remedy = f"Write an index from 0 to {count - 1}"
            table.note(index, "subspace_index", problem, remedy)
