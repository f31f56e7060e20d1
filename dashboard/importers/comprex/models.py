"""Regions of a Comprex bundle, their partitions, and what its authors published of models: corrections, predictions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydantic import TypeAdapter

from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import PROGRAM_REGION
from dashboard.importers.common_records import PROGRAM
from dashboard.importers.comprex.manifest import ComprexFile as File
from dashboard.importers.comprex.manifest import ComprexManifest
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.model_records import CorrectionRecord
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import RegionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_json

_REGION_COLUMNS = (
    "region_id",
    "source_uuid",
    "package",
    "class",
    "method_signature",
    "n_subspaces",
    "options",
)
_FORMULAS: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])
_OBJECT: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])

# The formulas of each region, by its id.
Formulas = Mapping[str, Sequence[str]]


def read_regions(
    source: ImportSource, manifest: ComprexManifest | None, faults: Faults
) -> tuple[Table, Formulas] | None:
    """The table of regions and their formulas; None where a file cannot be read."""
    table = read_table(source, File.REGIONS, _REGION_COLUMNS, faults)
    formulas = read_json(source, File.PARTITIONS, _FORMULAS, faults)
    if table is None:
        return None
    table.texts("region_id", longest=80, blank=False)
    table.texts("package", longest=LONGEST["region package"])
    table.check_unique("region_id")
    regions = table.places("region_id")
    if manifest and manifest.program_region not in regions:
        remedy, value = f"Name a region of {File.REGIONS}", manifest.program_region
        faults.add(File.MANIFEST, "is no region", remedy, column="program_region", value=value)
    if formulas is None:
        return None
    for region in regions:
        if region not in formulas:
            remedy = 'Add its formulas, ["True"] if no option matters'
            faults.add(File.PARTITIONS, "the region has no partition", remedy, value=region)
    for region in formulas:
        if region not in regions:
            problem = f"the region is not in {File.REGIONS}"
            remedy, line = f"Add it to {File.REGIONS} or remove it here", _line_of(source, region)
            faults.add(File.PARTITIONS, problem, remedy, line=line, value=region)
    return table, formulas


def _line_of(source: ImportSource, region: str) -> int:
    """The line of the file on which the region's entry begins; 0 where it is written with escapes."""
    content = source.read(File.PARTITIONS)
    start = content.find(f'"{region}"'.encode())
    return content.count(b"\n", 0, start) + 1 if start >= 0 else 0


def check_partitions(
    source: ImportSource, regions: Table, formulas: Formulas, options: Table, space: OptionSpace
) -> None:
    """Note unknown options and unsound partitions; remark where figures that repeat what partitions say differ from them."""
    faults = regions.faults
    for row, cell in enumerate(regions["options"]):
        for name in cell.split():
            if name not in space.names:
                regions.note(row, "options", "is no known option", "Correct it", value=name)
    partitions: dict[str, Partition] = {}
    for region, result in try_partitions(space, formulas).items():
        if isinstance(result, Partition):
            partitions[region] = result
        else:
            remedy, line = "Correct the formulas of this region", _line_of(source, region)
            faults.add(File.PARTITIONS, str(result), remedy, line=line, column=region)
    mentioned = {space.names[place] for partition in partitions.values() for place in partition.options}
    faults.remarks.extend(
        f"{File.OPTIONS}: in_any_partition of {name} differs from {File.PARTITIONS}, which counts."
        for name, claimed in zip(options["name"], options["in_any_partition"], strict=True)
        if (claimed == "1") != (name in mentioned)
    )
    faults.remarks.extend(
        f"{File.REGIONS}, line {line}: n_subspaces of {region} is {claim}, but {File.PARTITIONS}, which counts, "
        f"has {partitions[region].n_subspaces}."
        for line, region, claim in zip(
            regions.lines, regions["region_id"], regions["n_subspaces"], strict=True
        )
        if region in partitions and claim != str(partitions[region].n_subspaces)
    )


