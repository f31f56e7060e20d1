"""Which models of a system there are to choose from: revisions, workloads and metrics."""

from dataclasses import dataclass

from django.db.models import Max

from dashboard.access import NotFound, Principal
from dashboard.models import OrderPosition
from dashboard.selectors.loaded_models import at_place, chosen_row, of_model
from dashboard.selectors.model_rows import HYBRID, Selection
from dashboard.selectors.performance_models import list_models


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


def model_choices(*, principal: Principal, slug: str, selection: Selection) -> ModelChoices:
    """The models beside the selected one; a constant number of queries. Raises `NotFound`."""
    rows = list_models(principal=principal, system_slug=slug)
    if not rows:
        raise NotFound(f"{slug!r} has no influence model yet")
    now = chosen_row(rows, slug, selection)
    places = dict(
        OrderPosition.objects.filter(order__system__slug=slug)
        .values_list("revision__name")
        .annotate(Max("position"))
    )
    same = [row for row in of_model(rows, selection) if row.environment == now.environment]
    beside = [row for row in same if row.workload == now.workload]
    revisions = {row.revision for row in beside if row.metric == now.metric}
    return ModelChoices(
        revision=now.revision,
        workload=now.workload,
        metric=now.metric,
        revisions=tuple(sorted(revisions, key=lambda name: (places.get(name, -1), name))),
        workloads=tuple(sorted({row.workload for row in same})),
        model=HYBRID if now.kind == HYBRID else "",
        models=tuple(sorted({HYBRID if row.kind == HYBRID else "" for row in at_place(rows, selection)})),
        metrics=tuple(dict.fromkeys(row.metric for row in reversed(beside) if row.revision == now.revision)),
    )
