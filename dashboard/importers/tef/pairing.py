"""Which end belongs to which begin."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

Thread = tuple[str, str]


class Begin(NamedTuple):
    """A begin event: its number in the file, from 0, its time, and what it says of the region."""

    number: int
    at: float
    name: str
    identity: str | None
    is_feature: bool


@dataclass(slots=True)
class _Open:
    """What is open in one thread: in order, and by what an end may name. Closed ones stay in the lists until met."""

    begins: dict[int, Begin] = field(default_factory=dict)
    by_identity: dict[str, list[int]] = field(default_factory=dict)
    by_name: dict[str, list[int]] = field(default_factory=dict)


class OpenSpans:
    """The begin events without an end so far, thread by thread.

    An end with an identity closes the latest begin with it; one with a name alone the latest of that name; one with
    neither the latest of all.
    """

    def __init__(self) -> None:
        self._threads: dict[Thread, _Open] = {}
        self.count = 0

    def begin(self, thread: Thread, begin: Begin) -> None:
        """Open a span."""
        here = self._threads.setdefault(thread, _Open())
        here.begins[begin.number] = begin
        if begin.identity is not None:
            here.by_identity.setdefault(begin.identity, []).append(begin.number)
        here.by_name.setdefault(begin.name, []).append(begin.number)
        self.count += 1

    def end(self, thread: Thread, identity: str | None, name: str | None) -> Begin | None:
        """Close a span and return its begin; None where there is none."""
        here = self._threads.get(thread, _Open())
        if identity is not None:
            number = _latest(here, here.by_identity, identity)
        elif name is not None:
            number = _latest(here, here.by_name, name)
        else:
            number = next(reversed(here.begins), None)
        if number is None:
            return None
        self.count -= 1
        begin = here.begins.pop(number)
        if not here.begins:
            # Nothing is left for what stayed in the lists: drop it, or it would grow with the file.
            del self._threads[thread]
        return begin

    def left(self) -> Iterator[tuple[Thread, Begin]]:
        """What was never closed."""
        for thread, here in self._threads.items():
            for begin in here.begins.values():
                yield thread, begin


def _latest(here: _Open, lists: dict[str, list[int]], key: str) -> int | None:
    stack = lists.get(key, [])
    while stack:
        number = stack.pop()
        if number in here.begins:
            return number
    lists.pop(key, None)
    return None
