"""The table of measurements, and what each of its columns is: the revision, the workload, a metric or a feature."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.options import MAX_LEVELS
from dashboard.importers.common_records import PUBLISHED_WORKLOAD
from dashboard.importers.errors import Faults
from dashboard.importers.feature_model import read_model
from dashboard.importers.feature_records import FeatureModelRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.spl_conqueror.files import SplFolder, SplResults, lists_options, read_listing
from dashboard.importers.spl_conqueror.metadata import SplSettings
from dashboard.importers.spl_conqueror.xml_results import read_xml_results
from dashboard.importers.tables import FloatArray, Table

REVISION = "revision"
# Of a numeric feature; only those that were measured become levels.
_MOST_VALUES = 100_000
_ONE_WORKLOAD = "Write 1 into the column of its workload and 0 into the others"
# What people call non-functional properties: only asked where no feature model tells the features.
_QUANTITY = re.compile(
    r"performance|time|runtime|latency|throughput|size|footprint|memory|mainmemory|energy|power|cpu|load|cycles",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"(.+)_(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns by what they are, each in the order of the file; `revision` is blank where no column tells it.

    `left_out` are columns of zeros and ones that are none of these.
    """

    features: Sequence[str]
    metrics: Sequence[str]
    revision: str
    workloads: Sequence[str]
    left_out: Sequence[str]


def open_table(
    folder: SplFolder, settings: SplSettings
) -> tuple[Table, ColumnRoles, FeatureModelRecord | None] | None:
    """The measurements as they are written, the roles of their columns, and the feature model that came with them.

    None where measurements or feature model cannot be read.
    """
    file = folder.measurements
    if file.lower().endswith((".xml", ".xml.gz")):
        results = read_xml_results(folder)
    elif lists_options(folder.source, file):
        results = read_listing(folder)
    else:
        table = folder.table(file)
        results = None if table is None else SplResults(table)
    if results is None:
        return None
    given = None
    if folder.feature_model:
        given = read_model(folder.source, folder.feature_model, folder.faults, most_values=_MOST_VALUES)
        if given is None:
            return None
        results = results.with_features(given.model)
    roles = _column_roles(results, None if given is None else given.model, settings, folder.faults)
    if not len(results.table):
        folder.faults.add(file, "holds no measurement", "Add a row for each configuration")
    return results.table, roles, given


def _column_roles(
    results: SplResults, model: FeatureModel | None, settings: SplSettings, faults: Faults
) -> ColumnRoles:
    """The roles of the columns of measurements.

    `model` is the feature model that came with them, or None. Beside a feature model, a column of zeros and ones that it does not know is left out: a feature of another version.
    """
    features = None if model is None else {feature.name for feature in model.features}
    table = results.table
    metrics = {*settings.metrics, *results.metrics}
    workloads = settings.workloads
    revision = next((name for name in table.columns if name.lower() == REVISION), "")
    others = [name for name in table.columns if name != revision and name not in workloads]
    left_out: list[str] = []
    for name in workloads:
        if name not in table:
            remedy = "Correct the name that --workload-column gives"
            faults.add(table.file, "there is no such column", remedy, line=1, column=name)
    if "" in others:
        faults.add(table.file, "a column has no name", "Write its name into the header", line=1)
    if features is not None:
        strange = [name for name in others if name not in features and name not in metrics]
        left_out = [name for name in strange if set(table[name]) <= {"0", "1"}]
        faults.remarks.extend(
            f"{name}: the feature model knows no such feature; its zeros and ones are left out."
            for name in left_out
        )
        others = [name for name in others if name not in left_out]
        measured = [name for name in others if name not in features]
    else:
        # Where nobody names the metrics: names with a quantity among the words that `-` and spaces part them into.
        quantities = {name for name in others if any(map(_QUANTITY.fullmatch, re.split("[- ]", name)))}
        measured = [name for name in others if name in (metrics or quantities)]
    if not measured:
        remedy = "Add a column like performance, or say which it is with --metric COLUMN"
        faults.add(table.file, "no column holds a metric", remedy, line=1)
    for name in measured:
        if len(name) > LONGEST["metric"]:
            remedy = f"Shorten it to {LONGEST['metric']} characters"
            faults.add(table.file, "the name of a metric is too long", remedy, line=1, column=name)
    return ColumnRoles(
        features=[name for name in others if name not in measured],
        metrics=measured,
        revision=revision,
        workloads=[name for name in table.columns if name in workloads],
        left_out=left_out,
    )


