"""Two metrics against each other: the configurations than which none is predicted to be better in both."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from analytics.influence.errors import InfluenceError
from analytics.influence.pareto import pareto_front
from dashboard.access import Access, NotFound
from dashboard.selectors.feature_models.valid import valid_configurations
from dashboard.selectors.influences import prediction_at
from dashboard.selectors.loaded_models import cached_fit, chosen_of, load_selected
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate, ModelIdentity, Selection
from dashboard.selectors.what_if import fixed_levels, told_of


@dataclass(frozen=True, slots=True)
class FrontRow:
    """A configuration of the front with the predictions of both metrics."""

    configuration: ChosenConfiguration
    predicted: tuple[Estimate, Estimate]


@dataclass(frozen=True, slots=True)
class TwoMetrics:
    """The models of both metrics, and the Pareto front by the first one, its best first."""

    models: tuple[ModelIdentity, ModelIdentity]
    rows: tuple[FrontRow, ...]


def two_metrics(
    *, access: Access, selection: Selection, against: str, fixed: Collection[str] = ()
) -> TwoMetrics:
    """The Pareto front of the metric of `selection` and the metric `against`; `fixed` as in `recommendations`.

    Raises `NotFound`, also where too many configurations would have to be compared.
    """
    first = load_selected(access.system, selection)
    row = first.loaded.row
    beside = {"revision": row.revision, "workload": row.workload, "environment": row.environment}
    second = load_selected(access.system, replace(selection, **beside, metric=against))
    if second.key == first.key:
        raise NotFound(f"{against!r} is the metric itself: choose another one")
    now = first.base if first.target is None else first.target
    valid = told_of(told_of(valid_configurations(access.system), first.loaded), second.loaded)
    valid = valid.holding(fixed_levels(first.loaded.space, now, fixed))
    better = (row.lower_is_better, second.loaded.row.lower_is_better)
    try:
        found = pareto_front((cached_fit(first.key), cached_fit(second.key)), valid, better)
    except InfluenceError as error:
        raise NotFound(str(error)) from None
    rows = tuple(
        FrontRow(chosen_of(first.loaded, one), (prediction_at(first, one), prediction_at(second, one)))
        for one in found.configurations
    )
    return TwoMetrics((row, second.loaded.row), rows)
