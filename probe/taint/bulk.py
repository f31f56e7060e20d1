"""Writes of several items at once: slices of lists, and dicts that are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .heap import SEQUENCES, SHADOWS, content, item_taints, shadow, structure
from .tracked import TaintedIterator

if TYPE_CHECKING:
    from typing import Any


def store_slice(owner: list[Any], key: slice, value: Any, of_place: int, taint: int) -> int:
    """Do `owner[key] = value`, `of_place` being the taint of where and whether, `taint` that of `value`; return both."""
    before = list(item_taints(owner, len(owner)))
    held: list[Any] | None = None
    of_held: list[int] = []
    if type(value) in SEQUENCES:
        held, of_held = list(value), list(item_taints(value, len(value)))
    elif type(value) is TaintedIterator:
        found = list(value.pairs)
        held, of_held = [item for item, _ in found], [of_item for _, of_item in found]
    owner[key] = value if held is None else held
    if held is None:
        # What came out of an iterator, and how much of it, is not known item by item.
        inside = taint | of_place | content(value, 1)
        for of_item in before:
            inside |= of_item
        if inside:
            known = shadow(owner)
            known.structure |= inside
            known.items = None
        return taint | of_place
    before[key] = [taint | of_item for of_item in of_held]
    if of_place:
        # Items behind it may have moved.
        before = [of_item | of_place for of_item in before]
    if any(before) or taint or id(owner) in SHADOWS:
        known = shadow(owner)
        known.items = before
        known.structure |= of_place | taint | structure(value)
    return taint | of_place


def merge_into(held: dict[Any, Any], other: Any, taint: int) -> None:
    """Say that a dict has got the keys of `other`, a mapping or pairs; `taint` is that of `other` itself."""
    found = SHADOWS.get(id(other))
    of_structure = taint | (found.structure if found is not None else 0)
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
