"""What each column of a table of measurements is: the revision, the workload, a metric or a feature."""

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from analytics.configurations.feature_models.features import Feature, FeatureModel
from analytics.configurations.options import MAX_LEVELS
from dashboard.importers.common_records import PUBLISHED_WORKLOAD
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.record_tables import FloatArray
from dashboard.importers.spl_conqueror.metadata import SplMetadata
from dashboard.importers.tables import Table

REVISION = "revision"
WORKLOAD = "workload"
_ONE_WORKLOAD = "Write 1 into the column of its workload and 0 into the others"
# What people call non-functional properties: only asked where no feature model tells the features.
_QUANTITY = re.compile(
    r"performance|time|runtime|latency|throughput|size|footprint|memory|mainmemory|energy|power|cpu|load|cycles",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"(.+)_(-?\d+(?:\.\d+)?)")


def revision_column(table: Table) -> str:
    """The column of revisions; blank where no column tells them."""
    return next((name for name in table.columns if name.lower() == REVISION), "")


def workload_columns(table: Table, features: Collection[str] | None) -> tuple[str, ...]:
    """The columns that tell the workload where nobody says so: one of that name, or zeros and ones that no feature has.

    `features` are those that are known for sure, None where nothing tells them. Zeros and ones are taken for workloads
    only where each row has exactly one of them, and rows of one revision repeat their features.
    """
    known = features or ()
    named = [name for name in table.columns if name.lower() == WORKLOAD and name not in known]
    if named or features is None:
        return tuple(named)
    flags = [name for name in table.columns if name not in features and set(table[name]) == {"0", "1"}]
    rows = zip(*(table[name] for name in flags), strict=True) if len(flags) > 1 else iter(())
    if not all(row.count("1") == 1 for row in rows):
        return ()
    same = [name for name in table.columns if name in features or name == revision_column(table)]
    keys = zip(*(table[name] for name in same), strict=True)
    return tuple(flags) if next(table.repeats(keys), None) is not None else ()


def column_roles(
    table: Table,
    sure: Collection[str],
    features: Collection[str] | None,
    settings: SplMetadata,
    faults: Faults,
    *,
    numbered: bool = False,
) -> tuple[list[str], list[str]]:
    """The columns of features and those of metrics, each in the order of the file; `sure` are metrics in any case.

    `features` are those that a feature model or a table of configurations tells, None where neither came with the
    measurements. A column of zeros and ones that they do not know is left out: a feature of another version. Where the table
    of configurations is `numbered`, beside the measurements, the metrics are those that are named, else known as such.
    """
    metrics = {*settings.metrics, *sure}
    context = {revision_column(table), *settings.workloads}
    others = [name for name in table.columns if name not in context or not name]
    for name in settings.workloads:
        if name not in table:
            remedy = "Correct the name that --workload-column gives"
            faults.add(table.file, "there is no such column", remedy, line=1, column=name)
    if "" in others:
        faults.add(table.file, "a column has no name", "Write its name into the header", line=1)
    # Where nobody names the metrics: names with a quantity among the words that `-` and spaces part them into.
    quantities = {name for name in others if any(map(_QUANTITY.fullmatch, re.split("[- ]", name)))}
    if features is None:
        measured = [name for name in others if name in (metrics or quantities)]
    else:
        measured = [name for name in others if name not in features]
        left = [name for name in measured if name not in metrics and set(table[name]) <= {"0", "1"}]
        what = "zeros and ones are left out"
        if numbered:
            left = [name for name in measured if name not in (metrics or quantities)]
            what = "values are left out: if it is a metric, say so with --metric"
        measured = [name for name in measured if name not in left]
        others = [name for name in others if name not in left]
        faults.remarks += [f"{name}: neither a feature nor a metric; its {what}." for name in left]
    if not measured:
        remedy = "Add a column like performance, or say which it is with --metric COLUMN"
        faults.add(table.file, "no column holds a metric", remedy, line=1)
    for name in measured:
        if len(name) > LONGEST["metric"]:
            remedy = f"Shorten it to {LONGEST['metric']} characters"
            faults.add(table.file, "the name of a metric is too long", remedy, line=1, column=name)
    return [name for name in others if name not in measured], measured


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
    binary = [name for name, column in columns.items() if np.isin(column, (0, 1)).all()]
    root = "root" if "root" in always else "program"
    while root in columns and root not in always:
        root += "_"
    features = [Feature(root)]
    members: dict[str, list[str]] = {}
    for name in filter(_MEMBER.fullmatch, binary):
        members.setdefault(name.rpartition("_")[0], []).append(name)
    for parent, group in members.items():
        has_one = len(group) > 1 and (np.sum([columns[name] for name in group], axis=0) == 1).all()
        if not has_one or (parent in columns and parent not in always):
            continue
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
