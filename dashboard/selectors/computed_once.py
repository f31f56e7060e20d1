"""Costly answers, computed by one thread of the process at a time and kept: `lru_cache` computes for each who asks meanwhile."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

from dashboard.access import Refused

_Key = ParamSpec("_Key")
_Answer = TypeVar("_Answer")


class Busy(Refused):
    """Others compute the like just now, and longer than anybody waits."""


def computed_once(
    *, size: int, wait_seconds: float = 60.0
) -> Callable[[Callable[_Key, _Answer]], Callable[_Key, _Answer]]:
    """Keep the last `size` answers of a function by its arguments; a failure is not kept.

    Who asks for an answer that is being computed takes that; who asks for another one waits for its turn, `wait_seconds`
    at most: then `Busy` is raised. Nobody waits for what is kept.
    """

    def decorate(compute: Callable[_Key, _Answer]) -> Callable[_Key, _Answer]:
        kept: dict[tuple[object, ...], _Answer] = {}
        computing = Lock()

        @wraps(compute)
        def answer(*arguments: _Key.args, **named: _Key.kwargs) -> _Answer:
            key = (arguments, *named.items())
            with suppress(KeyError):
                return kept[key]
            if not computing.acquire(timeout=wait_seconds):
                raise Busy("the server computes something else just now: ask again in a minute")
            try:
                if key not in kept:
                    kept[key] = compute(*arguments, **named)
                    while len(kept) > size:
                        del kept[next(iter(kept))]
                return kept[key]
            finally:
                computing.release()

        return answer

    return decorate
