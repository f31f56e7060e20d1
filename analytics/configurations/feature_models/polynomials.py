"""Arithmetic over features as polynomials with exact coefficients."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.expressions import Expression, Named, Number, Operation

# {sorted features of a product: its coefficient}; a numeric feature may be there several times.
Polynomial = Mapping[tuple[str, ...], Fraction]
MAX_PRODUCTS = 2_000

_HOLDS: Mapping[str, Callable[[Fraction], bool]] = {
    "=": lambda left: left == 0,
    "!=": lambda left: left != 0,
    "<": lambda left: left < 0,
    "<=": lambda left: left <= 0,
    ">": lambda left: left > 0,
    ">=": lambda left: left >= 0,
}


def holds(operator: str, difference: Fraction) -> bool:
    """Whether `left operator right` holds, given left - right."""
    return _HOLDS[operator](difference)


def is_comparison(operator: str) -> bool:
    """Whether `operator` compares two numbers."""
    return operator in _HOLDS


def polynomial(expression: Expression, numeric: frozenset[str]) -> Polynomial:
    """`expression` multiplied out; powers of features that are not `numeric` fall together.

    Raises `FeatureModelError` for what is no arithmetic, a divisor that is not a number, and too many products.
    """
    match expression:
        case Number(value):
            return _tidy({(): value})
        case Named(feature):
            return {(feature,): Fraction(1)}
        case Operation("+", parts):
            return _added([polynomial(part, numeric) for part in parts])
        case Operation("-", (part,)):
            return {product: -factor for product, factor in polynomial(part, numeric).items()}
        case Operation("*", parts):
            one: Polynomial = {(): Fraction(1)}
            return reduce(
                lambda left, part: _multiplied(left, polynomial(part, numeric), numeric), parts, one
            )
        case Operation("/", (part, divisor)):
            below = polynomial(divisor, numeric)
            if set(below) != {()}:
                raise FeatureModelError("a divisor must be a number, and not zero")
            return {product: factor / below[()] for product, factor in polynomial(part, numeric).items()}
        case Operation(operator, _):
            raise FeatureModelError(f"{operator} stands where a number is needed")


def _added(parts: Sequence[Polynomial]) -> Polynomial:
    total: dict[tuple[str, ...], Fraction] = {}
    for part in parts:
        for product, factor in part.items():
            total[product] = total.get(product, Fraction()) + factor
    return _tidy(total)


def _multiplied(left: Polynomial, right: Polynomial, numeric: frozenset[str]) -> Polynomial:
    if len(left) * len(right) > MAX_PRODUCTS:
        raise FeatureModelError(f"multiplied out, it has more than {MAX_PRODUCTS} products")
    found: dict[tuple[str, ...], Fraction] = {}
    for one, factor in left.items():
        for other, times in right.items():
            names = [*one, *(name for name in other if name in numeric or name not in one)]
            product = tuple(sorted(names))
            found[product] = found.get(product, Fraction()) + factor * times
    return _tidy(found)


def _tidy(terms: Mapping[tuple[str, ...], Fraction]) -> Polynomial:
    return {product: factor for product, factor in terms.items() if factor}


def substituted(terms: Polynomial, values: Mapping[str, Fraction]) -> Polynomial:
    """`terms` with numbers in the place of some features."""
    found: dict[tuple[str, ...], Fraction] = {}
    for product, factor in terms.items():
        rest = []
        for name in product:
            if name in values:
                factor *= values[name]  # noqa: PLW2901 -- the running product
            else:
                rest.append(name)
        key = tuple(rest)
        found[key] = found.get(key, Fraction()) + factor
    return _tidy(found)


def check_arithmetic(expression: Expression) -> None:
    """Raise `FeatureModelError` where a condition compares or counts what is no polynomial."""
    match expression:
        case Operation("!" | "&" | "|" | "=>" | "<=>", parts):
            for part in parts:
                check_arithmetic(part)
        case Operation(operator, (left, right)) if is_comparison(operator):
            polynomial(Operation("+", (left, right)), frozenset())
        case _:
            polynomial(expression, frozenset())
