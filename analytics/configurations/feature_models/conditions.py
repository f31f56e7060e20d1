"""What a configuration must satisfy, condition by condition, in words and as an expression over features."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.expressions import Expression, features_in, parse
from analytics.configurations.feature_models.features import Constraint, rivals
from analytics.configurations.feature_models.folding import EVERYWHERE, Folding, Presence
from analytics.configurations.feature_models.polynomials import comparison, substituted
from analytics.configurations.operations import Operation, truth
from analytics.configurations.options import IntArray


@dataclass(frozen=True, slots=True)
class Condition:
    """Something every valid configuration satisfies, and how a person would say it."""

    words: str
    expression: Expression


def conditions(folding: Folding) -> tuple[Condition, ...]:
    """Everything that levels alone do not ensure. Raises `ConstraintSyntaxError`."""
    written = []
    names = tuple(feature.name for feature in folding.model.features)
    for constraint in folding.model.constraints:
        expression = expression_of(constraint, names)
        if unknown := [name for name in features_in(expression) if name not in folding.model]:
            raise FeatureModelError(
                f"the constraint {constraint.text!r} names {unknown[0]!r}, which is no feature"
            )
        written.append(Condition(words_of(constraint), expression))
    return (*_of_tree(folding), *_across(folding), *written)


def expression_of(constraint: Constraint, names: tuple[str, ...] = ()) -> Expression:
    """What `constraint` asks for, with its requirement and its sign. Raises `ConstraintSyntaxError`."""
    asked = parse(constraint.text, names)
    if constraint.negated:
        asked = Operation("!", (asked,))
    features = features_in(asked)
    if constraint.kind == "boolean" or constraint.requirement == "none" or not features:
        return asked
    return Operation("=>", (_joined("&", features), asked))


def violated(
    folding: Folding, among: tuple[Condition, ...], configuration: IntArray
) -> tuple[Condition, ...]:
    """Those of `among` that `configuration`, shape (n_options,), does not satisfy."""
    numbers: dict[str, Fraction | None] = {}
    for feature in folding.model.features:
        option = folding.presences[feature.name].option
        level = 0 if option is None else int(configuration[folding.space.position(option)])
        numbers[feature.name] = folding.numbers(feature)[level]
    counted = {name: number or Fraction() for name, number in numbers.items()}

    def atom(part: Expression) -> np.bool_:
        if isinstance(part, str):
            return np.bool_(numbers[part] is not None)
        holds, terms = comparison(part, folding.numeric)
        return np.bool_(holds(substituted(terms, counted).get((), Fraction())))

    everywhere: np.bool_ = np.bool_(1)
    return tuple(one for one in among if not truth(one.expression, atom, everywhere))


def _joined(operator: str, names: tuple[str, ...]) -> Expression:
    return names[0] if len(names) == 1 else Operation(operator, names)


def _of_tree(folding: Folding) -> Iterator[Condition]:
    """Children need their parents; what is mandatory is there with its parent."""
    presences = folding.presences
    for members in folding.groups.values():
        parent = members[0].parent or ""
        names = tuple(feature.name for feature in members)
        # The levels of the group's option may say already where the parent is.
        levels = tuple(sorted(level for name in names for level in presences[name].levels))
        if presences[parent] not in {EVERYWHERE, Presence(presences[names[0]].option, levels)}:
            words = f"exactly where {parent} is there, one of {', '.join(names)} is"
            yield Condition(words, Operation("<=>", (_joined("|", names), parent)))
    grouped = {feature.name for members in folding.groups.values() for feature in members}
    apart = rivals(folding.model)
    for feature in folding.model.features:
        if feature.parent is None or feature.name in grouped:
            continue
        unpaired = tuple(sorted({feature.name, *apart.get(feature.name, ())}))
        if len(unpaired) > 1:
            # Exactly one of several, where not each excludes each.
            words = f"where {feature.parent} is there, exactly one of {', '.join(unpaired)} is"
            exactly = Operation("=", (Operation("+", unpaired), Fraction(1)))
            yield Condition(words, Operation("=>", (feature.parent, exactly)))
        if presences[feature.parent] in {EVERYWHERE, presences[feature.name]}:
            continue
        if feature.values is not None and not feature.optional:
            words, operator = f"{feature.name} is there exactly where {feature.parent} is", "<=>"
        else:
            words, operator = f"{feature.name} needs {feature.parent}", "=>"
        yield Condition(words, Operation(operator, (feature.name, feature.parent)))


def _across(folding: Folding) -> Iterator[Condition]:
    """Implied and excluded features; what one option's levels exclude already is left out."""
    presences = folding.presences
    excluded: set[frozenset[str]] = set()
    for feature in folding.model.features:
        for entry in feature.implied:
            words = f"{feature.name} needs {' or '.join(entry)}"
            yield Condition(words, Operation("=>", (feature.name, _joined("|", entry))))
        for entry in feature.excluded:
            pair = frozenset((feature.name, *entry))
            own = presences[feature.name]
            apart_by_levels = own.option is not None and all(
                presences[name].option == own.option and not set(presences[name].levels) & set(own.levels)
                for name in entry
            )
            if pair in excluded or apart_by_levels:
                continue
            excluded.add(pair if len(entry) == 1 else frozenset())
            words = f"{feature.name} and {' or '.join(entry)} exclude each other"
            yield Condition(words, Operation("=>", (feature.name, Operation("!", (_joined("|", entry),)))))


def words_of(constraint: Constraint) -> str:
    """`constraint` as a person would read it."""
    text = " ".join(constraint.text.split())
    words = f"not ({text})" if constraint.negated else text
    if constraint.kind != "boolean" and constraint.requirement == "all":
        return f"{words}, where all of these are there"
    return words
