"""Whether a container holds something: of a mapping, what that depends on for one key."""

from typing import Any

from .shadows import SHADOWS
from .sources import ENVIRON, ENVIRONMENT
from .tracked import TaintedView


def isin(item: object, container: object) -> bool:
    """Do `item in container`."""
    return item in container  # type: ignore[operator]


def notin(item: object, container: object) -> bool:
    """Do `item not in container`."""
    return item not in container  # type: ignore[operator]


MEMBERSHIP = frozenset({isin, notin})


def asks_for_a_key(owner: Any) -> bool:
    """Whether `in owner` looks for a key of a mapping, and no code of the program answers."""
    if type(owner) is TaintedView:
        return bool(owner.name == "keys")
    return owner is ENVIRON or getattr(type(owner), "__contains__", None) is dict.__contains__


def key_taint(owner: Any, key: Any) -> int:
    """Return the taint of whether the mapping `owner` has `key`: of which keys there are, and of what is held under it.

    What is held counts, since what decided about its being there is part of it; what is held under other keys does not.
    """
    owner = owner.held if type(owner) is TaintedView else owner
    if owner is ENVIRON and key in ENVIRONMENT:
        return ENVIRONMENT[key]
    found = SHADOWS.get(id(owner))
    # The question has been answered, so the key has a hash.
    return 0 if found is None else found.structure | found.fields.get(key, 0)
