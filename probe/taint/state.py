"""What rewritten code keeps per thread: the taints that are on their way between two evaluations.

Control taint belongs to frames: every rewritten function knows its own and sets it again after whatever it waited for,
so tasks that share a thread do not share it.
"""

import sys
import threading
from typing import Any

from .flows import FLOWS
from .lately import KnownLately
from .pending_objects import PendingObject
from .records import RECORD
from .signatures import SIGNATURES, ArgumentTaints
from .sources import PARAMETERS, of_parameters, read_by_click

LAST = RECORD.last
# Addressed to nobody: arguments without taints.
NOTHING: ArgumentTaints = (-1, (), ())
# What was before code that is not rewritten called a function: ambient taint, that of the last result, what was being made.
Before = tuple[int, int, PendingObject | None]


class TaintState:
    """The state of one thread. Functions of the other modules read and write it; rewritten code does so directly.

    `result` is the taint of the value returned or yielded last, `control` the control taint of the running frame,
    `arguments` the taints of arguments on their way to a callee, `ambient` the taint of whatever runs in code that is
    not rewritten.
    """

    __slots__ = (
        "ambient", "arguments", "branches", "class_bodies", "control", "finished_body", "given", "guards", "held", "item_taints", "making", "named_given",
        "parts", "pending", "result", "selection", "sent", "started",
    )  # fmt: skip

    def __init__(self) -> None:
        self.result = 0
        self.control = 0
        self.arguments: ArgumentTaints | None = None
        self.ambient = 0
        # Arguments on their way from where they are evaluated to the call that passes them.
        self.given: tuple[Any, ...] = ()
        self.named_given: dict[str, Any] = {}
        # What `send` gave to a generator.
        self.sent = 0
        # Of the comprehension under way: the taint of which items it keeps, and that of each item.
        self.selection = 0
        self.item_taints: list[int] = []
        # Of the parts of an expression so far; of the guards of a `match` so far.
        self.parts = 0
        self.guards = 0
        # Values that are kept for the statements that follow, with their taints, outside of functions.
        self.held: list[tuple[Any, int]] = []
        # Calls whose arguments are being evaluated, class bodies under way, control taints of branches outside of functions.
        self.pending: list[Any] = []
        self.class_bodies: list[dict[str, int]] = []
        self.finished_body: dict[str, int] = {}
        self.branches: list[int] = []
        # The object that code which is not rewritten is making, until a function of the program runs there.
        self.making: PendingObject | None = None
        # Generators and coroutines that were made and have not begun: frame, taints, names, control taint.
        self.started: dict[int, tuple[Any, tuple[int, ...], tuple[str, ...], int]] = {}

    def note_decision(self, site: int, taint: int, lately: KnownLately = None) -> None:
        """Note a decision by a value of `taint`, unless it was the last one noted at its site."""
        control = self.control
        seen = taint, control
        if LAST[site] != seen:
            LAST[site] = seen
            if not taint:
                RECORD.under[site] = control
            if taint or control:
                RECORD.decide(site, taint, control, lately)

    def test(self, value: Any, taint: int, site: int) -> Any:
        """Note the decision of a loop's test, under whose taint its turns are, and return its `value`."""
        taint = FLOWS.through(site, taint)
        if taint or self.control:
            self.note_decision(site, taint)
            self.control |= taint
        self.result = taint
        return value

    def with_ambient(self, taint: int) -> int:
        """Return `taint`, joined with that of code which is not rewritten."""
        taint |= self.ambient
        self.ambient = 0
        self.result = taint
        return taint

    def take(self) -> int:
        """Return the taint of the result of a call, that of code which is not rewritten included."""
        return self.with_ambient(self.result)

    def bind(self, key: int, vararg: object, kwarg: dict[str, Any] | None) -> list[Any]:
        """Return what a function starts with: the ambient taint to restore, then the taint of each parameter.

        The former is None if taints were addressed to this function; else `leave` gets it.
        """
        addressed = self.arguments
        self.arguments = None
        signature = SIGNATURES[key]
        if addressed is NOTHING:
            return [None] + [0] * signature.count
        if addressed is not None and addressed[0] == key:
            return [None, *signature.bind(addressed[1], addressed[2], vararg, kwarg)]
        ambient = self.ambient
        self.ambient = 0
        making, self.making = self.making, None
        before = ambient, self.result, making
        if making is not None:
            taints, names = making.addressed(signature, sys._getframe(1).f_locals)  # noqa: SLF001 - nobody else knows what was given
            RECORD.read_all(taints)
            return [before, *signature.bind(taints, names, vararg, kwarg)]
        read = read_by_click(sys._getframe(2)) if PARAMETERS else None  # noqa: SLF001 - only the stack knows
        if read is not None or signature.name in PARAMETERS:
            local = sys._getframe(1).f_locals  # noqa: SLF001
            given = {name: local[name] for name in (*signature.parameters, *signature.keywords)}
            by_name = of_parameters(signature.name, {**given, **(kwarg or {})}, ambient, read)
            taints, names = tuple(by_name.values()), tuple(by_name)
            RECORD.read_all(taints)
            return [before, *signature.bind(taints, names, vararg, kwarg)]
        if signature.parameters:
            RECORD.read(ambient)
        return [before] + [ambient] * signature.count

    def leave(self, before: Before, taint: int) -> None:
        """End a function that code which is not rewritten has called: its result is part of what runs there."""
        self.ambient = before[0] | taint
        self.result = before[1]
        self.making = before[2]


class ThreadStates(threading.local):
    """The state of the thread that asks."""

    def __init__(self) -> None:
        self.state = TaintState()
