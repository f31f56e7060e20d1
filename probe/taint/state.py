"""Run-time half of the rewriting: what rewritten code asks and tells, per thread.

Control taint belongs to frames: every rewritten function knows its own and sets it again after whatever it waited for,
so tasks that share a thread do not share it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .blocks import Blocks
from .calls import NOTHING, Calls
from .core import LAST
from .loops import Loops
from .signatures import SIGNATURES
from .stores import Stores
from .values import Values

if TYPE_CHECKING:
    from typing import Any


class TaintState(Calls, Loops, Values, Stores, Blocks):
    """What one thread knows.

    `t` is the taint of the value returned or yielded last, `c` the control taint of the running frame, `a` the taints
    of arguments on their way to a callee, `amb` the taint of whatever runs in code that is not rewritten.
    """

    __slots__ = ()

    def bind(self, key: int, vararg: object, kwarg: object) -> list[Any]:
        """Return what a function starts with: the ambient taint to restore, then the taint of each parameter.

        The former is None if taints were addressed to this function.
        """
        addressed = self.a
        self.a = None
        signature = SIGNATURES[key]
        if addressed is NOTHING:
            return [None] + [0] * signature.count
        if addressed is not None and addressed[0] == key:
            return [None, *signature.bind(addressed[1], addressed[2], vararg, kwarg)]
        ambient = self.amb
        self.amb = 0
        return [(ambient, self.t)] + [ambient] * signature.count

    def leave(self, ambient: tuple[int, int], taint: int) -> None:
        """End a function that code which is not rewritten has called: its result is part of what runs there."""
        self.amb = ambient[0] | taint
        self.t = ambient[1]

    def decide(self, site: int, taint: int) -> None:
        """Note a decision; what follows is under its taint."""
        if LAST[site] != (taint, self.c):
            self.note_here(site, taint)
        self.c |= taint

    def enter(self, site: int) -> None:
        """Note that a function without decisions was called under some: its time is theirs."""
        self.note_here(site, 0)

    def test(self, value: Any, taint: int, site: int) -> Any:
        """Note the decision of a loop's test and return its `value`."""
        if taint or self.c:
            self.decide(site, taint)
        self.t = taint
        return value


class ThreadStates(threading.local):
    """The state of the thread that asks; `r` is short because rewritten code asks at every function's start."""

    def __init__(self) -> None:
        self.r = TaintState()
