"""Shadows: the taints of objects, in a table keyed by identity."""

import re
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from functools import reduce
from operator import or_
from types import BuiltinFunctionType
from typing import Any

# Containers of C whose methods are summarized.
MUTABLE = frozenset({list, dict, set, bytearray, deque, OrderedDict, defaultdict})
SEQUENCES = frozenset({list, tuple, deque})
# Functions and methods of C; those of types with a module of their own, as patterns, are of a kind of their own.
BUILTINS = frozenset({BuiltinFunctionType, type(re.compile("").match)})
# What never has a shadow, and what is searched for things that do.
ATOMS = frozenset({str, int, float, bool, type(None), bytes})
SEARCHABLE = frozenset({list, tuple, dict})
# How many items of an untainted container are searched for tainted ones.
SEARCHED = 64


class Shadow:
    """The taints of one object; the object itself is kept, so that its identity stays its own.

    `structure`: which items there are, and how many. `fields`: by attribute or key, of a dict also of keys that it might have.
    `items`: by position, as long as it has the length of the object. `size`: how many items a dict has, as far as it
    is known of each key in `fields` what decided whether it is there.
    """

    __slots__ = ("fields", "items", "owner", "size", "structure")

    def __init__(self, owner: object) -> None:
        self.owner = owner
        self.structure = 0
        self.size = 0
        self.fields: dict[Any, int] = {}
        self.items: list[int] | None = None

    def by_position(self, length: int) -> list[int]:
        """Return the taint of each of the `length` items, which the shadow keeps from now on."""
        if self.items is None or len(self.items) != length:
            self.items = [self.content()] * length
        return self.items

    def content(self) -> int:
        """Return the union of all taints of the object."""
        taint = self.structure | self.size
        # Another thread may add to it meanwhile.
        for field in [*self.fields.values()]:
            taint |= field
        for item in self.items or ():
            taint |= item
        return taint


def union(taints: Iterable[int]) -> int:
    """Return the union of `taints`."""
    return reduce(or_, taints, 0)


SHADOWS: dict[int, Shadow] = {}
# Names of tainted attributes of classes, which their instances show too.
CLASS_NAMES: set[str] = set()


class _Table:
    """The sizes of the table at which it is swept."""

    smallest = 1 << 14
    full = smallest


def sweep() -> None:
    """Drop the shadows of objects that nothing else refers to; the next sweep is when as many again were added."""
    references = sys.getrefcount
    # Other threads, and finalizers, may add to it and sweep it meanwhile.
    for key in [*SHADOWS]:
        found = SHADOWS.get(key)
        # One reference is the shadow's, one the question's.
        if found is not None and references(found.owner) <= 2:
            SHADOWS.pop(key, None)
    _Table.full = max(_Table.smallest, 2 * len(SHADOWS))


def shadow(owner: object) -> Shadow:
    """Return the shadow of `owner`, a new one if it has none."""
    found = SHADOWS.get(id(owner))
    if found is None:
        if len(SHADOWS) >= _Table.full:
            sweep()
        found = SHADOWS[id(owner)] = Shadow(owner)
    return found


def structure(owner: object) -> int:
    """Return the taint of which and how many items `owner` holds."""
    found = SHADOWS.get(id(owner))
    return found.structure | found.size if found is not None else 0


def content(value: Any, depth: int = 2) -> int:
    """Return the taints of whatever `value` holds, `depth` containers deep."""
    kind = type(value)
    if kind in ATOMS:
        return 0
    found = SHADOWS.get(id(value))
    taint = found.content() if found is not None else 0
    if depth and kind in SEARCHABLE and SHADOWS and len(value) <= SEARCHED:
        items = value.values() if kind is dict else value
        if SHADOWS.keys().isdisjoint(map(id, items)) and SEARCHABLE.isdisjoint(map(type, items)):
            return taint
        for item in [*items]:
            if id(item) in SHADOWS or type(item) in SEARCHABLE:
                taint |= content(item, depth - 1)
    return taint


def item_taints(value: Any, length: int) -> list[int]:
    """Return the taint of each of the `length` items that iterating over `value` gives."""
    found = SHADOWS.get(id(value))
    if found is None:
        return [0] * length
    if found.items is not None and len(found.items) == length:
        return found.items
    if issubclass(type(value), dict):
        return [found.fields.get(key, 0) for key in value]
    return [found.content()] * length


def reordered(before: list[Any], taints: list[int], after: Iterable[Any]) -> list[int]:
    """Return the `taints` of the items `before` in the order in which the same objects come `after`."""
    where: dict[int, list[int]] = {}
    for item, taint in zip(before, taints, strict=True):
        where.setdefault(id(item), []).append(taint)
    return [where[id(item)].pop(0) for item in after]


def taint_content(owner: object, taint: int) -> None:
    """Join `taint` into the content of `owner` where the position that has it is not known."""
    if taint:
        of_owner = shadow(owner)
        of_owner.structure |= taint
        of_owner.items = None


def set_items(value: object, taints: list[int], of_structure: int = 0) -> None:
    """Set the taints of the items of a new container, where any has one."""
    if of_structure or any(taints):
        made = shadow(value)
        made.structure |= of_structure
        if type(value) in SEQUENCES:
            made.items = taints
        else:
            made.structure |= union(taints)


def set_fields(value: object, taints: dict[Any, int], of_structure: int = 0) -> None:
    """Set the taints of the values of a new mapping, or attributes of an object, where any has one."""
    if of_structure or any(taints.values()):
        made = shadow(value)
        made.structure |= of_structure
        made.fields.update((key, taint) for key, taint in taints.items() if taint)
        if issubclass(type(value), type):
            CLASS_NAMES.update(made.fields)


def share_fields(owner: Any, attributes: Any) -> None:
    """Let the dict of an object's `attributes` and the object have one table of taints: what changes one changes the other."""
    if type(attributes) is dict:
        kept, of_owner = SHADOWS.get(id(attributes)), shadow(owner)
        if kept is None:
            shadow(attributes).fields = of_owner.fields
        elif kept.fields is not of_owner.fields:
            of_owner.fields.update(kept.fields)
            kept.fields = of_owner.fields


def merge_into(held: dict[Any, Any], other: Any, taint: int) -> None:
    """Add the taints of `other`, a mapping or pairs, which a dict was updated with; `taint` is that of `other` itself."""
    found = SHADOWS.get(id(other))
    of_structure = taint | (found.structure | found.size if found is not None else 0)
    if issubclass(type(other), dict):
        known = found.fields if found is not None else {}
        # A class of the program may have an `__iter__` of its own, which nobody has asked for.
        fields = {key: taint | known.get(key, 0) for key in dict.keys(other)}
    else:
        # Which pair is which is not known any more.
        before = SHADOWS.get(id(held))
        inside = taint | content(other)
        fields = {
            key: inside | (before.fields.get(key, 0) if before is not None else 0) for key in dict.keys(held)
        }
    if of_structure or any(fields.values()) or id(held) in SHADOWS:
        made = shadow(held)
        made.structure |= of_structure
        made.fields.update(fields)
