"""The language of constraints: features, numbers, arithmetic, comparisons and boolean operators.

Weakest first: `<=>`, `=>`, `|`, `&`, `= !=`, `< <= > >=`, `+ -`, `* /`, `!`. `->` and `<->` are other ways to write
`=>` and `<=>`, `~` one for `!`, `==` one for `=`. As a condition a feature means that it is present, any other number
that it is not zero; as a number a binary feature is 0 or 1, a numeric one its value, or 0 where it is absent.
"""

import re
from collections.abc import Iterable
from fractions import Fraction

from analytics.configurations.errors import ConstraintSyntaxError
from analytics.configurations.operations import Language, Operation, Reader

MAX_DEPTH = 50
MAX_TOKENS = 20_000
_CONSTRAINTS = Language(
    levels=(("<=>",), ("=>",), ("|",), ("&",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/")),
    operand="a feature or number",
    max_depth=MAX_DEPTH,
    spellings={"->": "=>", "<->": "<=>", "~": "!", "==": "=", "&&": "&", "||": "|"},
)
_OPERATORS = r"<=>|<->|=>|->|<=|>=|!=|==|&&|\|\||[|&=<>+\-*/!~()]"
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?(?!\w)"
_PLAIN = r"[^\W\d][\w.]*"


# A number, exact as it is written, the name of a feature, or operators over these.
Expression = Fraction | str | Operation


def parse(text: str, names: Iterable[str] = ()) -> Expression:
    """The expression written in `text`; `names` are features whose names are no plain words.

    Raises `ConstraintSyntaxError`. Numbers may have at most two digits of exponent.
    """
    odd = sorted((name for name in names if not re.fullmatch(_PLAIN, name)), key=len, reverse=True)
    words = "|".join([*(re.escape(name) + r"(?!\w)" for name in odd), _PLAIN])
    pattern = re.compile(rf"\s*(?:(?P<name>{words})|(?P<number>{_NUMBER})|(?P<operator>{_OPERATORS}))")
    reader = Reader(
        _CONSTRAINTS,
        text,
        pattern,
        lambda token: Fraction(token["number"]) if token["number"] else str(token["name"]),
        ConstraintSyntaxError,
    )
    if len(reader.tokens) > MAX_TOKENS:
        raise ConstraintSyntaxError(reader.tokens[MAX_TOKENS - 1].end(), f"more than {MAX_TOKENS} words")
    found: Expression = reader.read()
    return found


def features_in(expression: Expression) -> tuple[str, ...]:
    """The features that `expression` names, each once, in the order of the text."""
    if isinstance(expression, Operation):
        return tuple(dict.fromkeys(name for part in expression.parts for name in features_in(part)))
    return (expression,) if isinstance(expression, str) else ()
