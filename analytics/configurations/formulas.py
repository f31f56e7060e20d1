"""Formulas that say which configurations belong to a subspace.

    formula := term {'|' term}
    term    := unit {'&' unit}
    unit    := '!' unit | '(' formula ')' | 'True' | option | option '=' level

`option` alone means: at any level but its reference level (for a binary option: at the other one).
`option=level` means: at exactly this level; levels with spaces or operators are quoted, `mode="very fast"`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.errors import FormulaSyntaxError
from analytics.configurations.operations import Language, Operation, Reader
from analytics.configurations.options import OptionSpace

BoolArray = NDArray[np.bool_]

_TOKEN = re.compile(
    r"""\s*(?:(?P<operator>[&|!()])|(?P<option>[^\s&|!()="]+)(?:\s*=\s*(?:"([^"]+)"|([^\s&|!()="]+)))?)"""
)
_FORMULAS = Language(levels=(("|",), ("&",)), operand="an option", max_depth=100)
_MEMORY = 1 << 16  # the largest published system has 22,000 formulas


@dataclass(frozen=True, slots=True)
class Literal:
    """Option `option` is at the level written `level`; None: at any level but its reference."""

    option: str
    level: str | None


# A literal, or `!`, `&` and `|` over formulas; `&` over none holds for every configuration.
Formula = Literal | Operation


@lru_cache(maxsize=_MEMORY)
def parse(text: str) -> Formula:
    """The formula written in `text`; remembered per distinct text. Raises `FormulaSyntaxError`."""
    if not text.strip():
        raise FormulaSyntaxError(text, 0, "the formula is empty: write True for every configuration;")

    def fault(position: int, problem: str) -> FormulaSyntaxError:
        return FormulaSyntaxError(text, position, problem)

    found: Formula = Reader(_FORMULAS, text, _TOKEN, _literal, fault).read()
    return found


def _literal(token: re.Match[str]) -> Formula:
    _, option, quoted, plain = token.groups()
    level = quoted or plain
    return Operation("&", ()) if option == "True" and level is None else Literal(option, level)


def resolve(literal: Literal, space: OptionSpace) -> tuple[int, int | None]:
    """The position of the literal's option, and the index of its level or None."""
    position = space.position(literal.option)
    level = literal.level
    return position, None if level is None else space.options[position].index_of_text(level)


def words(formula: Formula, space: OptionSpace) -> str:
    """`formula` as a person says it: "codehilite on and fenced_code off"."""
    match formula:
        case Operation("&", ()):
            return "every configuration"
        case Literal():
            return _literal_words(formula, space, negated=False)
        case Operation("!", (Literal() as literal,)):
            return _literal_words(literal, space, negated=True)
        case Operation("!", (part,)):
            return f"not ({words(part, space)})"
    joint, other = (" and ", "|") if formula.operator == "&" else (" or ", "&")
    mixed = (isinstance(part, Operation) and part.operator == other for part in formula.parts)
    return joint.join(
        f"({words(part, space)})" if is_mixed else words(part, space)
        for part, is_mixed in zip(formula.parts, mixed, strict=True)
    )


def _literal_words(literal: Literal, space: OptionSpace, *, negated: bool) -> str:
    position, level = resolve(literal, space)
    option = space.options[position]
    if len(option.levels) == 2:
        # Two levels: naming the one that holds reads better than denying the other.
        index = (1 if level is None else level) ^ negated
        written = ("off", "on")[index] if option.is_switch else f"is {option.text(index)}"
        return f"{option.name} {written}"
    denied = negated != (level is None)
    return f"{option.name} is {'not ' if denied else ''}{option.text(level or 0)}"
