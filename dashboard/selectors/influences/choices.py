"""Which models of a system there are to choose from: revisions, workloads and metrics."""

from dataclasses import dataclass

from dashboard.access import NotFound
from dashboard.models import System
from dashboard.selectors.model_rows import HYBRID, Selection
from dashboard.selectors.performance_models import (
    chosen_row,
    in_context,
    list_models,
    of_model,
    revision_positions,
)


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """What else can be chosen while the rest of the selection stays, and what is chosen now.

    `revisions` stand in their order, oldest first. `models` are "", `hybrid`, or both.
    """

    revision: str
    workload: str
    metric: str
    revisions: tuple[str, ...]
    workloads: tuple[str, ...]
    metrics: tuple[str, ...]
    model: str
    models: tuple[str, ...]


def model_choices(*, system: System, selection: Selection) -> ModelChoices:
    """The models beside the selected one; a constant number of queries. Raises `NotFound`."""
    rows = list_models(system)
    if not rows:
        raise NotFound(f"{system.slug!r} has no influence model yet")
    now = chosen_row(rows, system, selection)
    positions = revision_positions(system)
    same = [row for row in of_model(rows, selection) if row.environment == now.environment]
    beside = [row for row in same if row.workload == now.workload]
    revisions = {row.revision for row in beside if row.metric == now.metric}
    return ModelChoices(
        revision=now.revision,
        workload=now.workload,
        metric=now.metric,
        revisions=tuple(sorted(revisions, key=lambda name: (positions.get(name, -1), name))),
        workloads=tuple(sorted({row.workload for row in same})),
        model=HYBRID if now.kind == HYBRID else "",
        models=tuple(sorted({HYBRID if row.kind == HYBRID else "" for row in in_context(rows, selection)})),
        metrics=tuple(dict.fromkeys(row.metric for row in reversed(beside) if row.revision == now.revision)),
    )
