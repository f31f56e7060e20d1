"""Regions of a Comprex bundle and their partitions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.regions import PROGRAM_REGION, PROGRAM_REGION_NAME
from dashboard.importers.columns import first_rows, texts
from dashboard.importers.comprex.manifest import MANIFEST, PARTITIONS, REGIONS, ComprexManifest
from dashboard.importers.comprex.options import Options
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import RegionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_json, read_table

_COLUMNS = ("region_id", "source_uuid", "package", "class", "method_signature", "n_subspaces", "options")
_SHAPE: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions, their place by id, and the formulas of each by id."""

    records: tuple[RegionRecord, ...]
    position: Mapping[str, int]
    formulas: Mapping[str, Sequence[str]]


def read_regions(
    source: ImportSource,
    manifest: ComprexManifest | None,
    options: Options | None,
    faults: Faults,
    remarks: list[str],
) -> Regions | None:
    """The regions with sound partitions; None where a file cannot be read or a region is unknown."""
    table = read_table(source, REGIONS, _COLUMNS, faults)
    formulas = read_json(source, PARTITIONS, _SHAPE, faults)
    if table is None:
        return None
    texts(table, "region_id", faults, longest=80, blank=False)
    texts(table, "package", faults, longest=LONGEST["region package"])
    position = {key[0]: row for key, row in first_rows(table, ["region_id"], faults).items()}
    program = manifest.program_region if manifest else ""
    if manifest and program not in position:
        remedy = f"Name a region of {REGIONS}"
        faults.add(MANIFEST, "is no region", remedy, column="program_region", value=program)
    if formulas is None:
        return None
    _check_names(source, position, formulas, faults)
    if options is not None:
        _check_options(table, options, faults)
        partitions = _partitions(source, options.space, formulas, faults)
        _compare(table, options, partitions, remarks)
    return Regions(_records(table, program), position, formulas)


def _check_names(
    source: ImportSource, position: Mapping[str, int], formulas: Mapping[str, Sequence[str]], faults: Faults
) -> None:
    for region in position:
        if region not in formulas:
            remedy = 'Add its formulas, ["True"] if no option matters'
            faults.add(PARTITIONS, "the region has no partition", remedy, value=region)
    for region in formulas:
        if region not in position:
            faults.add(
                PARTITIONS,
                f"the region is not in {REGIONS}",
                f"Add it to {REGIONS} or remove it here",
                line=_line_of(source, region),
                value=region,
            )


def _check_options(table: Table, options: Options, faults: Faults) -> None:
    known = set(options.space.names)
    for index, cell in enumerate(table["options"]):
        for name in cell.split():
            if name not in known:
                table.note(
                    faults, index, "options", problem="is no known option", remedy="Correct it", value=name
                )


def _partitions(
    source: ImportSource, space: OptionSpace, formulas: Mapping[str, Sequence[str]], faults: Faults
) -> dict[str, Partition]:
    """The partition of each region that has a sound one."""
    found: dict[str, Partition] = {}
    for region, result in try_partitions(space, formulas).items():
        if isinstance(result, Partition):
            found[region] = result
        else:
            faults.add(
                PARTITIONS,
                str(result),
                "Correct the formulas of this region",
                line=_line_of(source, region),
                column=region,
            )
    return found


def _line_of(source: ImportSource, region: str) -> int:
    """The line of the file on which the region's entry begins; 0 where it is written with escapes."""
    content = source.read(PARTITIONS)
    found = content.find(f'"{region}"'.encode())
    return content.count(b"\n", 0, found) + 1 if found >= 0 else 0


def _compare(table: Table, options: Options, partitions: Mapping[str, Partition], remarks: list[str]) -> None:
    """Remark where figures that only repeat what partitions say differ from them: the partitions count."""
    mentioned = {options.space.names[p] for partition in partitions.values() for p in partition.options}
    for name, claimed in options.mentioned.items():
        if claimed != (name in mentioned):
            remarks.append(
                f"options.csv: in_any_partition of {name} differs from {PARTITIONS}, which counts."
            )
    for index, region in enumerate(table["region_id"]):
        if region in partitions and table["n_subspaces"][index] != str(partitions[region].n_subspaces):
            remarks.append(
                f"{REGIONS}, line {table.lines[index]}: n_subspaces of {region} is "
                f"{table['n_subspaces'][index]}, but {PARTITIONS}, which counts, has "
                f"{partitions[region].n_subspaces}."
            )


def _records(table: Table, program: str) -> tuple[RegionRecord, ...]:
    """One record per row: its key is the qualified method, with the region's id where that is not enough."""
    rows = list(
        zip(table["region_id"], table["package"], table["class"], table["method_signature"], strict=True)
    )
    keys = Counter(_qualified(*row[1:]) for row in rows)
    records = []
    for region, package, owner, method in rows:
        if region == program:
            records.append(RegionRecord(PROGRAM_REGION, PROGRAM_REGION_NAME, is_program=True))
            continue
        key = _qualified(package, owner, method)
        if not key or key == PROGRAM_REGION or keys[key] > 1 or len(key) > LONGEST["region key"]:
            key = f"{key[: LONGEST['region key'] - len(region) - 3]} [{region}]".strip()
        name = ".".join(part for part in (owner, method) if part) or region
        longest = LONGEST["region name"]
        short = name if len(name) <= longest else f"{name[: longest - 1]}…"
        records.append(RegionRecord(key, short, package))
    return tuple(records)


def _qualified(package: str, owner: str, method: str) -> str:
    return ".".join(part for part in (package, owner, method) if part)
