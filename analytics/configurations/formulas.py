"""Formulas that say which configurations belong to a subspace.

    formula := term {'|' term}
    term    := unit {'&' unit}
    unit    := '!' unit | '(' formula ')' | 'True' | option | option '=' level

`option` alone means: at any level but its reference level (for a binary option: at the other one).
`option=level` means: at exactly this level; levels with spaces or operators are quoted, `mode="very fast"`.

Names may hold dashes and dots, so every atom is first replaced by a plain identifier. The result is a
Python expression with the same precedence, which the standard library's `ast` parses; nothing is run.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.errors import FormulaSyntaxError
from analytics.configurations.options import OptionSpace

BoolArray = NDArray[np.bool_]

_TOKEN = re.compile(r'\s*(?:([&|!()])|([^\s&|!()="]+)(?:\s*=\s*(?:"([^"]+)"|([^\s&|!()="]+)))?)')
MAX_DEPTH = 100
_MEMORY = 1 << 16  # the largest published system has 22,000 formulas


@dataclass(frozen=True, slots=True)
class Literal:
    """Option `option` is at the level written `level`; None: at any level but its reference."""

    option: str
    level: str | None


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where `part` does not."""

    part: "Formula"


@dataclass(frozen=True, slots=True)
class And:
    """Holds where all `parts` do; without parts, for every configuration."""

    parts: tuple["Formula", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Holds where at least one of `parts` does."""

    parts: tuple["Formula", ...]


Formula = Literal | Not | And | Or


@lru_cache(maxsize=_MEMORY)
def parse(text: str) -> Formula:
    """The formula written in `text`; remembered per distinct text. Raises `FormulaSyntaxError`."""
    tokens = _tokens(text)
    # As Python writes it; an atom becomes a name that tells where it stands.
    pieces = [token[1].replace("!", "~") if token[1] else f"a{token.start()}" for token in tokens]
    atoms = {piece: token for piece, token in zip(pieces, tokens, strict=True) if piece[0] == "a"}

    def build(node: ast.expr, depth: int = 0) -> Formula:
        if depth > MAX_DEPTH:
            raise FormulaSyntaxError(text, 0, f"nested more than {MAX_DEPTH} deep; the formula starting")
        match node:
            case ast.Name(id=name):
                _, option, quoted, plain = atoms[name].groups()
                level = quoted or plain
                return And(()) if option == "True" and level is None else Literal(option, level)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return Not(build(operand, depth + 1))
            case ast.BinOp(op=ast.BitAnd()):
                return And(tuple(build(part, depth + 1) for part in _operands(node, ast.BitAnd)))
            case ast.BinOp(op=ast.BitOr()):
                return Or(tuple(build(part, depth + 1) for part in _operands(node, ast.BitOr)))
        # Python reads `A (B)` as a call and `()` as a tuple; the grammar has neither.
        at = _original(text, tokens, pieces, (node.end_col_offset or 1) - 1)
        raise FormulaSyntaxError(text, at, "an operator or option is missing")

    return build(_tree(text, tokens, pieces))


def _tree(text: str, tokens: list[re.Match[str]], pieces: list[str]) -> ast.expr:
    """The Python expression of `pieces`, parsed; what Python refuses is reported at its place in `text`."""
    try:
        return ast.parse(" ".join(pieces), mode="eval").body
    except SyntaxError as error:
        # Python reports offset 0 when the text ends too early.
        at = _original(text, tokens, pieces, error.offset - 1) if error.offset else len(text.rstrip())
        problem = f"unexpected {text[at]!r}" if error.offset else "something is missing"
        if "never closed" in error.msg:
            problem = "a parenthesis is never closed, opened"
        if "too many nested" in error.msg:
            problem = "too many nested parentheses"
        raise FormulaSyntaxError(text, at, problem) from None
    except (RecursionError, MemoryError):
        raise FormulaSyntaxError(text, 0, "too long or nested too deeply; the formula starting") from None


def _tokens(text: str) -> list[re.Match[str]]:
    """The tokens of `text`. Raises `FormulaSyntaxError` for characters that belong to none."""
    tokens = list(_TOKEN.finditer(text))
    at = 0
    for token in tokens:
        if token.start() != at:
            break
        at = token.end()
    rest = text[at:].lstrip()
    if rest:
        raise FormulaSyntaxError(text, len(text) - len(rest), f"unexpected {rest[0]!r}")
    if not tokens:
        raise FormulaSyntaxError(text, 0, "the formula is empty: write True for every configuration;")
    return tokens


def _original(text: str, tokens: list[re.Match[str]], pieces: list[str], offset: int) -> int:
    """The position in `text` of the token at `offset` of the Python expression."""
    start = 0
    for token, piece in zip(tokens, pieces, strict=True):
        start += len(piece) + 1
        if offset < start:
            return token.start(1) if token[1] else token.start(2)
    return len(text.rstrip())


def _operands(node: ast.expr, operator: type[ast.operator]) -> list[ast.expr]:
    """The operands of a chain `a & b & c` in order, found without recursion: chains may be long."""
    operands: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, operator):
        operands.append(node.right)
        node = node.left
    return [node, *reversed(operands)]


def literals(formula: Formula) -> Iterator[Literal]:
    """Every literal of `formula`, in the order of its text."""
    match formula:
        case Literal():
            yield formula
        case Not(part=part):
            yield from literals(part)
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from literals(part)


def holds(formula: Formula, literal: Callable[[Literal], BoolArray], size: int) -> BoolArray:
    """Where `formula` holds, shape (size,), given where each literal holds."""
    match formula:
        case Literal():
            return literal(formula)
        case Not(part=part):
            return ~holds(part, literal, size)
        case And(parts=parts):
            everywhere = np.ones(size, dtype=bool)
            return reduce(np.logical_and, (holds(part, literal, size) for part in parts), everywhere)
        case Or(parts=parts):
            return reduce(np.logical_or, (holds(part, literal, size) for part in parts))


def resolve(literal: Literal, space: OptionSpace) -> tuple[int, int | None]:
    """The position of the literal's option, and the index of its level or None."""
    position = space.position(literal.option)
    level = literal.level
    return position, None if level is None else space.options[position].index_of_text(level)


def words(formula: Formula, space: OptionSpace) -> str:
    """`formula` as a person says it: "codehilite on and fenced_code off"."""
    match formula:
        case And(parts=()):
            return "every configuration"
        case Literal():
            return _literal_words(formula, space, negated=False)
        case Not(part=Literal() as literal):
            return _literal_words(literal, space, negated=True)
        case Not(part=part):
            return f"not ({words(part, space)})"
        case And(parts=parts):
            return " and ".join(
                f"({words(part, space)})" if isinstance(part, Or) else words(part, space) for part in parts
            )
        case Or(parts=parts):
            return " or ".join(
                f"({words(part, space)})" if isinstance(part, And) else words(part, space) for part in parts
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
