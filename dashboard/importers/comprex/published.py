"""What the authors of a Comprex bundle published beside their measurements: all of it may be absent."""

from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter

from dashboard.importers.columns import (
    FloatArray,
    IntArray,
    first_rows,
    numbers,
    references,
    texts,
    whole_numbers,
)
from dashboard.importers.comprex.configurations import GroundTruth
from dashboard.importers.comprex.manifest import (
    CORRECTIONS,
    GLOBAL_MODEL,
    GROUND_TRUTH,
    HOTSPOTS,
    LOCAL_MODELS,
    MANIFEST,
    PREDICTIONS,
    REGIONS,
    SUBSPACE_TIMES,
    ComprexManifest,
)
from dashboard.importers.comprex.regions import Regions
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import CorrectionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import read_json, read_table

_OBJECT: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predicted seconds, shape (n,), of rows of the ground truth."""

    truth: IntArray
    seconds: FloatArray


def read_corrections(
    source: ImportSource, manifest: ComprexManifest, faults: Faults, remarks: list[str]
) -> tuple[CorrectionRecord, ...]:
    """The published fits of the profiler's overhead, in order; none where there is no file."""
    file = manifest.corrections or CORRECTIONS
    if file not in source.names:
        if manifest.corrections is not None:
            remarks.append(f"{MANIFEST} names {file}, which is not there: no corrections are known.")
        return ()
    table = read_table(source, file, ("fit", "intercept_s", "slope", "r_squared"), faults)
    if table is None:
        return ()
    names = texts(table, "fit", faults, longest=LONGEST["correction"], blank=False)
    first_rows(table, ["fit"], faults)
    intercepts = numbers(table, "intercept_s", faults)
    slopes = numbers(table, "slope", faults)
    for index in np.flatnonzero(slopes == 0).tolist():
        problem = "a slope of 0 corrects nothing"
        table.note(faults, index, "slope", problem=problem, remedy="Write the fitted slope")
    r_squared = numbers(table, "r_squared", faults, blank=True)
    wanted = manifest.published_predictions_correction
    if wanted is not None and wanted not in names:
        faults.add(
            MANIFEST,
            f"{file} has no such fit",
            "Name one of its fits",
            column="published_predictions_correction",
            value=wanted,
        )
    return tuple(
        CorrectionRecord(name, float(intercept), float(slope), None if np.isnan(share) else float(share))
        for name, intercept, slope, share in zip(names, intercepts, slopes, r_squared, strict=True)
    )


def read_predictions(
    source: ImportSource, truth: GroundTruth | None, faults: Faults, remarks: list[str]
) -> Predictions | None:
    """The published predictions; None where there is no file, or it or the ground truth cannot be read."""
    if PREDICTIONS not in source.names:
        return None
    if truth is None:
        if GROUND_TRUTH not in source.names:
            remarks.append(f"{PREDICTIONS} is left out: {GROUND_TRUTH}, whose ids it uses, is not there.")
        return None
    table = read_table(source, PREDICTIONS, ("config_id", "predicted_time_s"), faults)
    if table is None:
        return None
    first_rows(table, ["config_id"], faults)
    known = truth.configurations.position
    remedy = f"Add it to {GROUND_TRUTH} or remove the row"
    rows = references(table, "config_id", known, faults, problem=f"is not in {GROUND_TRUTH}", remedy=remedy)
    # A correction may carry the prediction of a very short run below zero.
    return Predictions(rows, numbers(table, "predicted_time_s", faults))


def check_others(source: ImportSource, regions: Regions, faults: Faults) -> None:
    """Check the files that are not stored: the authors' subspace times and models, and raw profiles."""
    for file in (LOCAL_MODELS, GLOBAL_MODEL, HOTSPOTS):
        if file in source.names:
            read_json(source, file, _OBJECT, faults)
    if SUBSPACE_TIMES not in source.names:
        return
    columns = ("region_id", "subspace_index", "time_s")
    table = read_table(source, SUBSPACE_TIMES, columns, faults)
    if table is None:
        return
    first_rows(table, ["region_id", "subspace_index"], faults)
    remedy = f"Add it to {REGIONS} or correct the id"
    references(table, "region_id", regions.position, faults, problem="is no known region", remedy=remedy)
    subspaces = whole_numbers(table, "subspace_index", faults)
    numbers(table, "time_s", faults, minimum=0.0)
    for index, region in enumerate(table["region_id"]):
        count = len(regions.formulas.get(region, ()))
        if region in regions.formulas and subspaces[index] >= count:
            problem = f"{region} has only {count} subspaces"
            remedy = f"Write an index from 0 to {count - 1}"
            table.note(faults, index, "subspace_index", problem=problem, remedy=remedy)
