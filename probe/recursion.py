"""Room on the stack: for syntax trees that are deep, and for programs whose recursion rewriting makes deeper."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# What reading a deep syntax tree may need; the compiler refuses deeper ones before that.
_DEEPEST = 20_000
# How many frames stand where a traced program has one, at most: a built-in with a taint summary calls it in between.
_FRAMES = 4
_LARGEST = 2**31 - 1


@contextmanager
def room_to_rewrite() -> Iterator[None]:
    """Let a syntax tree be as deep as Python itself allows."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def room_to_trace() -> Iterator[None]:
    """Let a traced program recurse about as deep as it does plain; it sees and sets the limit that it would have."""
    set_limit, limit = sys.setrecursionlimit, sys.getrecursionlimit
    before = limit()

    def deepened(most: int) -> None:
        set_limit(min(most * _FRAMES, _LARGEST))

    deepened(before)
    sys.setrecursionlimit = deepened
    sys.getrecursionlimit = lambda: limit() // _FRAMES
    try:
        yield
    finally:
        sys.setrecursionlimit, sys.getrecursionlimit = set_limit, limit
        set_limit(before)
