"""From a feature model to its valid configurations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.conditions import Condition, conditions
from analytics.configurations.feature_models.diagrams import DecidedConfigurations
from analytics.configurations.feature_models.expressions import features_in
from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.feature_models.solving import Solver
from analytics.configurations.options import IntArray, Option, OptionSpace

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction

MAX_ROWS = 1 << 17  # nodes of the layered diagram


def valid_configurations(folding: Folding, space: OptionSpace | None = None) -> DecidedConfigurations:
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
    levels = [own_levels(folding.option(name), target.options[target.position(name)]) for name in names]
    layers = _layers(solver, asked, levels)
    if not layers and not solver.conjunction(asked).satisfiable():
        raise FeatureModelError("no configuration is valid, and there is no option to choose")
    for name in free:
        layers.append(np.zeros((1, len(target.options[target.position(name)].levels)), dtype=np.int64))
    return DecidedConfigurations(
        target, tuple(target.position(name) for name in (*names, *free)), tuple(layers)
    )


def first_contradiction(folding: Folding) -> str:
    """The first condition, in words, that nothing satisfies beside those before it; blank where there is none.

    Raises as `valid_configurations` does.
    """
    asked = conditions(folding)
    solver = Solver(folding, range(len(folding.space.options)))
    for last, condition in enumerate(asked, start=1):
        if not solver.conjunction(asked[:last]).satisfiable():
            return condition.words
    return ""


def own_levels(own: Option, target: Option) -> list[int | None]:
    """For each level of `target` the index of the same level of `own`, None where it has none.

    Levels are the same if they are equal, as off and 0 are, or else if they are written alike.
    """
    texts = {own.text(index): index for index in range(len(own.levels))}
    return [
        own.levels.index(level) if level in own.levels else texts.get(target.text(index))
        for index, level in enumerate(target.levels)
    ]


def _layers(
    solver: Solver, asked: Sequence[Condition], levels: Sequence[Sequence[int | None]]
) -> list[IntArray]:
    """The layers of a diagram over whole options, read from the solver's over bits."""
    nodes = {solver.conjunction(asked): 0}
    layers = []
    rows = 0
    for place, own in enumerate(levels):
        after: dict[BDDFunction, int] = {}
        table = np.full((len(nodes), len(own)), -1, dtype=np.int64)
        for function, row in nodes.items():
            for column, level in enumerate(own):
                if level is not None:
                    rest = solver.follow(place, level, function)
                    if rest.satisfiable():
                        table[row, column] = after.setdefault(rest, len(after))
        after = after or {next(iter(nodes)): 0}  # nothing is valid: one node that no level reaches
        table[table < 0] = len(after)
        layers.append(table)
        rows += len(nodes)
        if rows > MAX_ROWS:
            raise FeatureModelError(f"the valid configurations need more than {MAX_ROWS} nodes")
        nodes = after
    return layers


_ROUNDS = 40


def close_order(n: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """The numbers 0 to n - 1 in an order that keeps the members of each edge close; few rounds, no randomness.

    Each round moves every number to the mean of the centres of its edges (FORCE: Aloul, Markov and Sakallah, GLSVLSI
    2003). The order with the smallest sum of spans is kept, the given one among equals.
    """
    wide = [np.unique(edge) for edge in edges if len(set(edge)) > 1]
    places = np.arange(n, dtype=np.float64)
    best, least = list(range(n)), _span(places, wide)
    for _ in range(_ROUNDS if wide else 0):
        pulls = np.zeros(n)
        counts = np.zeros(n)
        for edge in wide:
            pulls[edge] += places[edge].mean()
            counts[edge] += 1
        centres = np.where(counts > 0, pulls / np.maximum(counts, 1), places)
        order = np.argsort(centres, kind="stable")
        places = np.empty(n)
        places[order] = np.arange(n)
        span = _span(places, wide)
        if span < least:
            best, least = order.tolist(), span
    return best


def _span(places: np.ndarray, edges: Sequence[np.ndarray]) -> float:
    return float(sum(np.ptp(places[edge]) for edge in edges))
