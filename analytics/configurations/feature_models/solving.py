"""Conditions as one binary decision diagram, by OxiDD (docs/adr/0007-feature-model-solver.md)."""

from collections.abc import Sequence
from fractions import Fraction

from oxidd.bdd import BDDFunction, BDDManager
from oxidd.util import DDMemoryError

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.conditions import Condition, exact
from analytics.configurations.feature_models.expressions import (
    Expression,
    Named,
    Operation,
    features_in,
)
from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.feature_models.polynomials import (
    Polynomial,
    holds,
    is_comparison,
    polynomial,
    substituted,
)

MAX_NODES = 1 << 18
MAX_STEPS = 20_000  # partial sums of all comparisons together, some seconds
MAX_WORK = 1 << 24  # nodes of all diagrams that were joined one after the other, some seconds
_CACHE = 1 << 16


class Solver:
    """The conditions of a folding over bits: the level of each option in binary, most significant bit first.

    `order` lists the positions of the options, first decided first. Raises `FeatureModelError` where the diagram or a
    comparison becomes too large.
    """

    def __init__(self, folding: Folding, order: Sequence[int]) -> None:
        self.folding = folding
        self.order = tuple(order)
        self._place = {
            folding.space.options[position].name: place for place, position in enumerate(self.order)
        }
        self.bits = [
            (len(folding.space.options[position].levels) - 1).bit_length() for position in self.order
        ]
        self._first_bit = [sum(self.bits[:place]) for place in range(len(self.bits))]
        self._manager = BDDManager(MAX_NODES, _CACHE, 1)
        self._manager.add_vars(sum(self.bits))
        self._levels: dict[tuple[int, int], BDDFunction] = {}
        self._steps = 0

    def conjunction(self, conditions: Sequence[Condition]) -> BDDFunction:
        """Where all `conditions` hold and every option has a level that it knows."""
        try:
            found = self._manager.true()
            for place, position in enumerate(self.order):
                found = found & self._one_of(place, range(len(self.folding.space.options[position].levels)))
            work = 0
            for condition in conditions:
                found = found & self._truth(condition.expression)
                work += found.node_count()
                if work > MAX_WORK:
                    raise FeatureModelError("the model's constraints take too long to decide")
        except DDMemoryError:
            raise FeatureModelError(
                f"the model's constraints need more than {MAX_NODES} nodes of a decision diagram"
            ) from None
        return found

    def follow(self, place: int, level: int, function: BDDFunction) -> BDDFunction:
        """What is left of `function` once the option at `place` of the order has `level`."""
        for bit in range(self.bits[place]):
            variable = self._first_bit[place] + bit
            if function.node_var() == variable and (branches := function.cofactors()) is not None:
                function = branches[0 if level >> (self.bits[place] - 1 - bit) & 1 else 1]
        return function

    def _level(self, place: int, level: int) -> BDDFunction:
        if (place, level) not in self._levels:
            found = self._manager.true()
            for bit in range(self.bits[place]):
                variable = self._first_bit[place] + bit
                is_set = level >> (self.bits[place] - 1 - bit) & 1
                found = found & (self._manager.var(variable) if is_set else self._manager.not_var(variable))
            self._levels[place, level] = found
        return self._levels[place, level]

    def _one_of(self, place: int, levels: Sequence[int]) -> BDDFunction:
        found = self._manager.false()
        for level in levels:
            found = found | self._level(place, level)
        return found

    def _present(self, feature: str) -> BDDFunction:
        presence = self.folding.presences[feature]
        if presence.option is None:
            return self._manager.true()
        return self._one_of(self._place[presence.option], presence.levels)

    def _truth(self, expression: Expression) -> BDDFunction:  # noqa: PLR0911 -- a case per operator
        match expression:
            case Named(feature):
                return self._present(feature)
            case Operation("!", (part,)):
                return ~self._truth(part)
            case Operation("&", parts):
                found = self._manager.true()
                for part in parts:
                    found = found & self._truth(part)
                return found
            case Operation("|", parts):
                found = self._manager.false()
                for part in parts:
                    found = found | self._truth(part)
                return found
            case Operation("=>", (left, right)):
                return self._truth(left).imp(self._truth(right))
            case Operation("<=>", (left, right)):
                return self._truth(left).equiv(self._truth(right))
            case Operation(operator, (left, right)) if is_comparison(operator):
                return self._comparison(operator, Operation("+", (left, Operation("-", (right,)))))
        return self._comparison("!=", expression)

    def _comparison(self, operator: str, difference: Expression) -> BDDFunction:
        """Where `difference operator 0` holds: level after level is put in until a number is left."""
        numbers = self._numbers(features_in(difference))
        places = sorted(numbers)
        steps: dict[tuple[int, frozenset[tuple[tuple[str, ...], Fraction]]], BDDFunction] = {}

        def where(index: int, terms: Polynomial) -> BDDFunction:
            if not any(terms):
                difference = terms.get((), Fraction())
                return self._manager.true() if holds(operator, difference) else self._manager.false()
            key = index, frozenset(terms.items())
            if key not in steps:
                self._steps += 1
                if self._steps > MAX_STEPS:
                    raise FeatureModelError(f"comparisons have more than {MAX_STEPS} partial sums")
                found = self._manager.false()
                for level, values in enumerate(numbers[places[index]]):
                    rest = where(index + 1, substituted(terms, values))
                    found = found | (self._level(places[index], level) & rest)
                steps[key] = found
            return steps[key]

        presences = self.folding.presences
        constants = {name: Fraction(1) for name in features_in(difference) if presences[name].option is None}
        return where(0, substituted(polynomial(difference, self.folding.numeric), constants))

    def _numbers(self, features: Sequence[str]) -> dict[int, list[dict[str, Fraction]]]:
        """For each place whose option tells some of `features`: their numbers at each of its levels."""
        found: dict[int, list[dict[str, Fraction]]] = {}
        for name in features:
            presence = self.folding.presences[name]
            if presence.option is None:
                continue
            levels = range(len(self.folding.option(presence.option).levels))
            rows = found.setdefault(self._place[presence.option], [{} for _ in levels])
            values = self.folding.model.feature(name).values
            for level in levels:
                if level not in presence.levels:
                    rows[level][name] = Fraction()
                else:
                    rows[level][name] = (
                        Fraction(1) if values is None else exact(values[level - presence.levels[0]])
                    )
        return found
