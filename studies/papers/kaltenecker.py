"""Coefficients of nine systems' releases (Kaltenecker et al., EMSE 2023) beside our fits over the same terms."""

from collections import Counter

import numpy as np

from analytics.influence.published import Agreement, PublishedComparison
from dashboard.importers import spl_conqueror
from dashboard.importers.records import SystemRecords
from dashboard.importers.settings import NO_SETTINGS
from dashboard.selectors.published_coefficients import hold_written_against
from studies.papers.tables import (
    Cell,
    Quantity,
    ReproducedTable,
    Reproduction,
    ReproductionError,
    read_records,
)

SOURCE = (
    "C. Kaltenecker et al., Performance Evolution of Configurable Software Systems: An Empirical Study, EMSE 2023; "
    "files `models.csv` of its web site"
)
FOLDER = "performance-evolution"
_READING = (
    "A published model is a least-squares fit over a set of terms that all releases of a system share. Ours is over the "
    "same terms and measurements, and agrees where it differs by no more than a millionth of the release's largest "
    "coefficient. A coefficient is undetermined where several models fit the measurements equally well; the published "
    "one is then one of them. “Other values” means that the published coefficients leave more squared error than ours "
    "on the published measurements: they were learned from other ones."
)


def make(work: Reproduction) -> ReproducedTable:
    """Make the comparison for every system that is at hand. Raises `ReproductionError`."""
    folders = sorted(path for path in (work.data / FOLDER).glob("*") if path.is_dir())
    if not folders:
        raise ReproductionError(
            f"{work.data / FOLDER}: holds no system; give the folder of the published data by --data"
        )
    cells: list[Cell] = []
    for folder in folders:
        work.tell(folder.name)
        records = read_records(folder, lambda source: spl_conqueror.read(source, NO_SETTINGS))
        cells += _cells(folder.name, _compared(records))
    return ReproducedTable(
        title="Coefficients of releases",
        source=SOURCE,
        settings=(
            ("fit", "ordinary least squares over the published terms, every release alone"),
            ("configurations", "all that were measured; a missing cell is left out"),
        ),
        cells=tuple(cells),
        reading=(_READING,),
    )


def _compared(records: SystemRecords) -> list[tuple[int, PublishedComparison]]:
    """For each release and metric with published coefficients: how many terms are not told, and the others held against the measurements."""
    space = records.option_space()
    levels = space.encode(one.assignments for one in records.configurations)
    given: dict[tuple[str, int], list[int]] = {}
    for place, one in enumerate(records.coefficients):
        given.setdefault((one.revision, one.metric), []).append(place)
    found = []
    for (revision, metric), places in given.items():
        terms = [records.coefficients[place] for place in places]
        published = [(one.levels, one.value) for one in terms]
        runs = {place: run for place, run in enumerate(records.runs) if run.revision == revision}
        table = records.measurements
        chosen = (table.metric == metric) & np.isin(table.run, list(runs))
        rows = [runs[place].configuration for place in table.run[chosen].tolist()]
        untold = sum(one.levels is None for one in terms)
        found.append((untold, hold_written_against(published, space, levels[rows], table.value[chosen])))
    return found


def _cells(system: str, compared: list[tuple[int, PublishedComparison]]) -> list[Cell]:
    counts = Counter(one for _, found in compared for one in found.agreement)
    untold = sum(count for count, _ in compared)
    relative = np.concatenate([np.abs(found.differences) for _, found in compared])
    relative = relative[np.isfinite(relative)]
    reasons = Counter(str(reason) for _, found in compared for reason in found.reasons)
    why = "; ".join(f"{count} releases: {reason}" for reason, count in sorted(reasons.items()))
    excess = max((found.excess for _, found in compared if np.isfinite(found.excess)), default=0.0)
    rows = (
        ("releases", "", Quantity(len(compared)), ""),
        ("coefficients", "", Quantity(sum(counts.values()) + untold), ""),
        ("agree", "", Quantity(counts[Agreement.AGREES]), ""),
        ("differ", "", Quantity(counts[Agreement.DIFFERS]), why if counts[Agreement.DIFFERS] else ""),
        ("undetermined", "", Quantity(counts[Agreement.UNDETERMINED]), ""),
        ("not told by the options", "", Quantity(untold), ""),
        ("median relative difference", "", Quantity(float(np.median(relative))), ""),
        ("largest relative difference", "", Quantity(float(relative.max())), ""),
        ("more squared error of theirs, at most", "%", Quantity(100 * excess), ""),
    )
    return [Cell(row, system, unit, value, None, remark) for row, unit, value, remark in rows]
