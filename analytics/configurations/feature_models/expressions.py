"""The language of constraints: features, numbers, arithmetic, comparisons and boolean operators.

Weakest first: `<=>`, `=>`, `|`, `&`, `= !=`, `< <= > >=`, `+ -`, `* /`, `!`. `->` and `<->` are other ways to write
`=>` and `<=>`, `~` one for `!`, `==` one for `=`. As a condition a feature means that it is present, any other number
that it is not zero; as a number a binary feature is 0 or 1, a numeric one its value, or 0 where it is absent.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from analytics.configurations.errors import ConstraintSyntaxError

Operator = Literal["<=>", "=>", "|", "&", "=", "!=", "<", "<=", ">", ">=", "+", "*", "/", "!", "-"]
MAX_DEPTH = 50
MAX_TOKENS = 20_000
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("<=>",),
    ("=>",),
    ("|",),
    ("&",),
    ("=", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/"),
)
_SPELLINGS = {"->": "=>", "<->": "<=>", "~": "!", "==": "=", "&&": "&", "||": "|"}
_OPERATORS = r"<=>|<->|=>|->|<=|>=|!=|==|&&|\|\||[|&=<>+\-*/!~()]"
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?(?!\w)"
_PLAIN = r"[^\W\d][\w.]*"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, exact."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Named:
    """A feature."""

    feature: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator over its parts; `-` and `!` have one part, `+ * | &` any number, the others two."""

    operator: Operator
    parts: tuple["Expression", ...]


Expression = Number | Named | Operation


def parse(text: str, names: Iterable[str] = ()) -> Expression:
    """The expression written in `text`; `names` are features whose names are no plain words.

    Raises `ConstraintSyntaxError`. Numbers may have at most two digits of exponent.
    """
    return _Parser(text, names).whole()


def features_in(expression: Expression) -> tuple[str, ...]:
    """The features that `expression` names, each once, in the order of the text."""
    found: dict[str, None] = {}
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case Named(feature):
                found[feature] = None
            case Operation(_, parts):
                waiting.extend(reversed(parts))
            case Number():
                pass
    return tuple(found)


class _Parser:
    """Precedence climbing over the tokens of one text."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        self.text = text
        odd = sorted((name for name in names if not re.fullmatch(_PLAIN, name)), key=len, reverse=True)
        words = "|".join([*(re.escape(name) + r"(?!\w)" for name in odd), _PLAIN])
        pattern = re.compile(rf"\s*(?:(?P<name>{words})|(?P<number>{_NUMBER})|(?P<operator>{_OPERATORS}))")
        self.tokens = self._tokens(pattern)
        self.at = 0

    def _tokens(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        tokens = []
        end = len(self.text.rstrip())
        at = 0
        while at < end:
            token = pattern.match(self.text, at, end)
            if token is None:
                start = at + len(self.text[at:]) - len(self.text[at:].lstrip())
                raise ConstraintSyntaxError(start, f"unexpected {self.text[start]!r}")
            tokens.append(token)
            if len(tokens) > MAX_TOKENS:
                raise ConstraintSyntaxError(at, f"more than {MAX_TOKENS} words")
            at = token.end()
        return tokens

    def whole(self) -> Expression:
        """The expression of all tokens."""
        found = self.level(0, 0)
        if self.at < len(self.tokens):
            raise self.error("unexpected " + repr(self.tokens[self.at][0].strip()))
        return found

    def error(self, problem: str) -> ConstraintSyntaxError:
        """`problem` at the next token."""
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            return ConstraintSyntaxError(token.end() - len(token[0].lstrip()), problem)
        return ConstraintSyntaxError(len(self.text.rstrip()), problem)

    def operator(self) -> str:
        """The next token as an operator; blank where it is none."""
        if self.at >= len(self.tokens):
            return ""
        found = self.tokens[self.at]["operator"] or ""
        return _SPELLINGS.get(found, found)

    def level(self, precedence: int, depth: int) -> Expression:
        """An expression of operators that bind at least as strongly as those at `precedence`."""
        if depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} deep")
        if precedence == len(_LEVELS):
            return self.unit(depth)
        found = self.level(precedence + 1, depth)
        links = 0
        while (operator := self.operator()) in _LEVELS[precedence] and operator:
            self.at += 1
            right_from = precedence if operator == "=>" else precedence + 1
            right = self.level(right_from, depth + 1 if operator == "=>" else depth)
            links += operator not in {"+", "-", "*", "|", "&"}
            if links > MAX_DEPTH:
                raise self.error(f"more than {MAX_DEPTH} operators {operator} in a row")
            found = _joined(operator, found, right)
        return found

    def unit(self, depth: int) -> Expression:
        """A feature, a number, an expression in parentheses, or one of these with a sign."""
        operator = self.operator()
        if operator in {"!", "-", "+"}:
            self.at += 1
            if depth >= MAX_DEPTH:
                raise self.error(f"nested more than {MAX_DEPTH} deep")
            part = self.unit(depth + 1)
            return part if operator == "+" else Operation("!" if operator == "!" else "-", (part,))
        if operator == "(":
            self.at += 1
            found = self.level(0, depth + 1)
            if self.operator() != ")":
                raise self.error("a closing parenthesis is missing")
            self.at += 1
            return found
        if operator or self.at >= len(self.tokens):
            raise self.error("a feature or number is missing")
        token = self.tokens[self.at]
        self.at += 1
        return Number(Fraction(token["number"])) if token["number"] else Named(token["name"])


def _joined(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right`; sums, products, and chains of `&` and `|` stay flat."""
    if operator == "-":
        return _joined("+", left, Operation("-", (right,)))
    for known in _FLAT:
        if operator == known:
            parts = left.parts if isinstance(left, Operation) and left.operator == known else (left,)
            return Operation(known, (*parts, right))
    return Operation(_BINARY[operator], (left, right))


_FLAT: tuple[Operator, ...] = ("+", "*", "|", "&")
_ALL: tuple[Operator, ...] = ("<=>", "=>", "=", "!=", "<", "<=", ">", ">=", "/")
_BINARY: Mapping[str, Operator] = {operator: operator for operator in _ALL}
