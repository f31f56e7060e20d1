"""The measurements of a folder with their deviations: rows of features as configurations of options with levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analytics.configurations.errors import ConfigurationError, FoldingError
from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.rows import fold_rows
from analytics.configurations.options import IntArray
from dashboard.importers.errors import Faults
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.spl_conqueror.columns import ColumnRoles, inferred_model, open_table, workloads_of
from dashboard.importers.spl_conqueror.files import SplFolder
from dashboard.importers.spl_conqueror.metadata import SplSettings, releases_in_order
from dashboard.importers.tables import FloatArray, Table

_ONLY_REVISION = "as measured"
_Key = tuple[str, str, bytes]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRows:
    """Rows of measurements: `configurations` (n_rows, n_options) as levels, `values` and `deviations` by metric.

    Deviations are relative, as published. `reference` (n_options,) is the level of each option that others are
    relative to; `revisions` are in their order.
    """

    feature_model: FeatureModelRecord | None
    folding: Folding
    configurations: IntArray
    revision: Sequence[str]
    workload: Sequence[str]
    revisions: Sequence[str]
    values: Mapping[str, FloatArray]
    deviations: Mapping[str, FloatArray]
    reference: IntArray


def read_measured(folder: SplFolder, settings: SplSettings) -> MeasuredRows | None:
    """The measurements with their deviations; None where there is a fault."""
    faults = folder.faults
    before = faults.count
    opened = open_table(folder, settings)
    if opened is None:
        return None
    table, roles, given = opened
    # Only a feature model tells what an option without a value means.
    columns = {
        name: table.numbers(name, blank=given is not None and "" in table[name]) for name in roles.features
    }
    values = {name: table.measured_numbers(name) for name in roles.metrics}
    if faults.count > before:
        return None
    model = inferred_model(columns, table.file, faults) if given is None else given.model
    folding = _folding(model, columns, folder.feature_model or table.file, faults)
    configurations = _configurations(folding, table, columns, faults) if folding else None
    if folding is None or configurations is None:
        return None
    revision: Sequence[str] = [settings.revision or _ONLY_REVISION] * len(table)
    if roles.revision:
        revision = table.texts(roles.revision, longest=LONGEST["revision"], blank=False)
    workload = workloads_of(table, roles.workloads)
    rows = _distinct_rows(table, _keys(revision, workload, configurations), roles.left_out, faults)
    if faults.count > before:
        return None
    for name, cells in values.items():
        if empty := int(np.isnan(cells).sum()):
            faults.remarks.append(f"{table.file}: {empty} cells of {name} are empty: not measured.")
    return MeasuredRows(
        # Its numeric features have the values that options have as levels.
        feature_model=None if given is None else replace(given, features=folding.model.features),
        folding=folding,
        configurations=configurations,
        revision=revision,
        workload=workload,
        revisions=_in_order(revision, faults),
        values=values,
        deviations=_read_deviations(folder, folding, rows, roles),
        reference=_reference(folder, folding, configurations),
    )


def _folding(
    model: FeatureModel, columns: Mapping[str, FloatArray], file: str, faults: Faults
) -> Folding | None:
    """`model`, read from `file`, as options; numeric features have the values that were measured.

    None, with a fault noted, where options cannot have such names or numbers of levels.
    """

    def as_measured(feature: Feature) -> Feature:
        """A range of a million values is measured at a few of them."""
        if feature.values is None or feature.name not in columns:
            return feature
        values = tuple(value for value in feature.values if (columns[feature.name] == value).any())
        return replace(feature, values=values or feature.values[:1])

    try:
        return fold(replace(model, features=tuple(map(as_measured, model.features))))
    except ConfigurationError as error:
        faults.add(file, str(error), "Rename it, or split its levels")
        return None


def _configurations(
    folding: Folding, table: Table, columns: Mapping[str, FloatArray], faults: Faults
) -> IntArray | None:
    """The configuration of each row, shape (n_rows, n_options), as indices of levels; None where one is a fault."""
    before = faults.count
    try:
        configurations, mismatches = fold_rows(folding, columns)
    except (FoldingError, ConfigurationError) as error:
        faults.add(table.file, str(error), "Add the column, as the feature model calls it", line=1)
        return None
    for wrong in mismatches:
        cell = table[wrong.feature][wrong.row] if wrong.feature in table else ""
        remedy = "Correct the row or the feature model"
        line = table.lines[wrong.row]
        faults.add(table.file, wrong.problem, remedy, line=line, column=wrong.feature, value=cell)
    for option in folding.space.options:
        for label in (option.name, *(option.text(index) for index in range(len(option.levels)))):
            if len(label) > LONGEST["level"]:
                faults.add(table.file, "a name is too long", "Shorten it", line=1, value=label)
    return configurations if faults.count == before else None


def _keys(revisions: Sequence[str], workloads: Sequence[str], configurations: IntArray) -> list[_Key]:
    """What tells the rows of measurements and deviations from each other."""
    return [
        (revision, workload, row.tobytes())
        for revision, workload, row in zip(revisions, workloads, configurations.astype(np.int16), strict=True)
    ]


def _distinct_rows(
    table: Table, keys: Sequence[_Key], left_out: Sequence[str], faults: Faults
) -> dict[_Key, int]:
    """The row of each revision, workload and configuration; a second one is a fault."""
    first: dict[_Key, int] = {}
    remedy = "Keep one of the two rows"
    if left_out:
        remedy += f"; if {', '.join(left_out[:5])} tell workloads, say --workload-column COLUMN for each"
    for row, key in enumerate(keys):
        if first.setdefault(key, row) != row:
            problem = f"measures the configuration of line {table.lines[first[key]]} again"
            faults.add(table.file, problem, remedy, line=table.lines[row], value=key[0])
    return first


def _in_order(revision: Sequence[str], faults: Faults) -> list[str]:
    written = list(dict.fromkeys(revision))
    ordered, rule = releases_in_order(written)
    if len(ordered) > 1:
        other = "" if ordered == written else ", unlike the file"
        faults.remarks.append(
            f"releases stand in the order from {ordered[0]} to {ordered[-1]} {rule}{other}."
        )
    return ordered


def _read_deviations(
    folder: SplFolder, folding: Folding, rows: Mapping[_Key, int], roles: ColumnRoles
) -> dict[str, FloatArray]:
    """The relative deviations of each metric that has some, by row of the measurements; NaN where there is none."""
    faults = folder.faults
    table = folder.table(folder.deviations, (roles.revision,) if roles.revision else ())
    if table is None:
        return {}
    columns = {
        name: table.numbers(name)
        for name in table.columns
        if name in folding.presences or name in folding.groups
    }
    before = faults.count
    given = {name: table.measured_numbers(name, minimum=0.0) for name in roles.metrics if name in table}
    configurations = _configurations(folding, table, columns, faults) if faults.count == before else None
    if configurations is None:
        return {}
    revisions = table[roles.revision] if roles.revision in table else [""] * len(table)
    workloads = workloads_of(table, [name for name in roles.workloads if name in table])
    place = np.array(
        [rows.get(key, -1) for key in _keys(revisions, workloads, configurations)], dtype=np.int64
    )
    first: dict[int, int] = {}
    for row, where in enumerate(place.tolist()):
        earlier = first.setdefault(where, row) if where >= 0 else row
        if any(not np.array_equal(one[[row]], one[[earlier]], equal_nan=True) for one in given.values()):
            problem = f"gives other deviations than line {table.lines[earlier]} of the same configuration"
            faults.add(table.file, problem, "Keep one of the two rows", line=table.lines[row])
    belongs = place >= 0
    deviations = {}
    for name, values in given.items():
        deviations[name] = np.full(len(rows), np.nan)
        deviations[name][place[belongs]] = values[belongs]
    if strange := int((~belongs).sum()):
        faults.remarks.append(f"{table.file}: {strange} rows belong to no measurement and are left out.")
    if missing := len(rows) - len(set(place[belongs].tolist())):
        faults.remarks.append(f"{table.file}: {missing} measurements have no deviation.")
    if not deviations:
        faults.remarks.append(f"{table.file}: none of its columns is a metric of the measurements.")
    return deviations


def _reference(folder: SplFolder, folding: Folding, configurations: IntArray) -> IntArray:
    """The measured configuration that is the default or, where that was not measured, suits best as the reference.

    First it agrees with the most stated levels, then it has the most first levels, then it comes first.
    """
    remarks = folder.faults.remarks
    table = folder.table(folder.defaults)
    stated: dict[int, int] = {}
    if table is not None and len(table):
        names = [name for name in table.columns if name in folding.presences]
        stated = _stated_levels(folding, {name: float(table.numbers(name)[0]) for name in names})
        if len(table) > 1:
            remarks.append(f"{table.file}: the first of its {len(table)} configurations is the default.")
    agrees = np.zeros(len(configurations), dtype=np.int64)
    for position, level in stated.items():
        agrees += configurations[:, position] == level
    firsts = (configurations == 0).sum(axis=1)
    reference: IntArray = configurations[np.lexsort((-firsts, -agrees))[0]]
    differ = [folding.space.names[place] for place, level in stated.items() if reference[place] != level]
    if differ:
        remarks.append(
            f"the default was not measured; the closest one that was has another {', '.join(differ)}."
        )
    elif not stated:
        remarks.append(
            "no default is stated: the measured configuration with the most first levels stands for it."
        )
    return reference


def _stated_levels(folding: Folding, row: Mapping[str, float]) -> dict[int, int]:
    """The levels that a part of a row of features tells: {position of the option: index of the level}."""
    fitting = {option.name: set(range(len(option.levels))) for option in folding.space.options}
    for name, value in row.items():
        presence = folding.presences.get(name)
        if presence is None or presence.option is None:
            continue
        if name in folding.numeric:
            fitting[name] &= {index for index, one in enumerate(folding.option(name).levels) if one == value}
        elif value:
            fitting[presence.option] &= set(presence.levels)
        else:
            fitting[presence.option] -= set(presence.levels)
    return {folding.space.position(name): min(levels) for name, levels in fitting.items() if len(levels) == 1}