def workloads_of(table: Table, columns: Sequence[str]) -> Sequence[str]:
    """The workload of each row: the one column of `columns` that is 1 there, or the text of a single column.

    Without columns all rows have one workload. A row of no workload or of several is a fault.
    """
    if not columns:
        return [PUBLISHED_WORKLOAD.name] * len(table)
    flags = [table[name] for name in columns]
    if len(columns) == 1 and not set(flags[0]) <= {"0", "1"}:
        return table.texts(columns[0], longest=LONGEST["workload"], blank=False)
    workloads = []
    for row, cells in enumerate(zip(*flags, strict=True)):
        strange = next(
            (name for name, cell in zip(columns, cells, strict=True) if cell not in ("0", "1")), None
        )
        if strange is not None:
            table.note(row, strange, "is neither 0 nor 1", _ONE_WORKLOAD)
        elif cells.count("1") != 1:
            problem = "the row has no workload" if "1" not in cells else "the row has several workloads"
            table.note(row, columns[0], problem, _ONE_WORKLOAD)
        workloads.append(columns[cells.index("1")] if "1" in cells else PUBLISHED_WORKLOAD.name)
    return workloads


def inferred_model(columns: Mapping[str, FloatArray], file: str, faults: Faults) -> FeatureModel:
    """The simplest feature model that allows these rows of features, each column of shape (n_rows,).

    Columns `NAME_1`, `NAME_2`, ... of which each row has exactly one are alternatives: the levels of NAME. Other
    columns of zeros and ones are switches, other numbers are levels; what is 1 everywhere is no option.
    """
    always = {name for name, column in columns.items() if (column == 1).all()}
    binary = {name for name, column in columns.items() if np.isin(column, (0, 1)).all()}
    root = "root" if "root" in always else "program"
    while root in columns and root not in always:
        root += "_"
    features = [Feature(root)]
    groups = _alternatives(columns, binary, always)
    for parent, group in groups.items():
        features.append(Feature(parent, root))
        for name in group:
            others = tuple((other,) for other in group if other != name)
            features.append(Feature(name, parent, excluded=others))
        faults.remarks.append(f"{parent}: {len(group)} columns of which each row has one are its levels.")
    known = {feature.name for feature in features}
    for name, column in columns.items():
        if name in known:
            continue
        values = np.unique(column)
        if name in binary:
            features.append(Feature(name, root, optional=name not in always))
        elif len(values) > MAX_LEVELS:
            problem = f"has {len(values)} values; an option has up to {MAX_LEVELS}"
            faults.add(file, problem, "If it is a metric, say so with --metric", line=1, column=name)
        else:
            features.append(Feature(name, root, values=tuple(values.tolist())))
    return FeatureModel(root, tuple(features))


def _alternatives(
    columns: Mapping[str, FloatArray], binary: Collection[str], always: Collection[str]
) -> dict[str, list[str]]:
    """Columns by the name they share: only where each row has exactly one, and no option has that name."""
    found: dict[str, list[str]] = {}
    for name in columns:
        match = _MEMBER.fullmatch(name)
        if match is not None and name in binary:
            found.setdefault(match.group(1), []).append(name)
    return {
        parent: group
        for parent, group in found.items()
        if len(group) > 1
        and (np.sum([columns[name] for name in group], axis=0) == 1).all()
        and (parent not in columns or parent in always)
    }
