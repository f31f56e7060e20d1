"""Which calls stood before one another on the stack: a call is known by its place, its function and the class of its receiver.

Whoever calls a function of the program says so just before; the function keeps it, and says it of the calls that it makes
itself. No stack is searched. Only calls that give taints, or that are under one, are told apart.
"""

from typing import Any

from .flows import FLOWS

# The site of a call, the key of the function that is called, the class of the object whose method it is.
Call = tuple[int, int, type | None]
# What a function was called by: code that is not rewritten, or a call without taints.
UNKNOWN, UNTAINTED = 0, 1


class Calls:
    """The calls of this process by number, the taints of each, joined, and which one was seen `before` which."""

    def __init__(self) -> None:
        self.numbers: dict[Call, int] = {}
        self.calls: list[Call] = [(-1, -1, None)] * 2
        self.last: list[tuple[int, tuple[int, ...], int] | None] = [None] * 2
        self.data: list[int] = [0, 0]
        self.control: list[int] = [0, 0]
        self.before: set[tuple[int, int]] = set()

    def clear(self) -> None:
        """Forget what was seen; functions that run know their call by its number, so these stay."""
        self.last[:] = [None] * len(self.calls)
        self.data[:] = self.control[:] = [0] * len(self.calls)
        self.before.clear()

    def note(self, before: int, call: Call, taints: tuple[int, ...], control: int) -> int:
        """Note a call by a function that was `before` called so, the taints that it gives and is under; returns its number."""
        number = self.numbers.get(call)
        if number is None:
            number = self.numbers[call] = len(self.calls)
            self.calls.append(call)
            self.last.append(None)
            self.data.append(0)
            self.control.append(0)
        seen = before, taints, control
        if self.last[number] != seen:
            self.last[number] = seen
            self.before.add((before, number))
            self.control[number] |= control & FLOWS.options
            for taint in taints:
                self.data[number] |= taint & FLOWS.options
        return number


CALLS = Calls()


def receiver_of(callee: Any) -> type | None:
    """Return the class of the object whose method `callee` is; a class is made by itself."""
    owner = getattr(callee, "__self__", None)
    if owner is not None:
        return type(owner)
    return callee if issubclass(type(callee), type) else None
