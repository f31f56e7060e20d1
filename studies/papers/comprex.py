"""What Tables II, III and IV of the Comprex paper share: the systems and what white-box models of them say."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from studies.papers.comprex_system import ComprexSystem, read_system
from studies.papers.tables import Cell, Quantity, ReproductionError, Tell

PAPER = (
    "M. Velez et al., White-Box Analysis over Machine Learning: Modeling Performance of Configurable Systems, "
    "ICSE 2021"
)
SYSTEMS = {"lucene": "Apache Lucene", "h2": "H2", "berkeleydb": "Berkeley DB", "density": "Density Converter"}
FOLDER = "comprex"
NO_DATA = "the measurements of this system are not among the published data that are at hand"


def systems(data: Path, tell: Tell) -> Iterator[tuple[str, ComprexSystem]]:
    """The systems whose measurements lie below `data`, by key. Raises `ReproductionError` where there is none."""
    found = [key for key in SYSTEMS if (data / FOLDER / key).is_dir()]
    if not found:
        raise ReproductionError(
            f"{data / FOLDER}: holds none of {', '.join(SYSTEMS)}; give the folder of the published data by --data"
        )
    for key in found:
        tell(f"reading {SYSTEMS[key]}")
        yield key, read_system(data / FOLDER / key, SYSTEMS[key])


def cells_of(
    published: Mapping[tuple[str, str], Quantity],
    ours: Mapping[tuple[str, str], Quantity],
    units: Mapping[str, str],
    remarks: Mapping[tuple[str, str], str],
) -> tuple[Cell, ...]:
    """Cells in the order of the published rows; `units` and `remarks` by row, the latter by column too."""
    held = {column for _, column in ours}
    return tuple(
        Cell(
            row=row,
            column=SYSTEMS[column],
            unit=units[row],
            ours=ours.get((row, column)),
            published=number,
            remark=remarks.get((row, column), "" if (row, column) in ours or column in held else NO_DATA),
        )
        for (row, column), number in published.items()
    )
