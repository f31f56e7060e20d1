"""Regions of a Comprex bundle and their partitions."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter

from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import PROGRAM_REGION
from dashboard.importers.common_records import PROGRAM
from dashboard.importers.comprex.manifest import MANIFEST, OPTIONS, PARTITIONS, REGIONS, ComprexManifest
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import RegionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_json

_COLUMNS = ("region_id", "source_uuid", "package", "class", "method_signature", "n_subspaces", "options")
_SHAPE: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])

# The formulas of each region, by its id.
Formulas = Mapping[str, Sequence[str]]


def read_regions(
    source: ImportSource, manifest: ComprexManifest | None, faults: Faults
) -> tuple[Table, Formulas] | None:
    """The table of regions and their formulas; None where a file cannot be read."""
    table = read_table(source, REGIONS, _COLUMNS, faults)
    formulas = read_json(source, PARTITIONS, _SHAPE, faults)
    if table is None:
        return None
    table.texts("region_id", longest=80, blank=False)
    table.texts("package", longest=LONGEST["region package"])
    table.check_unique("region_id")
    regions = table.places("region_id")
    if manifest and manifest.program_region not in regions:
        remedy, value = f"Name a region of {REGIONS}", manifest.program_region
        faults.add(MANIFEST, "is no region", remedy, column="program_region", value=value)
    if formulas is None:
        return None
    for region in regions:
        if region not in formulas:
            remedy = 'Add its formulas, ["True"] if no option matters'
            faults.add(PARTITIONS, "the region has no partition", remedy, value=region)
    for region in formulas:
        if region not in regions:
            problem, remedy = f"the region is not in {REGIONS}", f"Add it to {REGIONS} or remove it here"
            faults.add(PARTITIONS, problem, remedy, line=_line_of(source, region), value=region)
    return table, formulas


def _line_of(source: ImportSource, region: str) -> int:
    """The line of the file on which the region's entry begins; 0 where it is written with escapes."""
    content = source.read(PARTITIONS)
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
            faults.add(PARTITIONS, str(result), remedy, line=line, column=region)
    mentioned = {space.names[place] for partition in partitions.values() for place in partition.options}
    for name, claimed in zip(options["name"], options["in_any_partition"], strict=True):
        if (claimed == "1") != (name in mentioned):
            faults.remarks.append(
                f"{OPTIONS}: in_any_partition of {name} differs from {PARTITIONS}, which counts."
            )
    for row, region in enumerate(regions["region_id"]):
        claim = regions["n_subspaces"][row]
        if region in partitions and claim != str(partitions[region].n_subspaces):
            faults.remarks.append(
                f"{REGIONS}, line {regions.lines[row]}: n_subspaces of {region} is {claim}, but "
                f"{PARTITIONS}, which counts, has {partitions[region].n_subspaces}."
            )


def region_records(table: Table, program: str) -> tuple[RegionRecord, ...]:
    """One record per row: its key is the qualified method, with the region's id where that is not enough."""
    rows = list(
        zip(table["region_id"], table["package"], table["class"], table["method_signature"], strict=True)
    )
    keys = Counter(".".join(filter(None, row[1:])) for row in rows)
    records = []
    for region, package, owner, method in rows:
        if region == program:
            records.append(PROGRAM)
            continue
        key = ".".join(filter(None, (package, owner, method)))
        if not key or key == PROGRAM_REGION or keys[key] > 1 or len(key) > LONGEST["region key"]:
            key = f"{key[: LONGEST['region key'] - len(region) - 3]} [{region}]".strip()
        name = ".".join(filter(None, (owner, method))) or region
        longest = LONGEST["region name"]
        short = name if len(name) <= longest else f"{name[: longest - 1]}…"
        records.append(RegionRecord(key=key, package=package, name=short))
    return tuple(records)
