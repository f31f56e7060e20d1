"""Reading the files of a folder one after the other, each in the light of those before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.options import IntArray
from dashboard.importers.columns import FloatArray, numbers, texts
from dashboard.importers.errors import Faults
from dashboard.importers.feature_model import read_model
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import CoefficientRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.spl_conqueror.cells import measured
from dashboard.importers.spl_conqueror.deviations import Key, keys_of, read_deviations
from dashboard.importers.spl_conqueror.files import Files, read_separated
from dashboard.importers.spl_conqueror.folded import (
    as_folded,
    columns_of,
    configurations_of,
    folding_of,
    known_levels,
    reference_row,
)
from dashboard.importers.spl_conqueror.listed import is_listed, read_listed
from dashboard.importers.spl_conqueror.published import read_coefficients, relevant_terms
from dashboard.importers.spl_conqueror.releases import in_order
from dashboard.importers.spl_conqueror.results import Results, read_results
from dashboard.importers.spl_conqueror.roles import REVISION, Roles, roles_of
from dashboard.importers.spl_conqueror.told import Told
from dashboard.importers.spl_conqueror.unmodelled import model_of_columns
from dashboard.importers.spl_conqueror.workloads import workloads_of
from dashboard.importers.tables import Table, read_text

# Of a numeric feature; only those that were measured become levels.
_MOST_VALUES = 100_000
_ONLY_REVISION = "as measured"


@dataclass(frozen=True, slots=True, eq=False)
class Folder:
    """A folder while it is read: its files, what a person told, and what was noted so far."""

    source: ImportSource
    files: Files
    told: Told
    faults: Faults
    remarks: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
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


@dataclass(frozen=True, slots=True)
class Published:
    """What the authors published beside the measurements, the last two by revision."""

    coefficients: tuple[CoefficientRecord, ...] = ()
    errors: Mapping[str, float] = field(default_factory=dict)
    relevant_terms: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_measured(folder: Folder) -> Measured | None:
    """The measurements with their deviations; None where there is a fault."""
    faults, remarks = folder.faults, folder.remarks
    before = faults.count
    found = _read_rows(folder)
    given = None if found is None else _feature_model(folder)
    if found is None or (folder.files.feature_model and given is None):
        return None
    table = found.table if given is None else found.with_features(given.model)
    roles = _roles(folder, found, table, given)
    columns = _feature_columns(table, roles, faults, modelled=given is not None)
    values = {name: measured(table, name, faults) for name in roles.metrics}
    if not len(table):
        faults.add(table.file, "holds no measurement", "Add a row for each configuration")
    if faults.count > before:
        return None
    model = model_of_columns(columns, table.file, faults, remarks) if given is None else given.model
    folding = folding_of(model, columns, folder.files.feature_model or table.file, faults)
    configurations = configurations_of(folding, table, columns, faults) if folding else None
    if folding is None or configurations is None:
        return None
    revision = _revisions(table, roles, folder.told, faults)
    workload = workloads_of(table, roles.workloads, faults)
    rows = _rows(table, keys_of(revision, workload, configurations), roles.left_out, faults)
    if faults.count > before:
        return None
    _remark_empty(table, values, remarks)
    return Measured(
        feature_model=None if given is None else as_folded(given, folding),
        folding=folding,
        configurations=configurations,
        revision=revision,
        workload=workload,
        revisions=_in_order(revision, remarks),
        values=values,
        deviations=_deviations(folder, folding, rows, roles),
        reference=_reference(folder, folding, configurations),
    )


def _roles(folder: Folder, found: Results, table: Table, given: FeatureModelRecord | None) -> Roles:
    return roles_of(
        table,
        None if given is None else columns_of(given),
        folder.faults,
        folder.remarks,
        metrics=(*folder.told.metrics, *found.metrics),
        workloads=folder.told.workloads,
    )


def _read_rows(folder: Folder) -> Results | None:
    file = folder.files.measurements
    if file.lower().endswith((".xml", ".xml.gz")):
        return read_results(folder.source, file, folder.faults, folder.remarks)
    if is_listed(folder.source, file):
        return read_listed(folder.source, file, folder.faults, folder.remarks)
    table = read_separated(folder.source, file, (), folder.faults)
    return None if table is None else Results(table, ())


def _feature_model(folder: Folder) -> FeatureModelRecord | None:
    """The feature model beside the measurements; None where there is none or one with faults."""
    file = folder.files.feature_model
    if not file:
        return None
    return read_model(folder.source, file, folder.faults, folder.remarks, most_values=_MOST_VALUES)


def _feature_columns(table: Table, roles: Roles, faults: Faults, *, modelled: bool) -> dict[str, FloatArray]:
    """The values of each feature. Only a feature model tells what an option without a value means."""
    return {
        name: numbers(table, name, faults, blank=modelled and "" in table[name]) for name in roles.features
    }


def _revisions(table: Table, roles: Roles, told: Told, faults: Faults) -> Sequence[str]:
    if not roles.revision:
        return [told.revision or _ONLY_REVISION] * len(table)
    return texts(table, roles.revision, faults, longest=LONGEST["revision"], blank=False)


def _rows(table: Table, keys: Sequence[Key], left_out: Sequence[str], faults: Faults) -> dict[Key, int]:
    """The row of each revision, workload and configuration; a second one is a fault."""
    first: dict[Key, int] = {}
    remedy = "Keep one of the two rows"
    if left_out:
        remedy += f"; if {', '.join(left_out[:5])} tell workloads, say --workload-column COLUMN for each"
    for row, key in enumerate(keys):
        if first.setdefault(key, row) != row:
            problem = f"measures the configuration of line {table.lines[first[key]]} again"
            faults.add(table.file, problem, remedy, line=table.lines[row], value=key[0])
    return first


def _remark_empty(table: Table, values: Mapping[str, FloatArray], remarks: list[str]) -> None:
    for name, column in values.items():
        empty = int(np.isnan(column).sum())
        if empty:
            remarks.append(f"{table.file}: {empty} cells of {name} are empty: not measured.")


def _in_order(revision: Sequence[str], remarks: list[str]) -> list[str]:
    written = list(dict.fromkeys(revision))
    ordered, rule = in_order(written)
    if len(ordered) > 1:
        other = "" if ordered == written else ", unlike the file"
        remarks.append(f"releases stand in the order from {ordered[0]} to {ordered[-1]} {rule}{other}.")
    return ordered


def _deviations(
    folder: Folder, folding: Folding, rows: Mapping[Key, int], roles: Roles
) -> dict[str, FloatArray]:
    required = (roles.revision,) if roles.revision else ()
    file = folder.files.deviations
    table = read_separated(folder.source, file, required, folder.faults) if file else None
    if table is None:
        return {}
    return read_deviations(
        table,
        folding,
        rows=rows,
        metrics=roles.metrics,
        revision=roles.revision,
        workloads=roles.workloads,
        faults=folder.faults,
        remarks=folder.remarks,
    )


def _reference(folder: Folder, folding: Folding, found: IntArray) -> IntArray:
    """The measured configuration that is the default, or the closest to it or to the first levels."""
    file, remarks = folder.files.defaults, folder.remarks
    table = read_separated(folder.source, file, (), folder.faults) if file else None
    stated: dict[int, int] = {}
    if table is not None and len(table):
        names = [name for name in table.columns if name in folding.presences]
        row = {name: float(numbers(table, name, folder.faults)[0]) for name in names}
        stated = {folding.space.position(name): level for name, level in known_levels(folding, row).items()}
        if len(table) > 1:
            remarks.append(f"{table.file}: the first of its {len(table)} configurations is the default.")
    reference: IntArray = found[reference_row(found, stated)]
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


def read_published(folder: Folder, rows: Measured) -> Published:
    """The published models of the metric called performance, or of the first one."""
    files, faults = folder.files, folder.faults
    revisions = set(rows.revisions)
    metrics = list(rows.values)
    metric = metrics.index("performance") if "performance" in metrics else 0
    table = read_separated(folder.source, files.models, (REVISION,), faults) if files.models else None
    coefficients: tuple[CoefficientRecord, ...] = ()
    errors: Mapping[str, float] = {}
    if table is not None:
        coefficients, errors = read_coefficients(
            table, rows.folding, revisions=revisions, metric=metric, faults=faults, remarks=folder.remarks
        )
    text = read_text(folder.source, files.relevant_terms, faults) if files.relevant_terms else None
    return Published(coefficients, errors, relevant_terms(text or "", revisions))