def region_records(table: Table, program: str) -> Iterator[RegionRecord]:
    """One record per row: its key is the qualified method, with the region's id where that is not enough."""
    names = ("region_id", "package", "class", "method_signature")
    rows = list(zip(*(table[name] for name in names), strict=True))
    keys = Counter(".".join(filter(None, row[1:])) for row in rows)
    for region, package, owner, method in rows:
        if region == program:
            yield PROGRAM
            continue
        key = ".".join(filter(None, (package, owner, method)))
        if not key or key == PROGRAM_REGION or keys[key] > 1 or len(key) > LONGEST["region key"]:
            key = f"{key[: LONGEST['region key'] - len(region) - 3]} [{region}]".strip()
        name = ".".join(filter(None, (owner, method))) or region
        longest = LONGEST["region name"]
        short = name if len(name) <= longest else f"{name[: longest - 1]}…"
        yield RegionRecord(key=key, package=package, name=short)


def read_corrections(
    source: ImportSource, manifest: ComprexManifest | None, faults: Faults
) -> tuple[CorrectionRecord, ...]:
    """The published fits of the profiler's overhead, in order; none where there is no file, or no manifest to name it."""
    if manifest is None:
        return ()
    file = manifest.corrections or File.CORRECTIONS
    if file not in source.names:
        if manifest.corrections is not None:
            faults.remarks.append(
                f"{File.MANIFEST} names {file}, which is not there: no corrections are known."
            )
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
    shares = [None if np.isnan(one) else one for one in table.numbers("r_squared", blank=True).tolist()]
    wanted = manifest.published_predictions_correction
    if wanted is not None and wanted not in names:
        column = "published_predictions_correction"
        faults.add(
            File.MANIFEST, f"{file} has no such fit", "Name one of its fits", column=column, value=wanted
        )
    return tuple(map(CorrectionRecord, names, intercepts.tolist(), slopes.tolist(), shares))


def read_predictions(source: ImportSource, truth: Table | None, faults: Faults) -> list[tuple[int, float]]:
    """The published predictions: row of the ground truth, and seconds.

    None where there is no file, or it or the ground truth cannot be read.
    """
    if File.PREDICTIONS not in source.names:
        return []
    if truth is None:
        if File.GROUND_TRUTH not in source.names:
            left_out = (
                f"{File.PREDICTIONS} is left out: {File.GROUND_TRUTH}, whose ids it uses, is not there."
            )
            faults.remarks.append(left_out)
        return []
    table = read_table(source, File.PREDICTIONS, ("config_id", "predicted_time_s"), faults)
    if table is None:
        return []
    table.check_unique("config_id")
    problem, remedy = f"is not in {truth.file}", f"Add it to {truth.file} or remove the row"
    rows = table.references("config_id", truth.places("config_id"), problem, remedy)
    # A correction may carry the prediction of a very short run below zero.
    return list(zip(rows.tolist(), table.numbers("predicted_time_s").tolist(), strict=True))


def check_others(source: ImportSource, regions: Table, formulas: Formulas, faults: Faults) -> None:
    """Check the files that are not stored: the authors' subspace times and models, and raw profiles."""
    for file in (File.LOCAL_MODELS, File.GLOBAL_MODEL, File.HOTSPOTS):
        if file in source.names:
            read_json(source, file, _OBJECT, faults)
    if File.SUBSPACE_TIMES not in source.names:
        return
    table = read_table(source, File.SUBSPACE_TIMES, ("region_id", "subspace_index", "time_s"), faults)
    if table is None:
        return
    table.check_unique("region_id", "subspace_index")
    remedy = f"Add it to {regions.file} or correct the id"
    table.references("region_id", regions.places("region_id"), "is no known region", remedy)
    subspaces = table.whole_numbers("subspace_index")
    table.numbers("time_s", minimum=0.0)
    for row, region in enumerate(table["region_id"]):
        count = len(formulas.get(region, ()))
        if region in formulas and subspaces[row] >= count:
            problem, remedy = f"{region} has only {count} subspaces", f"Write an index from 0 to {count - 1}"
            table.note(row, "subspace_index", problem, remedy)
