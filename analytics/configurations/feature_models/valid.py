"""From a feature model to its valid configurations."""

import numpy as np
from oxidd.bdd import BDDFunction

from analytics.configurations.diagrams import close_order, layered
from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.conditions import Condition, conditions
from analytics.configurations.feature_models.expressions import features_in
from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.feature_models.solving import Solver
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations


def valid_configurations(folding: Folding, space: OptionSpace | None = None) -> ValidConfigurations:
    """The valid configurations over the options of `folding`, or over those of `space`.

    `space` may hold further options, which are free, further levels, which are never valid, and levels in another
    order. Raises `ConstraintSyntaxError`, and `FeatureModelError` where an option of the model is missing in `space`
    or the diagram becomes too large.
    """
    target = folding.space if space is None else space
    missing = set(folding.space.names) - set(target.names)
    if missing:
        raise FeatureModelError(f"the system has no option {min(missing)!r} of its feature model")
    asked = conditions(folding)
    mentioned = [{folding.presences[name].option for name in features_in(one.expression)} for one in asked]
    edges = [[folding.space.position(option) for option in one if option is not None] for one in mentioned]
    order = close_order(len(folding.space.options), edges)
    solver = Solver(folding, order)
    names = [folding.space.names[position] for position in order]
    free = [name for name in target.names if name not in folding.space.names]
    options = [target.options[target.position(name)] for name in (*names, *free)]
    own = [own_levels(folding.option(name), option) for name, option in zip(names, options, strict=False)]

    def decide(place: int, level: int, left: BDDFunction) -> BDDFunction | None:
        index = own[place][level]
        rest = None if index is None else solver.follow(place, index, left)
        return rest if rest is not None and rest.satisfiable() else None

    everything = solver.conjunction(asked)
    if not names and not everything.satisfiable():
        raise FeatureModelError("no configuration is valid, and there is no option to choose")
    layers = layered([len(levels) for levels in own], everything, decide)
    unasked = (np.zeros((1, len(option.levels)), dtype=np.int64) for option in options[len(names) :])
    return ValidConfigurations(
        target, tuple(target.position(option.name) for option in options), (*layers, *unasked)
    )


def first_contradiction(folding: Folding) -> Condition:
    """The first condition that nothing satisfies beside those before it; for a model without valid configurations.

    Raises as `valid_configurations` does.
    """
    asked = conditions(folding)
    solver = Solver(folding, range(len(folding.space.options)))
    return next(
        condition
        for last, condition in enumerate(asked, start=1)
        if not solver.conjunction(asked[:last]).satisfiable()
    )


def own_levels(own: Option, target: Option) -> list[int | None]:
    """For each level of `target` the index of the same level of `own`, None where it has none.

    Levels are the same if they are equal, as off and 0 are, or else if they are written alike.
    """
    texts = {own.text(index): index for index in range(len(own.levels))}
    return [
        own.levels.index(level) if level in own.levels else texts.get(target.text(index))
        for index, level in enumerate(target.levels)
    ]
