"""What the authors of a Comprex bundle published beside their measurements: corrections, predictions, models."""

import numpy as np
from pydantic import TypeAdapter

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
from dashboard.importers.comprex.regions import Formulas
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.model_records import CorrectionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_json

_OBJECT: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])


def read_corrections(
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
    table.check_unique("fit")
    intercepts = table.numbers("intercept_s")
    slopes = table.numbers("slope")
    for row in np.flatnonzero(slopes == 0).tolist():
        table.note(row, "slope", "a slope of 0 corrects nothing", "Write the fitted slope")
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


def read_predictions(source: ImportSource, truth: Table | None, faults: Faults) -> list[tuple[int, float]]:
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
    table.check_unique("config_id")
    problem, remedy = f"is not in {GROUND_TRUTH}", f"Add it to {GROUND_TRUTH} or remove the row"
    rows = table.references("config_id", truth.places("config_id"), problem, remedy)
    # A correction may carry the prediction of a very short run below zero.
    return list(zip(rows.tolist(), table.numbers("predicted_time_s").tolist(), strict=True))


def check_others(source: ImportSource, regions: Table, formulas: Formulas, faults: Faults) -> None:
    """Check the files that are not stored: the authors' subspace times and models, and raw profiles."""
    for file in (LOCAL_MODELS, GLOBAL_MODEL, HOTSPOTS):
        if file in source.names:
            read_json(source, file, _OBJECT, faults)
    if SUBSPACE_TIMES not in source.names:
        return
    table = read_table(source, SUBSPACE_TIMES, ("region_id", "subspace_index", "time_s"), faults)
    if table is None:
        return
    table.check_unique("region_id", "subspace_index")
    remedy = f"Add it to {REGIONS} or correct the id"
    table.references("region_id", regions.places("region_id"), "is no known region", remedy)
    subspaces = table.whole_numbers("subspace_index")
    table.numbers("time_s", minimum=0.0)
    for row, region in enumerate(table["region_id"]):
        count = len(formulas.get(region, ()))
        if region in formulas and subspaces[row] >= count:
            problem, remedy = f"{region} has only {count} subspaces", f"Write an index from 0 to {count - 1}"
            table.note(row, "subspace_index", problem, remedy)
