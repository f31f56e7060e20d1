"""The values of a numeric option: listed, or counted by a step function from the least to the largest."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from analytics.configurations.errors import FeatureModelError
from analytics.configurations.feature_models.expressions import features_in, parse
from analytics.configurations.feature_models.polynomials import polynomial, substituted
from analytics.configurations.options import MAX_LEVELS
from dashboard.importers.errors import FileFaults
from dashboard.importers.limits import FARTHEST
from dashboard.importers.numbers import is_number
from dashboard.importers.xml_elements import Element

HELD = MAX_LEVELS - 1  # one level is kept for "absent"
_LONGEST = 80  # characters of a number: exact fractions of longer ones take too long
_MOST_BITS = 1 << 16  # of a fraction: a square of the last value has twice as many at each step
# The values of an option, by its name, that were measured.
Measured = Callable[[str], Iterable[float]]
_ONE_NAME = "the step function must name the last value by one name, in a power up to two"
_STEP = "Write it as x + 2 or x * 2"


def values_of(
    option: Element, faults: FileFaults, most: int = HELD, measured: Measured | None = None
) -> tuple[float, ...]:
    """The values in ascending order, at most `most`; an empty tuple, with faults noted, where they are undefined.

    Of a range with more values in steps of one size those that were `measured` count, where that is known.
    """
    listed = option.child("values")
    least, largest = option.child("minValue"), option.child("maxValue")
    if listed is not None and (least is not None or largest is not None):
        faults.add("both values and a range are given", "Keep one of the two", line=listed.line)
        return ()
    if listed is not None:
        texts = [text.strip() for text in listed.text.split(";") if text.strip()]
        if not 1 <= len(texts) <= most:
            problem = f"lists {len(texts)} values; between 1 and {most} can be told apart"
            remedy = "List the values that are measured, separated by ;"
            faults.add(problem, remedy, line=listed.line)
            texts = []
        numbers = [_number(listed, text, faults) for text in texts]
        values = sorted(float(number) for number in numbers if number is not None)
        if len(set(values)) < len(values):
            faults.add("a value is listed twice", "Keep one of the two", line=listed.line)
        return tuple(values)
    if least is None or largest is None:
        problem = "a numeric option has neither values nor minValue and maxValue"
        faults.add(problem, "Write its range or its values", line=option.line)
        return ()
    first, last = _number(least, least.text, faults), _number(largest, largest.text, faults)
    if first is None or last is None:
        return ()
    if first > last:
        problem = f"minValue {least.text} is above maxValue {largest.text}"
        faults.add(problem, "Exchange them", line=least.line)
        return ()
    return _stepped(option, (first, last), faults, most, measured)


def _number(element: Element, text: str, faults: FileFaults) -> Fraction | None:
    """A number, with a comma or a point; None, with a fault noted, where it is none."""
    written = text.replace(",", ".")
    if len(written) > _LONGEST or not is_number(written) or abs(Fraction(written)) > Fraction(FARTHEST):
        faults.add(f"{element.tag} is no number", "Write a number", line=element.line, value=text)
        return None
    return Fraction(written)


def _stepped(
    option: Element,
    ends: tuple[Fraction, Fraction],
    faults: FileFaults,
    most: int,
    measured: Measured | None,
) -> tuple[float, ...]:
    (first, last), line = ends, option.line_of("stepFunction")
    # Steps of 1 where no function is given.
    text = option.text_of("stepFunction").replace(",", ".") or "x + 1"
    try:
        expression = parse(text)
        names = features_in(expression)
        factors = polynomial(expression, frozenset(names))
    except FeatureModelError as error:
        faults.add(f"the step function cannot be read: {error}", _STEP, line=line, value=text)
        return ()
    if len(names) != 1 or max(map(len, factors), default=0) > 2:
        faults.add(_ONE_NAME, _STEP, line=line, value=text)
        return ()
    # The next value as a polynomial in `x`, the last one.
    terms = {("x",) * len(product): factor for product, factor in factors.items()}
    step, even = terms.get((), Fraction()), terms.get(("x",)) == 1 and len(terms) == 2
    if measured is not None and even and 0 < step < (last - first) / most:
        told = sorted({Fraction(repr(float(value))) for value in measured(option.text_of("name"))})
        held = [float(one) for one in told if first <= one <= last and (one - first) % step == 0]
        return tuple(held or [float(first)])
    values = [first]
    while len(values) <= most:
        following = substituted(terms, {"x": values[-1]}).get((), Fraction())
        if following > last:
            return tuple(map(float, values))
        longer = following.denominator.bit_length() > _MOST_BITS
        if longer or following <= values[-1]:
            why = ", which has so many digits that the next one takes too long" if longer else ""
            problem = f"the step from {float(values[-1]):g} leads to {float(following):g}{why}"
            faults.add(problem, "Let each step lead to a larger value, or list the values", line=line)
            return ()
        values.append(following)
    remedy = "Take larger steps, or list the values that are measured"
    faults.add(f"the range has more than {most} values, which cannot be told apart", remedy, line=line)
    return ()
