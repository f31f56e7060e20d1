"""Table IV of the Comprex paper: how many configurations cover the regions, by the size of a region."""

from pathlib import Path

import numpy as np

from analytics.configurations.covers import greedy_cover
from analytics.configurations.joining import program_subspaces
from analytics.influence.models import fit
from studies.papers.comprex_system import PAPER, cells_of, systems
from studies.papers.tables import Effort, Quantity, ReproducedTable, Tell, printed

THRESHOLD = 0.3
_CONTROL_FLOW = "the published data hold partitions of methods only, not of single control-flow statements"

_NO_RULE = "the paper does not say when a region counts"


def make(data: Path, _: Effort, tell: Tell) -> ReproducedTable:
    """Make Table IV from the partitions below `data`. Raises `ReproductionError`."""
    published = printed("comprex-table-4")
    ours: dict[tuple[str, str], Quantity] = {}
    remarks: dict[tuple[str, str], str] = {}
    for key, system in systems(data, tell):
        times = system.times
        cover = greedy_cover(times.space, times.partitions)
        model = fit(times)
        large = sum(
            int(
                (np.abs(local.coefficients[:, local.weights.levels.max(axis=1) >= 0]) >= THRESHOLD)
                .any(axis=1)
                .sum()
            )
            for local in model.local
        )
        for row, count in (
            ("method regions", len(times.regions)),
            ("method configurations", len(cover)),
            ("program configurations", program_subspaces(times.partitions)),
            ("regions with a term of 0.3 s", large),
        ):
            ours[row, key] = Quantity(count)
        for row in ("control-flow regions", "control-flow configurations"):
            remarks[row, key] = _CONTROL_FLOW
        remarks["regions with a term of 0.3 s", key] = _NO_RULE
    return ReproducedTable(
        name="comprex-regions",
        title="Regions and the configurations that cover their subspaces",
        source=f"{PAPER}, Table IV; regions with a term of 0.3 s: Sec. V-B",
        settings=(
            ("cover", "greedy over all regions' subspaces, ties to the fewest options off their reference"),
            ("program", "subspaces of the cross product of all regions' partitions"),
            (
                "region with a term",
                f"a coefficient of at least {THRESHOLD} s in size, the intercept left out",
            ),
        ),
        cells=cells_of(published, ours, remarks),
    )
