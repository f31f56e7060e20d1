"""What containers carry from one step of a chain to the next.

A list of what options have chosen has no taint as a value: which items it holds, and these themselves, have theirs in its
shadow. Here that is noted as evidence of how an option got on; no taint of the program is changed by it.
"""

import sys
from types import MemberDescriptorType
from typing import Any

from .flows import FLOWS
from .records import RECORD
from .shadows import SHADOWS, content
from .tracked import TaintedIterator

# Others, as objects of the program, are followed by the names of their attributes.
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
# What may have no taint as a value and yet give some.
HOLDERS = CONTAINERS | {TaintedIterator}
# The containers that each function was given last; the same ones again need not be looked into.
LAST_GIVEN: dict[int, tuple[int, ...]] = {}


def note_given(key: int, values: Any, taints: tuple[int, ...], names: tuple[str, ...]) -> None:
    """Note what the containers among `values` hold, as given to a function; `taints` are the last ones of its arguments."""
    given = tuple(id(value) for value in values if type(value) in CONTAINERS and id(value) in SHADOWS)
    if not given or LAST_GIVEN.get(key) == given:
        return
    LAST_GIVEN[key] = given
    first = len(taints) - len(values)
    inside = (
        taint | (content(value, 1) if id(value) in given else 0)
        for taint, value in zip(taints[first:], values, strict=True)
    )
    RECORD.link((key, (*taints[:first], *inside), names), held=True)


def inside(value: Any) -> int:
    """Return the taints of what a container, or an iterator over one, holds."""
    if type(value) is TaintedIterator:
        value = value.source
    found = SHADOWS.get(id(value))
    return 0 if found is None else found.content() or content(value, 1)


def note_step(site: int, value: Any) -> None:
    """Note what a holder that was kept at a site holds."""
    RECORD.holds[site] |= inside(value) & FLOWS.options


def note_return(site: int, taint: int, value: Any) -> None:
    """Note that a function gives a value of `taint` back, or one that holds taints, and to which line of the program."""
    RECORD.steps[site] |= taint & FLOWS.options
    if type(value) in HOLDERS:
        held = inside(value)
        RECORD.holds[site] |= held & FLOWS.options
        taint |= held
    if taint:
        RECORD.give_back(site, taint)


def note_changed_global(site: int, module: str, name: str, path: tuple[str, ...]) -> None:
    """Note the same from a name of a module, if it still has that name."""
    found = vars(sys.modules[module])
    if name in found:
        note_changed(site, found[name], path)


def note_changed(site: int, base: Any, path: tuple[str, ...]) -> None:
    """Note what a container holds after a method of it was called: `path` leads to it from `base`, by plain attributes alone."""
    value = base
    for name in path:
        value = _plain_attribute(value, name)
    if type(value) in CONTAINERS:
        note_step(site, value)


def _plain_attribute(owner: Any, name: str) -> Any:
    """Return an attribute that is stored in the object or in a slot of it; None for any other: no code of the program runs."""
    try:
        stored = object.__getattribute__(owner, "__dict__")
        if name in stored:
            return stored[name]
    except AttributeError:
        pass
    for base in type(owner).__mro__:
        slot = vars(base).get(name)
        if type(slot) is MemberDescriptorType:
            try:
                return slot.__get__(owner)
            except AttributeError:
                return None
    return None
