"""The valid configurations of a system by its feature model, and what a configuration violates."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.configurations.feature_models.conditions import Condition, conditions, violated
from analytics.configurations.feature_models.diagrams import DecidedConfigurations
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.valid import own_levels
from analytics.configurations.feature_models.valid import valid_configurations as decide
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.unconstrained import Unconstrained
from analytics.configurations.validity import ValidConfigurations
from dashboard.importers.feature_records import model_of
from dashboard.models import Batch, StoredFeatureModel, System
from dashboard.selectors.configurations import chosen
from dashboard.selectors.model_rows import ChosenConfiguration
from dashboard.selectors.option_spaces import options_of

_KEPT = 16  # models whose decision diagrams stay in memory


@dataclass(frozen=True, slots=True)
class OpenFeatureModel:
    """A feature model that is ready for questions; `valid` is over the options of the system."""

    row: StoredFeatureModel
    folding: Folding
    conditions: tuple[Condition, ...]
    valid: DecidedConfigurations

    @property
    def combinations(self) -> int:
        """The number of all combinations of levels, valid or not."""
        return math.prod(self.valid.space.sizes)


@dataclass(frozen=True, slots=True)
class Violation:
    """What a configuration violates, in words, and the nearest valid one, where there is one."""

    conditions: tuple[str, ...]
    nearest: ChosenConfiguration | None
    changes: tuple[tuple[str, str], ...]
    """The options in which the nearest one differs, each with its level there."""


def newest_of(system: System) -> StoredFeatureModel | None:
    """The feature model that holds for a system; one query."""
    held = StoredFeatureModel.objects.filter(system=system, batch__state=Batch.State.VISIBLE)
    return held.order_by("-batch_id").first()


def feature_model_of(system: System) -> OpenFeatureModel | None:
    """The feature model of a system, None where it has none. Two or three queries."""
    row = newest_of(system)
    return None if row is None else _opened(row, options_of(system))


def valid_configurations(system: System) -> ValidConfigurations:
    """The valid configurations of a system: all of them where it has no feature model."""
    space = options_of(system)
    row = newest_of(system)
    return Unconstrained(space) if row is None else _opened(row, space).valid


def violation(
    system: System, levels: Mapping[str, str], fixed: frozenset[str] = frozenset()
) -> Violation | None:
    """What the configuration with these levels by option violates; None where it is valid or nothing is known.

    Options that are not named are at their reference level; those of `fixed` keep their level in the nearest valid
    configuration.
    """
    opened = feature_model_of(system)
    if opened is None:
        return None
    space = opened.valid.space
    row = np.array(
        [
            option.index_of_text(levels[option.name]) if option.name in levels else 0
            for option in space.options
        ],
        dtype=np.int8,
    )
    if opened.valid.allows(row[np.newaxis])[0]:
        return None
    kept = {space.position(name): int(row[space.position(name)]) for name in fixed if name in space.names}
    nearest = opened.valid.nearest(row, kept)
    return Violation(
        conditions=_violated(opened, row),
        nearest=None if nearest is None else chosen(space, nearest, np.ones(len(nearest), dtype=bool)),
        changes=()
        if nearest is None
        else tuple(
            (space.options[place].name, space.options[place].text(int(nearest[place])))
            for place in np.flatnonzero(nearest != row)
        ),
    )


def _opened(row: StoredFeatureModel, space: OptionSpace) -> OpenFeatureModel:
    folding, asked, valid = _decided(json.dumps(row.payload, sort_keys=True), space)
    return OpenFeatureModel(row, folding, asked, valid)


@lru_cache(maxsize=_KEPT)
def _decided(
    payload: str, space: OptionSpace
) -> tuple[Folding, tuple[Condition, ...], DecidedConfigurations]:
    folding = fold(model_of(json.loads(payload)))
    return folding, conditions(folding), decide(folding, space)


def _violated(opened: OpenFeatureModel, row: IntArray) -> tuple[str, ...]:
    """The conditions that a configuration of the system's options violates, in words."""
    space, own = opened.valid.space, opened.folding.space
    configuration = own.reference
    for place, option in enumerate(own.options):
        target = space.options[space.position(option.name)]
        at = int(row[space.position(option.name)])
        level = own_levels(option, target)[at]
        if level is None:
            return (f"{option.name} has no level {target.text(at)} in the feature model",)
        configuration[place] = level
    return tuple(one.words for one in violated(opened.folding, opened.conditions, configuration))
