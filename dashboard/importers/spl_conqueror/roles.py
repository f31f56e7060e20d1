"""What each column of the measurements is: the revision, a metric or a feature."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.tables import Table

REVISION = "revision"
# What people call non-functional properties: only asked where no feature model tells the features.
_QUANTITY = re.compile(
    r"performance|time|runtime|latency|throughput|size|footprint|memory|mainmemory|energy|power|cpu|load|cycles",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns by what they are, each in the order of the file; `revision` is blank where no column tells it.

    `left_out` are columns of zeros and ones that are none of these.
    """

    features: tuple[str, ...]
    metrics: tuple[str, ...]
    revision: str
    workloads: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def roles_of(
    table: Table,
    features: Collection[str] | None,
    faults: Faults,
    remarks: list[str],
    *,
    metrics: Collection[str],
    workloads: Collection[str],
) -> Roles:
    """The roles of the columns of `table`.

    `features` are the names that a feature model knows, or None; `metrics` and `workloads` the columns that a person said
    to be some.
    Beside a feature model, a column of zeros and ones that it does not know is left out: a feature of another version.
    """
    revision = next((name for name in table.columns if name.lower() == REVISION), "")
    others = [name for name in table.columns if name != revision and name not in workloads]
    left_out: list[str] = []
    for name in workloads:
        if name not in table:
            remedy = "Correct the name that --workload-column gives"
            faults.add(table.file, "there is no such column", remedy, line=1, column=name)
    for name in others:
        if not name:
            faults.add(table.file, "a column has no name", "Write its name into the header", line=1)
    if features is not None:
        strange = [name for name in others if name not in features and name not in metrics]
        left_out = [name for name in strange if set(table[name]) <= {"0", "1"}]
        remarks.extend(
            f"{name}: the feature model knows no such feature; its zeros and ones are left out."
            for name in left_out
        )
        others = [name for name in others if name not in left_out]
        measured = [name for name in others if name not in features]
    else:
        measured = [name for name in others if name in metrics or (not metrics and _is_quantity(name))]
    if not measured:
        remedy = "Add a column like performance, or say which it is with --metric COLUMN"
        faults.add(table.file, "no column holds a metric", remedy, line=1)
    for name in measured:
        if len(name) > LONGEST["metric"]:
            remedy = f"Shorten it to {LONGEST['metric']} characters"
            faults.add(table.file, "the name of a metric is too long", remedy, line=1, column=name)
    return Roles(
        features=tuple(name for name in others if name not in measured),
        metrics=tuple(measured),
        revision=revision,
        workloads=tuple(name for name in table.columns if name in workloads),
        left_out=tuple(left_out),
    )


def _is_quantity(name: str) -> bool:
    """Whether the name, or one of the words that `-` and spaces part it into, is a quantity."""
    return any(_QUANTITY.fullmatch(word) for word in re.split("[- ]", name))
