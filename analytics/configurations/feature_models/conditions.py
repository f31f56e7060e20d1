"""What a configuration must satisfy, condition by condition, in words and as an expression over features."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.expressions import (
    Expression,
    Named,
    Number,
    Operation,
    Operator,
    features_in,
    parse,
)
from analytics.configurations.feature_models.features import Constraint, Feature, rivals
from analytics.configurations.feature_models.folding import EVERYWHERE, Folding, Presence
from analytics.configurations.feature_models.polynomials import holds, is_comparison
from analytics.configurations.options import IntArray


@dataclass(frozen=True, slots=True)
class Condition:
    """Something every valid configuration satisfies, and how a person would say it."""

    words: str
    expression: Expression


def conditions(folding: Folding) -> tuple[Condition, ...]:
    """Everything that levels alone do not ensure. Raises `ConstraintSyntaxError`."""
    return tuple(
        condition
        for condition in (*_of_tree(folding), *_across(folding), *_written(folding))
        if condition is not None
    )


def expression_of(constraint: Constraint, names: tuple[str, ...] = ()) -> Expression:
    """What `constraint` asks for, with its requirement and its sign. Raises `ConstraintSyntaxError`."""
    asked = parse(constraint.text, names)
    if constraint.negated:
        asked = Operation("!", (asked,))
    features = features_in(asked)
    if constraint.kind == "boolean" or constraint.requirement == "none" or not features:
        return asked
    present = Named(features[0]) if len(features) == 1 else Operation("&", tuple(map(Named, features)))
    return Operation("=>", (present, asked))


def violated(
    folding: Folding, among: tuple[Condition, ...], configuration: IntArray
) -> tuple[Condition, ...]:
    """Those of `among` that `configuration`, shape (n_options,), does not satisfy."""
    values = _values(folding, configuration)
    return tuple(condition for condition in among if not _truth(condition.expression, values))


def _any(names: tuple[str, ...]) -> Expression:
    return Named(names[0]) if len(names) == 1 else Operation("|", tuple(map(Named, names)))


def _of_tree(folding: Folding) -> Iterator[Condition]:
    """Children need their parents; what is mandatory is there with its parent."""
    for members in folding.groups.values():
        yield from _of_group(folding, tuple(feature.name for feature in members), members[0].parent or "")
    grouped = {feature.name for members in folding.groups.values() for feature in members}
    apart = rivals(folding.model)
    for feature in folding.model.features:
        parent = feature.parent
        if parent is None or feature.name in grouped:
            continue
        unpaired = tuple(sorted({feature.name, *apart.get(feature.name, ())}))
        if len(unpaired) > 1:
            # Exactly one of several, where not each excludes each.
            words = f"where {parent} is there, exactly one of {', '.join(unpaired)} is"
            total = Operation("+", tuple(map(Named, unpaired)))
            exactly = Operation("=", (total, Number(Fraction(1))))
            yield Condition(words, Operation("=>", (Named(parent), exactly)))
        own = folding.presences[feature.name]
        if own == folding.presences[parent] or folding.presences[parent] == EVERYWHERE:
            continue
        together = feature.values is not None and not feature.optional
        operator: Operator = "<=>" if together else "=>"
        words = (
            f"{feature.name} is there exactly where {parent} is"
            if together
            else f"{feature.name} needs {parent}"
        )
        yield Condition(words, Operation(operator, (Named(feature.name), Named(parent))))


def _of_group(folding: Folding, names: tuple[str, ...], parent: str) -> Iterator[Condition]:
    """The parent needs one of the group's features, unless it is there exactly where the group's option has a level."""
    above = folding.presences[parent]
    levels = tuple(sorted(level for name in names for level in folding.presences[name].levels))
    if above not in {EVERYWHERE, Presence(folding.presences[names[0]].option, levels)}:
        words = f"exactly where {parent} is there, one of {', '.join(names)} is"
        yield Condition(words, Operation("<=>", (_any(names), Named(parent))))


def _across(folding: Folding) -> Iterator[Condition]:
    """Implied and excluded features; what one option's levels exclude already is left out."""
    excluded: set[frozenset[str]] = set()
    for feature in folding.model.features:
        for entry in feature.implied:
            words = f"{feature.name} needs {' or '.join(entry)}"
            yield Condition(words, Operation("=>", (Named(feature.name), _any(entry))))
        for entry in feature.excluded:
            pair = frozenset((feature.name, *entry))
            if pair in excluded or _apart_by_levels(folding, feature, entry):
                continue
            excluded.add(pair if len(entry) == 1 else frozenset())
            words = f"{feature.name} and {' or '.join(entry)} exclude each other"
            absent = Operation("!", (_any(entry),))
            yield Condition(words, Operation("=>", (Named(feature.name), absent)))


