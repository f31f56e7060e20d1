"""Which calls stood before one another on the stack: a call is known by its place, its function and the class of its receiver.

Whoever calls a function of the program says so just before; the function keeps it, and says it of the calls that it makes
itself. No stack is searched. Only calls that give taints, or that are under one, are told apart.
"""

from itertools import count
from typing import Any

from .flows import FLOWS

# The program may put others in the place of built-ins.
_next = next

# The site of a call, the key of the function that is called, the class of the object whose method it is.
Call = tuple[int, int, type | None]
# What a function was called by: code that is not rewritten, or a call without taints.
UNKNOWN, UNTAINTED = 0, 1


class Calls:
    """The calls of this process by number, the taints of each, joined, and which one was seen `before` which."""

    def __init__(self) -> None:
        self.numbers: dict[Call, int] = {}
        self.calls: dict[int, Call] = dict.fromkeys((UNKNOWN, UNTAINTED), (-1, -1, None))
        self.last: dict[int, tuple[int, tuple[int, ...], int]] = {}
        self.data: dict[int, int] = {}
        self.control: dict[int, int] = {}
        self.before: set[tuple[int, int]] = set()
        self._fresh = count(len(self.calls))

    def clear(self) -> None:
        """Forget what was seen; functions that run know their call by its number, so these stay."""
        self.last.clear()
        self.data.clear()
        self.control.clear()
        self.before.clear()

    def note(self, before: int, call: Call, taints: tuple[int, ...], control: int) -> int:
        """Note a call by a function that was `before` called so, the taints that it gives and is under; returns its number."""
        number = self.numbers.get(call)
        if number is None:
            # No other thread takes it, too, and whoever finds it finds its call.
            number = _next(self._fresh)
            self.calls[number] = call
            self.numbers[call] = number
        seen = before, taints, control
        if self.last.get(number) != seen:
            self.last[number] = seen
            self.before.add((before, number))
            data = self.data.get(number, 0)
            for taint in taints:
                data |= taint & FLOWS.options
            self.data[number] = data
            self.control[number] = self.control.get(number, 0) | control & FLOWS.options
        return number


CALLS = Calls()


def receiver_of(callee: Any) -> type | None:
    """Return the class of the object whose method `callee` is; a class is made by itself."""
    owner = getattr(callee, "__self__", None)
    if owner is not None:
        return type(owner)
    return callee if issubclass(type(callee), type) else None
