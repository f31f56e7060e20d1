"""What a configuration would take, measured or not: its prediction, what is better near it, and the best there is."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from analytics.configurations.identities import key_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.optimum import Optimum, optimum
from dashboard.access import Access, NotFound
from dashboard.selectors.accuracy import measured
from dashboard.selectors.computed_once import computed_once
from dashboard.selectors.configurations import DEFAULT, changes
from dashboard.selectors.feature_models.valid import (
    Violation,
    newest_of,
    valid_configurations,
    violation,
)
from dashboard.selectors.influences import difference_between, influences, prediction_at
from dashboard.selectors.loaded_models import (
    SelectedModel,
    cached_fit,
    cached_model,
    chosen_of,
    load_selected,
    varied_options,
)
from dashboard.selectors.model_loading import LoadedModel
from dashboard.selectors.model_rows import (
    ChosenConfiguration,
    Estimate,
    Influences,
    LevelChange,
    ModelKey,
    Selection,
)
from dashboard.selectors.performance_models import get_model

MOST_CHANGES = 5
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SingleChange:
    """One option changed: the key of the configuration that comes of it, and what it adds to the prediction."""

    key: str
    change: LevelChange
    difference: Estimate


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A configuration, the `target` of `found`, in comparison with its base.

    `violated` is None where the configuration is valid. `better` are the single changes to valid configurations that
    are predicted to be better, the best first; `tried` counts all to valid ones, `forbidden` those to others. Where
    the system has no feature model, `knows_constraints` is False and every combination of levels counts as valid.
    """

    found: Influences
    violated: Violation | None
    better: tuple[SingleChange, ...]
    tried: int
    forbidden: int
    knows_constraints: bool


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A configuration with the best or worst prediction, and its end-to-end value, None where it was not measured.

    `is_proven` is False where the search ran out of time.
    """

    configuration: ChosenConfiguration
    predicted: Estimate
    measured: float | None
    is_proven: bool


def what_if(*, access: Access, selection: Selection) -> WhatIf:
    """The compared configuration of `selection`, or the base where none is compared. Raises `NotFound`."""
    if not selection.compared:
        selected = load_selected(access.system, selection)
        selection = replace(selection, compared=chosen_of(selected.loaded, selected.base).key or DEFAULT)
    found = influences(system=access.system, selection=selection)
    fixed = frozenset(option.name for option in found.options if not option.varied)
    assert found.target is not None  # noqa: S101 -- the selection names one
    violated = violation(access.system, dict(found.target.differences), fixed)
    better, tried, forbidden = _single_changes(
        load_selected(access.system, selection), valid_configurations(access.system)
    )
    return WhatIf(found, violated, better, tried, forbidden, newest_of(access.system) is not None)


def recommendations(
    *, access: Access, selection: Selection, fixed: Collection[str] = ()
) -> tuple[Recommendation | None, Recommendation | None]:
    """The valid configurations with the best and with the worst prediction; None where none is predicted.

    Options of `fixed`, by name, keep the level that they have in the compared configuration, or else in the base.
    Raises `NotFound`, also for options that there are not, and where the search found nothing in its time; `Busy` where
    others search.
    """
    selected = load_selected(access.system, selection)
    space = selected.loaded.space
    now = selected.base if selected.target is None else selected.target
    levels = tuple(sorted(fixed_levels(space, now, fixed).items()))
    features = newest_of(access.system)
    try:
        lowest, highest = _optima(selected.key, None if features is None else features.batch_id, levels)
    except InfluenceError as error:
        raise NotFound(str(error)) from None
    found = (lowest, highest) if selected.loaded.row.lower_is_better else (highest, lowest)
    seen = measured(selected.key).by_levels
    best, worst = (
        None
        if one is None
        else Recommendation(
            configuration=chosen_of(selected.loaded, one.configuration),
            predicted=prediction_at(selected, one.configuration),
            measured=seen.get(one.configuration.tobytes()),
            is_proven=one.is_proven,
        )
        for one in found
    )
    return best, worst


def best_measured(
    *, access: Access, selection: Selection, fixed: Collection[str] = ()
) -> Recommendation | None:
    """The best of the valid configurations that were measured end to end, options of `fixed` kept; None without one."""
    selected = load_selected(access.system, selection)
    now = selected.base if selected.target is None else selected.target
    levels = fixed_levels(selected.loaded.space, now, fixed)
    valid = told_of(valid_configurations(access.system), selected.loaded).holding(levels)
    seen = measured(selected.key)
    known = np.flatnonzero(valid.allows(seen.configurations)).tolist()
    if not known:
        return None
    sign = 1.0 if selected.loaded.row.lower_is_better else -1.0
    at = min(known, key=lambda one: sign * float(seen.values[one]))
    levels_there = seen.configurations[at]
    return Recommendation(
        configuration=chosen_of(selected.loaded, levels_there),
        predicted=prediction_at(selected, levels_there),
        measured=float(seen.values[at]),
        is_proven=True,
    )


def fixed_levels(space: OptionSpace, now: IntArray, fixed: Collection[str]) -> dict[int, int]:
    """The levels in configuration `now`, shape (n_options,), of options by name, by position. Raises `NotFound`."""
    unknown = sorted(set(fixed) - set(space.names))
    if unknown:
        raise NotFound(f"no option is called {unknown[0]!r}: fix one of {', '.join(space.names)}")
    return {space.position(name): int(now[space.position(name)]) for name in fixed}


@computed_once(size=64)
def _optima(
    key: ModelKey, _feature_model: int | None, levels: tuple[tuple[int, int], ...]
) -> tuple[Optimum | None, Optimum | None]:
    """The valid configurations with the smallest and the largest prediction, with these levels; kept per feature model."""
    model = cached_fit(key)
    every = valid_configurations(get_model(key.model_id).system)
    valid = told_of(every, cached_model(key)).holding(dict(levels))
    return optimum(model, valid), optimum(model, valid, largest=True)


def told_of(valid: ValidConfigurations, loaded: LoadedModel) -> ValidConfigurations:
    """Those that the model speaks of: options that did not vary are at their reference."""
    return valid.holding(dict.fromkeys(np.flatnonzero(~varied_options(loaded)).tolist(), 0))


def _single_changes(
    selected: SelectedModel, valid: ValidConfigurations
) -> tuple[tuple[SingleChange, ...], int, int]:
    """The best of the single changes of the target; how many lead to valid configurations, and how many to others."""
    space, now = selected.loaded.space, selected.target
    assert now is not None  # noqa: S101 -- as in `what_if`
    steps = [
        (position, level)
        for position in np.flatnonzero(varied_options(selected.loaded)).tolist()
        for level in range(space.sizes[position])
        if level != now[position]
    ]
    ends = np.repeat(now[np.newaxis], len(steps), axis=0)
    for end, (position, level) in zip(ends, steps, strict=True):
        end[position] = level
    allowed = told_of(valid, selected.loaded).allows(ends)
    model = cached_fit(selected.key)
    start = float(model.predict(now[np.newaxis])[0])
    moved = model.predict(ends) - start
    gains = -moved if selected.loaded.row.lower_is_better else moved
    # NaN is no gain: nothing is known there.
    good = np.flatnonzero(allowed & (gains > _ROUNDING * abs(start)))
    better = []
    for at in good[np.argsort(-gains[good], kind="stable")][:MOST_CHANGES]:
        (change,) = changes(space, now, ends[at])
        key = key_of(space, space.reference, ends[at]) or DEFAULT
        better.append(SingleChange(key, change, difference_between(selected, now, ends[at])))
    return tuple(better), int(allowed.sum()), int((~allowed).sum())
