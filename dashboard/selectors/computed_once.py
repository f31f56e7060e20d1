"""Costly answers, computed by one thread of the process at a time and kept: `lru_cache` computes for each who asks meanwhile."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from threading import Condition
from typing import ParamSpec, TypeVar

from dashboard.access import Refused

_Key = ParamSpec("_Key")
_Answer = TypeVar("_Answer")

# Whom this thread answers: an account, or an address. What nobody asked for is of one asker.
computing_for: ContextVar[str] = ContextVar("computing_for", default="")


class Busy(Refused):
    """Others compute the like just now, and longer than anybody waits."""


class Turns:
    """One thread at a time goes on; of those who wait, the first of the asker who had no turn for the longest time.

    However much one asks for, another waits for what is being computed, and for one turn of each who came before.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._taken = False
        self._waiting: list[tuple[str, object]] = []
        # By the askers' names: which turn since anybody waited was their last one.
        self._last: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, name: str, seconds: float) -> bool:
        """Wait for a turn of the asker of that name, so many seconds at most; say whether it is there. End it with `give`."""
        place = (name, object())
        with self._changed:
            self._waiting.append(place)
            has_turn = self._changed.wait_for(lambda: self._is_next(place), seconds)
            self._waiting.remove(place)
            self._taken = self._taken or has_turn
            return has_turn

    def _is_next(self, place: tuple[str, object]) -> bool:
        return not self._taken and min(self._waiting, key=lambda one: self._last.get(one[0], 0)) is place

    def give(self, name: str) -> None:
        """End the turn of that asker."""
        with self._changed:
            self._taken = False
            if self._waiting:
                self._last[name] = 1 + max(self._last.values(), default=0)
            else:
                self._last.clear()
            self._changed.notify_all()


def computed_once(
    *, size: int, wait_seconds: float = 60.0, turns: Turns | None = None
) -> Callable[[Callable[_Key, _Answer]], Callable[_Key, _Answer]]:
    """Keep the last `size` answers of a function by its arguments; a failure is not kept.

    Who asks for an answer that is being computed takes that; who asks for another one waits for one of `turns` (its own, where none
    is given), `wait_seconds` at most: then `Busy` is raised. Nobody waits for what is kept.
    """
    waiting = Turns() if turns is None else turns

    def decorate(compute: Callable[_Key, _Answer]) -> Callable[_Key, _Answer]:
        kept: dict[tuple[object, ...], _Answer] = {}

        @wraps(compute)
        def answer(*arguments: _Key.args, **named: _Key.kwargs) -> _Answer:
            key = (arguments, *named.items())
            with suppress(KeyError):
                return kept[key]
            name = computing_for.get()
            if not waiting.take(name, wait_seconds):
                raise Busy("the server computes something else just now: ask again in a minute")
            try:
                if key not in kept:
                    kept[key] = compute(*arguments, **named)
                    while len(kept) > size:
                        del kept[next(iter(kept))]
                return kept[key]
            finally:
                waiting.give(name)

        return answer

    return decorate
