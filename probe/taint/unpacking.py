"""Run-time half of taking values apart into targets."""

from itertools import islice
from typing import Any

from .iteration import elements
from .shadows import item_taints, set_items, structure, union
from .state import TaintState


def unpackable(state: TaintState, value: Any, taint: int, most: int | None) -> Any:
    """Return something that can be taken apart more than once, and leave the taint of all of it.

    Python itself reads no more than `most` items (None: all), and says what cannot be taken apart.
    """
    kind = type(value)
    if kind in (list, tuple, str, dict) or not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        state.result = taint
        return value
    found = list(islice(elements(state, value, taint), most))
    made = tuple(item for item, _ in found)
    set_items(made, [of_item for _, of_item in found])
    state.result = taint
    return made


def unpacked_taints(value: Any, taint: int, count: int, star: int | None) -> list[int]:
    """Return the taints of `count` targets that `value` is taken apart into; `star` is the one with a star."""
    length = len(value)
    taints = item_taints(value, length)
    if taint:
        taints = [taint | of_item for of_item in taints]
    if star is None:
        return taints
    after = count - star - 1
    middle = taint | structure(value) | union(taints[star : length - after])
    return [*taints[:star], middle, *taints[length - after :]]
