"""The feature model of a system: its features, its valid configurations, and what a configuration violates."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.configurations.feature_models.conditions import Condition, conditions, violated
from analytics.configurations.feature_models.expressions import features_in
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.valid import own_levels
from analytics.configurations.feature_models.valid import valid_configurations as decide
from analytics.configurations.options import OptionSpace
from analytics.configurations.validity import ValidConfigurations
from dashboard.importers.feature_records import model_of
from dashboard.models import Batch, StoredFeatureModel, System
from dashboard.selectors.configurations import chosen, options_of
from dashboard.selectors.model_rows import ChosenConfiguration

_KEPT = 16  # models whose decision diagrams stay in memory


@dataclass(frozen=True, slots=True)
class OpenFeatureModel:
    """A feature model that is ready for questions; `valid` is over the options of the system."""

    row: StoredFeatureModel
    folding: Folding
    conditions: tuple[Condition, ...]
    valid: ValidConfigurations

    @property
    def combinations(self) -> int:
        """The number of all combinations of levels, valid or not."""
        return math.prod(self.valid.space.sizes)


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """A feature of the tree, `depth` steps below the root.

    `kind` tells how it can be chosen: root, mandatory, optional, alternative or number. `values` are those of a
    numeric feature, `option` and `level` what it became, blank where it is always present.
    """

    name: str
    depth: int
    kind: str
    values: tuple[str, ...]
    option: str
    level: str
    output: str


@dataclass(frozen=True, slots=True)
class Violation:
    """What a configuration violates, in words, and the nearest valid one, where there is one."""

    conditions: tuple[str, ...]
    by_option: Mapping[str, tuple[str, ...]]
    """Those of them that an option takes part in."""
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
    if row is None:
        return None
    return OpenFeatureModel(row, *_decided(json.dumps(row.payload, sort_keys=True), options_of(system)))


def feature_tree(folding: Folding) -> tuple[FeatureRow, ...]:
    """All features, each followed by those below it."""
    children = folding.model.children()
    grouped = {feature.name for members in folding.groups.values() for feature in members}
    found: list[FeatureRow] = []
    waiting = [(folding.model.features[0], 0)]
    while waiting:
        feature, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in reversed(children[feature.name])]
        if feature.parent is None:
            kind = "root"
        elif feature.values is not None:
            kind = "optional number" if feature.optional else "number"
        elif feature.name in grouped:
            kind = "alternative"
        else:
            kind = "optional" if feature.optional else "mandatory"
        option, levels = folding.presences[feature.name].option, folding.presences[feature.name].levels
        texts = () if option is None else tuple(folding.option(option).text(level) for level in levels)
        is_number = feature.values is not None
        found.append(
            FeatureRow(
                name=feature.name,
                depth=depth,
                kind=kind,
                values=texts if is_number else (),
                option=option or "",
                level=texts[0] if len(texts) == 1 and not is_number else "",
                output=feature.output,
            )
        )
    return tuple(found)


def valid_configurations(system: System) -> ValidConfigurations:
    """The valid configurations of a system: all of them where it has no feature model."""
    opened = feature_model_of(system)
    return ValidConfigurations.unconstrained(options_of(system)) if opened is None else opened.valid


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
    row = space.reference
    for name in levels.keys() & set(space.names):
        row[space.position(name)] = space.options[space.position(name)].index_of_text(levels[name])
    if opened.valid.allows(row[np.newaxis])[0]:
        return None
    own = opened.folding.space
    configuration = own.reference
    for place, option in enumerate(own.options):
        position = space.position(option.name)
        target, at = space.options[position], int(row[position])
        level = own_levels(option, target)[at]
        if level is None:
            broken: tuple[str, ...] = (f"{option.name} has no level {target.text(at)} in the feature model",)
            by_option: dict[str, tuple[str, ...]] = {option.name: broken}
            break
        configuration[place] = level
    else:
        unmet = violated(opened.folding, opened.conditions, configuration)
        broken, by_option = tuple(condition.words for condition in unmet), {}
        for condition in unmet:
            presences = (opened.folding.presences[name] for name in features_in(condition.expression))
            for option_name in {one.option for one in presences if one.option is not None}:
                by_option[option_name] = (*by_option.get(option_name, ()), condition.words)
    kept = {space.position(name): int(row[space.position(name)]) for name in fixed if name in space.names}
    nearest = opened.valid.nearest(row, kept)
    if nearest is None:
        return Violation(broken, by_option, None, ())
    changes = tuple(
        (space.options[place].name, space.options[place].text(int(nearest[place])))
        for place in np.flatnonzero(nearest != row)
    )
    return Violation(broken, by_option, chosen(space, nearest, np.ones(len(nearest), dtype=bool)), changes)


@lru_cache(maxsize=_KEPT)
def _decided(payload: str, space: OptionSpace) -> tuple[Folding, tuple[Condition, ...], ValidConfigurations]:
    folding = fold(model_of(json.loads(payload)))
    return folding, conditions(folding), decide(folding, space)
