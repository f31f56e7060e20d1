"""Scenarios: configurations that people kept from What-if, by one model, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.access import Access, NotFound
from dashboard.selectors.accuracy import measured
from dashboard.selectors.configurations import DEFAULT
from dashboard.selectors.feature_models.valid import valid_configurations
from dashboard.selectors.influences import prediction_at
from dashboard.selectors.loaded_models import chosen_of, configuration_of, load_selected
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate, ModelIdentity, Selection
from dashboard.selectors.what_if import told_of


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kept configuration: what the model predicts of it, and its end-to-end value, None where it was not measured.

    `view` is the id of the saved view that keeps it. `configuration` is None where the model has not all of its options
    and levels, `predicted` also where it is not valid.
    """

    view: int
    configuration: ChosenConfiguration | None = None
    predicted: Estimate | None = None
    measured: float | None = None


def scenarios(
    *, access: Access, selection: Selection, kept: Mapping[int, str]
) -> tuple[ModelIdentity, tuple[Scenario, ...]]:
    """The configurations of `kept`, as addresses say them, by the ids of their views, with the model that tells of them.

    Those with the best predictions come first. Raises `NotFound` where there is no model.
    """
    selected = load_selected(access.system, selection)
    loaded = selected.loaded
    seen = measured(selected.key).by_levels
    valid = told_of(valid_configurations(access.system), loaded)
    rows = []
    for view, text in kept.items():
        try:
            levels = configuration_of(loaded, text or DEFAULT)
        except NotFound:
            rows.append(Scenario(view))
            continue
        allowed = valid.allows(levels[None])[0]
        predicted = prediction_at(selected, levels) if allowed else None
        rows.append(Scenario(view, chosen_of(loaded, levels), predicted, seen.get(levels.tobytes())))
    sign = 1.0 if loaded.row.lower_is_better else -1.0
    rows.sort(key=lambda row: float("inf") if row.predicted is None else sign * row.predicted.value)
    return loaded.row, tuple(rows)
