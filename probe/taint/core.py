"""What is kept per thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .records import RECORD

if TYPE_CHECKING:
    from typing import Any


LAST = RECORD.last


class Core:
    """The fields of a thread's state; `state.State` says what they mean."""

    __slots__ = (
        "a", "amb", "bodies", "branches", "c", "finished", "given", "kept", "log", "named_given", "parts", "sent", "stack", "started", "t",
        "which", "which_case",
    )  # fmt: skip

    def __init__(self) -> None:
        self.t = 0
        self.c = 0
        self.a: tuple[int, tuple[int, ...], tuple[str, ...]] | None = None
        self.amb = 0
        # Arguments on their way from where they are evaluated to the call that passes them.
        self.given: tuple[Any, ...] = ()
        self.named_given: dict[str, Any] = {}
        # What `send` gave to a generator, and the taint of which items a comprehension keeps.
        self.sent = 0
        self.which = 0
        self.log: list[int] = []
        # Of the parts of an expression so far; of the guards of a `match` so far.
        self.parts = 0
        self.which_case = 0
        self.kept: list[tuple[Any, int]] = []
        # Calls whose arguments are being evaluated, class bodies under way, branches outside of functions.
        self.stack: list[Any] = []
        self.bodies: list[dict[str, int]] = []
        self.finished: dict[str, int] = {}
        self.branches: list[int] = []
        # Generators and coroutines that were made and have not begun: frame, taints, names, control taint.
        self.started: dict[int, tuple[Any, tuple[int, ...], tuple[str, ...], int]] = {}

    def note_here(self, site: int, taint: int) -> None:
        """Note a decision by a value of `taint`, unless it was the last one noted at its place."""
        control = self.c
        seen = taint, control
        if LAST[site] != seen:
            LAST[site] = seen
            if not taint:
                RECORD.under[site] = control
            if taint or control:
                RECORD.decisions.add((site, taint & ~control, control))

    def with_ambient(self, taint: int) -> int:
        """Return `taint`, joined with that of code which is not rewritten."""
        taint |= self.amb
        self.amb = 0
        self.t = taint
        return taint

    def take(self) -> int:
        """Return the taint of the result of a call, that of code which is not rewritten included."""
        taint = self.t | self.amb
        self.amb = 0
        self.t = taint
        return taint
