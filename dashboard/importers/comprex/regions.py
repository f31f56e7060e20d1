"""Regions of a Comprex bundle and their partitions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from analytics.configurations.partitions import Partition
from analytics.influence.times import PROGRAM_REGION
from dashboard.importers.common_records import PROGRAM
from dashboard.importers.comprex.configurations import ComprexOptions
from dashboard.importers.comprex.manifest import MANIFEST, PARTITIONS, REGIONS, ComprexManifest
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import RegionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table
from dashboard.importers.text_files import read_json

_COLUMNS = ("region_id", "source_uuid", "package", "class", "method_signature", "n_subspaces", "options")
_SHAPE: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])


@dataclass(frozen=True, slots=True)
class ComprexRegions:
    """The regions, their place by id, and the formulas of each by id."""

    records: tuple[RegionRecord, ...]
    position: Mapping[str, int]
    formulas: Mapping[str, Sequence[str]]


def read_regions(
    source: ImportSource, manifest: ComprexManifest | None, options: ComprexOptions | None, faults: Faults
) -> ComprexRegions | None:
    """The regions with sound partitions; None where a file cannot be read or a region is unknown."""
    table = read_table(source, REGIONS, _COLUMNS, faults)
    formulas = read_json(source, PARTITIONS, _SHAPE, faults)
    if table is None:
        return None
    table.texts("region_id", longest=80, blank=False)
    table.texts("package", longest=LONGEST["region package"])
    position = {key[0]: row for key, row in table.first_rows("region_id").items()}
    program = manifest.program_region if manifest else ""
    if manifest and program not in position:
        remedy = f"Name a region of {REGIONS}"
        faults.add(MANIFEST, "is no region", remedy, column="program_region", value=program)
    if formulas is None:
        return None
    for region in position:
        if region not in formulas:
            remedy = 'Add its formulas, ["True"] if no option matters'
            faults.add(PARTITIONS, "the region has no partition", remedy, value=region)
    for region in formulas:
        if region not in position:
            problem, remedy = f"the region is not in {REGIONS}", f"Add it to {REGIONS} or remove it here"
            faults.add(PARTITIONS, problem, remedy, line=_line_of(source, region), value=region)
    if options is not None:
        _check_partitions(source, table, options, formulas, faults)
    return ComprexRegions(_records(table, program), position, formulas)


def _line_of(source: ImportSource, region: str) -> int:
    """The line of the file on which the region's entry begins; 0 where it is written with escapes."""
    content = source.read(PARTITIONS)
    start = content.find(f'"{region}"'.encode())
    return content.count(b"\n", 0, start) + 1 if start >= 0 else 0


def _check_partitions(
    source: ImportSource,
    table: Table,
    options: ComprexOptions,
    formulas: Mapping[str, Sequence[str]],
    faults: Faults,
) -> None:
    """Note unknown options and unsound partitions; remark where figures that repeat what partitions say differ from them."""
    for index, cell in enumerate(table["options"]):
        for name in cell.split():
            if name not in options.mentioned:
                problem = "is no known option"
                table.note(index, "options", problem, "Correct it", value=name)
    partitions: dict[str, Partition] = {}
    for region, result in try_partitions(options.space, formulas).items():
        if isinstance(result, Partition):
            partitions[region] = result
        else:
            remedy, line = "Correct the formulas of this region", _line_of(source, region)
            faults.add(PARTITIONS, str(result), remedy, line=line, column=region)
    mentioned = {options.space.names[p] for partition in partitions.values() for p in partition.options}
    for name, claimed in options.mentioned.items():
        if claimed != (name in mentioned):
            faults.remarks.append(
                f"options.csv: in_any_partition of {name} differs from {PARTITIONS}, which counts."
            )
    for index, region in enumerate(table["region_id"]):
        claim = table["n_subspaces"][index]
        if region in partitions and claim != str(partitions[region].n_subspaces):
            faults.remarks.append(
                f"{REGIONS}, line {table.lines[index]}: n_subspaces of {region} is {claim}, but "
                f"{PARTITIONS}, which counts, has {partitions[region].n_subspaces}."
            )


def _records(table: Table, program: str) -> tuple[RegionRecord, ...]:
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
