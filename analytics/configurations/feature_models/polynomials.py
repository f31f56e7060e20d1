"""Arithmetic over features as polynomials with exact coefficients."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from math import prod

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.expressions import Expression
from analytics.configurations.operations import Operation, atoms

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


def comparison(atom: Expression, numeric: frozenset[str]) -> tuple[Callable[[Fraction], bool], Polynomial]:
    """An atom of a condition as a test of a polynomial: `a < b` is one of a - b, a number alone whether it is not 0.

    Raises as `polynomial` does.
    """
    if isinstance(atom, Operation) and atom.operator in _HOLDS:
        left, right = atom.parts
        return _HOLDS[atom.operator], polynomial(Operation("+", (left, Operation("-", (right,)))), numeric)
    return _HOLDS["!="], polynomial(atom, numeric)


def polynomial(expression: Expression, numeric: frozenset[str]) -> Polynomial:
    """`expression` multiplied out; powers of features that are not `numeric` fall together.

    Raises `FeatureModelError` for what is no arithmetic, a divisor that is not a number, and too many products.
    """
    match expression:
        case Fraction():
            return _summed([((), expression)])
        case str():
            return {(expression,): Fraction(1)}
        case Operation("+", parts):
            products = (item for part in parts for item in polynomial(part, numeric).items())
            return _summed(products)
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


def _multiplied(left: Polynomial, right: Polynomial, numeric: frozenset[str]) -> Polynomial:
    if len(left) * len(right) > MAX_PRODUCTS:
        raise FeatureModelError(f"multiplied out, it has more than {MAX_PRODUCTS} products")
    return _summed(
        (
            tuple(sorted([*one, *(name for name in other if name in numeric or name not in one)])),
            factor * times,
        )
        for one, factor in left.items()
        for other, times in right.items()
    )


def _summed(products: Iterable[tuple[tuple[str, ...], Fraction]]) -> Polynomial:
    """The sum of products with their coefficients, without those that add up to nothing."""
    total: dict[tuple[str, ...], Fraction] = {}
    for product, factor in products:
        total[product] = total.get(product, Fraction()) + factor
    return {product: factor for product, factor in total.items() if factor}


def substituted(terms: Polynomial, values: Mapping[str, Fraction]) -> Polynomial:
    """`terms` with numbers in the place of some features."""
    return _summed(
        (
            tuple(name for name in product if name not in values),
            prod((values[name] for name in product if name in values), start=factor),
        )
        for product, factor in terms.items()
    )


def check_arithmetic(expression: Expression) -> None:
    """Raise `FeatureModelError` where a condition compares or counts what is no polynomial."""
    for atom in atoms(expression):
        comparison(atom, frozenset())
