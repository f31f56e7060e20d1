"""Functions of C in whose calls nothing of the program runs: they need no summary."""

import re
from collections import deque
from types import BuiltinFunctionType
from typing import Any

from .shadows import ATOMS, SHADOWS

# What never changes, and whose methods are functions of what goes in.
VALUES = frozenset({str, bytes, int, float, bool, complex, re.Pattern, re.Match})
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
# What asks how many items there are.
SIZES = (len, bool)
# The identities of functions of what goes in alone, as long as that never changes.
OF_VALUES = frozenset(
    map(
        id,
        (
            *SIZES, abs, ascii, bin, bytes, chr, complex, divmod, float, format, hash, hex, int, isinstance, oct, ord,
            pow, range, re.compile, re.escape, repr, round, str,
        ),
    )
)  # fmt: skip
# A program may put something else in their place.
IDENTITY, _REVERSED, _ITERATOR = id, reversed, iter
# What an iterator goes over without running anything of the program.
_WALKED = frozenset({list, tuple, dict, str})


def is_native(callee: Any, values: tuple[Any, ...]) -> bool:
    """Whether nothing of the program can run in a call of one of `OF_VALUES`, nor any of the `values` change."""
    if callee is isinstance:
        return len(values) == 2 and type(values[1]) is type
    if callee in SIZES and type(values[0]) in _CONTAINERS:
        return len(values) == 1
    return all(type(value) in ATOMS or type(value) is re.RegexFlag for value in values)


def is_untainted(callee: Any, values: tuple[Any, ...], control: int) -> bool:
    """Whether a call of arguments without taints gives and leaves nothing that has one, and runs nothing of the program."""
    if len(values) != 1:
        return False
    if callee is _REVERSED or callee is _ITERATOR:
        return type(values[0]) in _WALKED and id(values[0]) not in SHADOWS
    if control or type(callee) is not BuiltinFunctionType:
        return False
    owner = callee.__self__
    return (
        (type(owner) is list or type(owner) is deque)
        and callee.__name__ in ("append", "appendleft")
        and id(owner) not in SHADOWS
    )