def _apart_by_levels(folding: Folding, feature: Feature, entry: tuple[str, ...]) -> bool:
    own = folding.presences[feature.name]
    others = [folding.presences[name] for name in entry]
    return own.option is not None and all(
        other.option == own.option and not set(other.levels) & set(own.levels) for other in others
    )


def _written(folding: Folding) -> Iterator[Condition]:
    names = tuple(feature.name for feature in folding.model.features)
    for constraint in folding.model.constraints:
        expression = expression_of(constraint, names)
        if unknown := [name for name in features_in(expression) if name not in folding.model]:
            raise FeatureModelError(
                f"the constraint {constraint.text!r} names {unknown[0]!r}, which is no feature"
            )
        yield Condition(words_of(constraint), expression)


def words_of(constraint: Constraint) -> str:
    """`constraint` as a person would read it."""
    text = " ".join(constraint.text.split())
    words = f"not ({text})" if constraint.negated else text
    if constraint.kind != "boolean" and constraint.requirement == "all":
        return f"{words}, where all of these are there"
    return words


def _values(folding: Folding, configuration: IntArray) -> dict[str, Fraction | None]:
    """For each feature its number, None where it is absent."""
    found: dict[str, Fraction | None] = {}
    for feature in folding.model.features:
        presence = folding.presences[feature.name]
        if presence.option is None:
            found[feature.name] = Fraction(1)
            continue
        level = int(configuration[folding.space.position(presence.option)])
        if level not in presence.levels:
            found[feature.name] = None
        elif feature.values is None:
            found[feature.name] = Fraction(1)
        else:
            found[feature.name] = exact(feature.values[level - presence.levels[0]])
    return found


def exact(value: float) -> Fraction:
    """A number as its shortest decimal notation says: 0.1 is a tenth."""
    return Fraction(repr(float(value)))


Values = Mapping[str, Fraction | None]


def _truth(expression: Expression, values: Values) -> bool:  # noqa: PLR0911 -- a case per operator
    match expression:
        case Named(feature):
            return values[feature] is not None
        case Operation("!", (part,)):
            return not _truth(part, values)
        case Operation("&", parts):
            return all(_truth(part, values) for part in parts)
        case Operation("|", parts):
            return any(_truth(part, values) for part in parts)
        case Operation("=>", (left, right)):
            return not _truth(left, values) or _truth(right, values)
        case Operation("<=>", (left, right)):
            return _truth(left, values) == _truth(right, values)
        case Operation(operator, (left, right)) if is_comparison(operator):
            return holds(operator, _number(left, values) - _number(right, values))
    return _number(expression, values) != 0


def _number(expression: Expression, values: Values) -> Fraction:
    match expression:
        case Number(value):
            return value
        case Named(feature):
            return values[feature] or Fraction()
        case Operation("-", (part,)):
            return -_number(part, values)
        case Operation("+", parts):
            return sum((_number(part, values) for part in parts), Fraction())
        case Operation("*", parts):
            product = Fraction(1)
            for part in parts:
                product *= _number(part, values)
            return product
        case Operation("/", (part, divisor)):
            return _number(part, values) / _number(divisor, values)
        case Operation(operator, _):
            raise FeatureModelError(f"{operator} stands where a number is needed")
