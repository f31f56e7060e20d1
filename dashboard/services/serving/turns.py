"""How many requests of one asker a web process answers at once: its other threads stay for others."""

from collections import Counter
from enum import Enum
from threading import Lock
from typing import Any

# Of eight threads; also what a browser asks at once where the proxy does not speak HTTP/2.
MOST_AT_ONCE = 6
# A page asks some thirty things at once by HTTP/2, and people open several.
_LONGEST_LINE = 100

_lock = Lock()
_begun: Counter[str] = Counter()
_waiting: Counter[str] = Counter()


class Turn(Enum):
    """When a request is answered: now, after others of the same asker, or never, as too many of them wait."""

    NOW = "now"
    LATER = "later"
    NEVER = "never"


def begin(asker: str, held: Any = None) -> Turn:
    """Take a place for a request of the asker; who got `NOW` gives it back by `end`.

    `held` is the request's socket. One that holds the whole request learns its asker: the web server's loop puts it back.
    """
    with _lock:
        if _begun[asker] < MOST_AT_ONCE:
            _begun[asker] += 1
            return Turn.NOW
        if not getattr(held, "is_whole", False) or _waiting[asker] >= _LONGEST_LINE:
            return Turn.NEVER
        _waiting[asker] += 1
        held.asker = asker
        return Turn.LATER


def end(asker: str) -> None:
    """Give the place of a request back that was answered."""
    with _lock:
        _less(_begun, asker)


def leave_line(asker: str) -> None:
    """A request waits no longer: it is tried again, or was given up."""
    with _lock:
        _less(_waiting, asker)


def places(asker: str) -> int:
    """How many requests of the asker would be answered now."""
    return MOST_AT_ONCE - _begun[asker]


def _less(counted: Counter[str], asker: str) -> None:
    counted[asker] -= 1
    if not counted[asker]:
        del counted[asker]
