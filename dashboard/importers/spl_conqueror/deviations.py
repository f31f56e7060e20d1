"""Relative standard deviations beside the measurements."""

from collections.abc import Mapping, Sequence

import numpy as np

from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.options import IntArray
from dashboard.importers.columns import FloatArray, numbers
from dashboard.importers.errors import Faults
from dashboard.importers.spl_conqueror.cells import measured
from dashboard.importers.spl_conqueror.folded import configurations_of
from dashboard.importers.spl_conqueror.workloads import workloads_of
from dashboard.importers.tables import Table

Key = tuple[str, str, bytes]


def keys_of(revisions: Sequence[str], workloads: Sequence[str], configurations: IntArray) -> list[Key]:
    """What tells the rows of measurements and deviations from each other."""
    return [
        (revision, workload, row.tobytes())
        for revision, workload, row in zip(revisions, workloads, configurations.astype(np.int16), strict=True)
    ]


def read_deviations(
    table: Table,
    folding: Folding,
    *,
    rows: Mapping[Key, int],
    metrics: Sequence[str],
    revision: str,
    workloads: Sequence[str],
    faults: Faults,
    remarks: list[str],
) -> dict[str, FloatArray]:
    """The relative deviations of each metric that has some, by row of the measurements; NaN where there is none."""
    columns = {
        name: numbers(table, name, faults)
        for name in table.columns
        if name in folding.presences or name in folding.groups
    }
    before = faults.count
    found = {name: measured(table, name, faults, minimum=0.0) for name in metrics if name in table}
    configurations = configurations_of(folding, table, columns, faults) if faults.count == before else None
    if configurations is None:
        return {}
    names = table[revision] if revision in table else [""] * len(table)
    of = workloads_of(table, [name for name in workloads if name in table], faults)
    place = np.array([rows.get(key, -1) for key in keys_of(names, of, configurations)], dtype=np.int64)
    _check_repeated(table, place, found, faults)
    deviations = {}
    for name, values in found.items():
        deviations[name] = np.full(len(rows), np.nan)
        deviations[name][place[place >= 0]] = values[place >= 0]
    _remark(table, place, rows, deviations, remarks)
    return deviations


def _check_repeated(table: Table, place: IntArray, found: Mapping[str, FloatArray], faults: Faults) -> None:
    """Note rows that say something else of a configuration than an earlier row."""
    first: dict[int, int] = {}
    for row, where in enumerate(place.tolist()):
        earlier = first.setdefault(where, row) if where >= 0 else row
        if any(not np.array_equal(one[[row]], one[[earlier]], equal_nan=True) for one in found.values()):
            problem = f"gives other deviations than line {table.lines[earlier]} of the same configuration"
            faults.add(table.file, problem, "Keep one of the two rows", line=table.lines[row])


def _remark(
    table: Table,
    place: IntArray,
    rows: Mapping[Key, int],
    deviations: Mapping[str, FloatArray],
    remarks: list[str],
) -> None:
    strange = int((place < 0).sum())
    if strange:
        remarks.append(f"{table.file}: {strange} rows belong to no measurement and are left out.")
    missing = len(rows) - len(set(place[place >= 0].tolist()))
    if missing:
        remarks.append(f"{table.file}: {missing} measurements have no deviation.")
    if not deviations:
        remarks.append(f"{table.file}: none of its columns is a metric of the measurements.")
