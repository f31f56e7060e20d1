"""Operators over parts, as formulas over options and constraints over features have them: read, and where they hold."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import Any, TypeVar

Truth = TypeVar("Truth", bound=Any)
BOOLEAN = frozenset({"!", "&", "|", "=>", "<=>"})


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator over its parts; `-` and `!` have one part, `+ * | &` any number, the others two.

    Parts are operations, and what the language is about: options at levels, or features and numbers.
    """

    operator: str
    parts: tuple[Any, ...]


def atoms(expression: Any) -> Iterator[Any]:
    """What boolean operators join in `expression`, in the order of its text."""
    if isinstance(expression, Operation) and expression.operator in BOOLEAN:
        for part in expression.parts:
            yield from atoms(part)
    else:
        yield expression


def truth(expression: Any, atom: Callable[[Any], Truth], everywhere: Truth) -> Truth:
    """Where `expression` holds, given where each of its atoms does, and what holds `everywhere`.

    For arrays and decision diagrams alike: whatever knows `~ & | ^`.
    """
    if not isinstance(expression, Operation) or expression.operator not in BOOLEAN:
        return atom(expression)
    parts = [truth(part, atom, everywhere) for part in expression.parts]
    found: Truth
    match expression.operator:
        case "&":
            found = reduce(and_, parts, everywhere)
        case "|":
            found = reduce(or_, parts, ~everywhere)
        case "!":
            found = ~parts[0]
        case "=>":
            found = ~parts[0] | parts[1]
        case _:
            found = ~(parts[0] ^ parts[1])
    return found


# Signs before an operand, and operators whose chains are one operation.
_SIGNS = ("!", "-", "+")
_FLAT = ("+", "*", "|", "&")


@dataclass(frozen=True, slots=True)
class Language:
    """What tells one language of operands, operators and parentheses from another.

    `levels` are the operators from weakest to strongest, `spellings` other ways to write some. Texts may nest
    `max_depth` deep. `operand` is what messages call one.
    """

    levels: tuple[tuple[str, ...], ...]
    operand: str
    max_depth: int
    spellings: Mapping[str, str] = field(default_factory=dict)


class Reader:
    """Reads one text of a language, by precedence climbing over its tokens.

    A token matches `pattern`, with an operator in the group of this name, or else an operand, which `operand` reads.
    `=>` groups from the right, all others from the left; `a - b` is the sum of a and -b. Raises what `fault` makes of a
    position and a problem.
    """

    def __init__(
        self,
        language: Language,
        text: str,
        pattern: re.Pattern[str],
        operand: Callable[[re.Match[str]], Any],
        fault: Callable[[int, str], Exception],
    ) -> None:
        self._language = language
        self._operand = operand
        self._fault = fault
        self._end = len(text.rstrip())
        self._at = 0
        self.tokens: list[re.Match[str]] = []
        at = 0
        while at < self._end:
            token = pattern.match(text, at, self._end)
            if token is None:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise fault(start, f"unexpected {text[start]!r}")
            self.tokens.append(token)
            at = token.end()

    def read(self) -> Any:
        """The expression of all tokens: an operand or an `Operation`."""
        found = self._level(0, 0)
        if self._at < len(self.tokens):
            raise self._error("unexpected " + repr(self.tokens[self._at][0].strip()))
        return found

    def _error(self, problem: str) -> Exception:
        """`problem` at the next token."""
        if self._at < len(self.tokens):
            token = self.tokens[self._at]
            return self._fault(token.end() - len(token[0].lstrip()), problem)
        return self._fault(self._end, problem)

    def _operator(self) -> str:
        """The next token as an operator; blank where it is none."""
        if self._at >= len(self.tokens):
            return ""
        found = self.tokens[self._at]["operator"] or ""
        return self._language.spellings.get(found, found)

    def _level(self, precedence: int, depth: int) -> Any:
        """An expression of operators that bind at least as strongly as those at `precedence`."""
        language = self._language
        if depth > language.max_depth:
            raise self._error(f"nested more than {language.max_depth} deep")
        if precedence == len(language.levels):
            return self._unit(depth)
        found = self._level(precedence + 1, depth)
        links = 0
        while (operator := self._operator()) in language.levels[precedence]:
            self._at += 1
            right_from = precedence if operator == "=>" else precedence + 1
            right = self._level(right_from, depth + 1 if operator == "=>" else depth)
            links += operator not in ("-", *_FLAT)
            if links > language.max_depth:
                raise self._error(f"more than {language.max_depth} operators {operator} in a row")
            if operator == "-":
                operator, right = "+", Operation("-", (right,))
            is_chain = operator in _FLAT and isinstance(found, Operation) and found.operator == operator
            found = Operation(operator, (*(found.parts if is_chain else (found,)), right))
        return found

    def _unit(self, depth: int) -> Any:
        """An operand, an expression in parentheses, or one of these with a sign."""
        operator = self._operator()
        if operator in _SIGNS:
            self._at += 1
            if depth >= self._language.max_depth:
                raise self._error(f"nested more than {self._language.max_depth} deep")
            part = self._unit(depth + 1)
            return part if operator == "+" else Operation(operator, (part,))
        if operator == "(":
            self._at += 1
            found = self._level(0, depth + 1)
            if self._operator() != ")":
                raise self._error("a closing parenthesis is missing")
            self._at += 1
            return found
        if operator or self._at >= len(self.tokens):
            raise self._error(f"{self._language.operand} is missing")
        self._at += 1
        return self._operand(self.tokens[self._at - 1])
