"""Conditions as one binary decision diagram, by OxiDD (docs/adr/0007-feature-model-solver.md)."""

from collections.abc import Collection, Sequence
from fractions import Fraction

from oxidd.bdd import BDDFunction, BDDManager
from oxidd.util import DDMemoryError

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.conditions import Condition
from analytics.configurations.feature_models.expressions import Expression
from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.feature_models.polynomials import Polynomial, comparison, substituted
from analytics.configurations.operations import truth

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
                found = found & truth(condition.expression, self._atom, self._manager.true())
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

    def _atom(self, part: Expression) -> BDDFunction:
        """Where a feature is present or a comparison holds: level after level is put in until a number is left."""
        if isinstance(part, str):
            presence = self.folding.presences[part]
            if presence.option is None:
                return self._manager.true()
            return self._one_of(self._place[presence.option], presence.levels)
        holds, compared = comparison(part, self.folding.numeric)
        constants, numbers = self._numbers({name for product in compared for name in product})
        places = sorted(numbers)
        steps: dict[tuple[int, frozenset[tuple[tuple[str, ...], Fraction]]], BDDFunction] = {}

        def where(index: int, terms: Polynomial) -> BDDFunction:
            if not any(terms):
                return self._manager.true() if holds(terms.get((), Fraction())) else self._manager.false()
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

        return where(0, substituted(compared, constants))

    def _numbers(
        self, features: Collection[str]
    ) -> tuple[dict[str, Fraction], dict[int, list[dict[str, Fraction]]]]:
        """The numbers of those that are always present, and of the others by place, at each level of the option there."""
        constants: dict[str, Fraction] = {}
        by_place: dict[int, list[dict[str, Fraction]]] = {}
        for name in features:
            option = self.folding.presences[name].option
            numbers = [
                number or Fraction() for number in self.folding.numbers(self.folding.model.feature(name))
            ]
            if option is None:
                (constants[name],) = numbers
                continue
            rows = by_place.setdefault(self._place[option], [{} for _ in numbers])
            for row, number in zip(rows, numbers, strict=True):
                row[name] = number
        return constants, by_place
