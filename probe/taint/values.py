"""Run-time half of operators, attributes, items and displays."""

import operator
from collections.abc import Callable
from typing import Any

from .flows import FLOWS
from .iteration import elements
from .lately import KnownLately
from .membership import MEMBERSHIP, asks_for_a_key, key_taint
from .records import RECORD
from .shadows import (
    CLASS_NAMES,
    MUTABLE,
    SEARCHABLE,
    SEQUENCES,
    SHADOWS,
    content,
    item_taints,
    merge_into,
    set_fields,
    set_items,
    shadow,
    share_fields,
    structure,
)
from .sources import ENVIRON, ENVIRONMENT, of_attribute
from .state import LAST, TaintState
from .tracked import TaintedView

IDENTITY = frozenset({operator.is_, operator.is_not})
NOT_A_KEY = object()


def kept_by_descriptor(owner: Any, name: str) -> bool:
    """Whether `owner` has an attribute of its own in front of a descriptor of its class, as cached properties leave it."""
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return False
    if type(own) is not dict or name not in own:
        return False
    return any(hasattr(type(vars(base).get(name)), "__get__") for base in type(owner).__mro__)


def attribute_taint(state: TaintState, owner: Any, name: str, taint: int) -> int:
    """Return the taint of `owner.name`, which was just read, `taint` being that of `owner`."""
    if state.ambient:
        taint |= state.ambient
        state.ambient = 0
        if kept_by_descriptor(owner, name):
            # It was worked out when it was asked for; the next time nothing runs any more.
            shadow(owner).fields[name] = taint
    key = id(owner)
    if name not in CLASS_NAMES:
        return taint | SHADOWS[key].fields.get(name, 0) if key in SHADOWS else taint
    # So is what is a source of its own.
    exact = of_attribute(owner, name)
    if exact is not None:
        return RECORD.read(exact)
    if key in SHADOWS and name in SHADOWS[key].fields:
        return taint | SHADOWS[key].fields[name]
    for base in (owner if issubclass(type(owner), type) else type(owner)).__mro__:
        if name in vars(base):
            of_class = SHADOWS.get(id(base))
            return taint if of_class is None else taint | of_class.fields.get(name, 0)
    return taint


def get_attribute(state: TaintState, owner: Any, taint: int, name: str) -> Any:
    """Return `owner.name` and leave its taint."""
    value = getattr(owner, name)
    if state.ambient or name in CLASS_NAMES:
        state.result = attribute_taint(state, owner, name, taint)
    else:
        found = SHADOWS.get(id(owner))
        state.result = taint if found is None else taint | found.fields.get(name, 0)
    return value


def get_own_attributes(state: TaintState, owner: Any, taint: int) -> Any:
    """Return `owner.__dict__`, which is known to hold what the object does, and leave its taint."""
    found = get_attribute(state, owner, taint, "__dict__")
    share_fields(owner, found)
    return found


def with_item_taint(state: TaintState, value: Any, owner: Any, key: Any, taint: int) -> Any:
    """Return `value`, which is `owner[key]`, and leave its taint; `taint` is that of owner and key."""
    taint |= state.ambient
    state.ambient = 0
    if owner is ENVIRON and key in ENVIRONMENT:
        state.result = RECORD.read(ENVIRONMENT[key])
        return value
    found = SHADOWS.get(id(owner))
    if found is not None:
        items = found.items
        if items is not None and type(key) is int and len(items) == len(owner):
            taint |= items[key]
        elif issubclass(type(owner), dict) or owner is ENVIRON:
            try:
                taint |= RECORD.read(found.fields.get(key, 0))
            except TypeError:
                # A dict of the program's own may take keys that have no hash.
                taint |= found.content()
        elif items is None or len(items) != len(owner):
            taint |= found.content()
        elif isinstance(key, slice):
            set_items(value, items[key], found.structure | taint)
        else:
            taint |= items[key] if isinstance(key, int) else found.content()
    state.result = taint
    return value


def get_item(state: TaintState, owner: Any, taint: int, key: Any, of_key: int) -> Any:
    """Return `owner[key]` and leave its taint."""
    state.result = 0
    return with_item_taint(state, owner[key], owner, key, taint | of_key)


def with_operand_taints(state: TaintState, value: Any, left: Any, right: Any, taint: int) -> Any:
    """Return `value`, made of `left` and `right` by an operator, and leave its taint."""
    taint |= state.ambient
    state.ambient = 0
    kind = type(value)
    if SHADOWS and kind is not str and kind is not int:
        if kind in SEQUENCES and type(left) is kind and type(right) is kind:
            items = item_taints(left, len(left)) + item_taints(right, len(right))
            if len(items) == len(value):
                set_items(value, items, structure(left) | structure(right))
        elif issubclass(kind, dict):
            merge_into(value, left, 0)
            merge_into(value, right, 0)
        elif kind in MUTABLE:
            inside = content(left, 0) | content(right, 0)
            if inside:
                shadow(value).structure |= inside
        elif kind is not bool or type(left) in MUTABLE or type(right) in MUTABLE:
            taint |= content(left) | content(right)
    elif SHADOWS and (type(right) is tuple or id(right) in SHADOWS):
        taint |= content(right)
    state.result = taint
    return value


def operate(
    state: TaintState, function: Callable[[Any, Any], Any], left: Any, of_left: int, right: Any, of_right: int
) -> Any:
    """Return `function(left, right)` and leave its taint."""
    value = function(left, right)
    taint = of_left | of_right
    if function in IDENTITY:
        state.result = taint
        return value
    if function in MEMBERSHIP and asks_for_a_key(right):
        state.result = taint | key_taint(right, left) | content(left) | state.ambient
        state.ambient = 0
        return value
    if type(value) is bool:
        if type(right) is TaintedView:
            right = right.held
        depth = 2 if type(left) in MUTABLE or type(right) in MUTABLE else 1
        state.result = taint | content(left, depth) | content(right, depth) | state.ambient
        state.ambient = 0
        return value
    return with_operand_taints(state, value, left, right, taint)


def new_sequence(state: TaintState, kind: type, parts: tuple[Any, ...]) -> Any:
    """Return a new list, tuple or set of items and their taints in turn."""
    return with_item_taints(state, kind(parts[::2]), parts[1::2])


def with_item_taints(state: TaintState, value: Any, taints: tuple[int, ...]) -> Any:
    """Return a list, tuple or set that was just made of items of `taints`."""
    if any(taints):
        set_items(value, list(taints))
    state.result = 0
    return value


def new_starred_sequence(state: TaintState, kind: type, parts: tuple[tuple[bool, Any, int], ...]) -> Any:
    """Return a new list, tuple or set of (whether it is `*value`, value, taint)."""
    values: list[Any] = []
    taints: list[int] = []
    of_structure = 0
    for starred, value, taint in parts:
        if starred:
            of_structure |= taint | structure(value)
            for item, of_item in elements(state, value, taint):
                values.append(item)
                taints.append(of_item)
        else:
            values.append(value)
            taints.append(taint)
    made = kind(values)
    set_items(made, taints, of_structure)
    state.result = 0
    return made


def new_slice(state: TaintState, parts: list[Any]) -> slice:
    """Return a slice and leave the taint of its parts."""
    state.result = content(parts, 0)
    return slice(*parts)


def begin_parts(state: TaintState) -> tuple[int, int]:
    """Begin an expression whose parts add their taints one by one; returns the state of the one around it."""
    before, state.parts = (state.parts, state.control), 0
    return before


def part(state: TaintState, value: Any, taint: int) -> Any:
    """Note the taint of a part."""
    state.parts |= taint
    return value


def formatted_part(state: TaintState, value: Any, taint: int) -> Any:
    """Note the taint of a part and, of a built-in container, of what it holds: others say themselves what is shown."""
    if type(value) in MUTABLE or type(value) in SEARCHABLE:
        taint |= content(value)
    state.parts |= taint
    return value


def part_and_content(state: TaintState, value: Any, taint: int) -> Any:
    """Note the taint of a part and of what it holds."""
    state.parts |= taint | content(value)
    return value


def deciding_part(state: TaintState, value: Any, taint: int, site: int, lately: KnownLately) -> Any:
    """Note the taint of a part that decides about the parts that follow."""
    taint = FLOWS.through(site, taint | structure(value), lately)
    if taint or state.control:
        if LAST[site] != (taint, state.control):
            state.note_decision(site, taint, lately)
        state.control |= taint
        state.parts |= taint
    return value


def end_parts(state: TaintState, before: tuple[int, int], value: Any) -> Any:
    """End such an expression and leave the taint of its parts."""
    state.result = state.parts | state.ambient
    state.ambient = 0
    state.parts, state.control = before
    return value


def end_unfollowed(state: TaintState, before: tuple[int, int], value: Any, what: str) -> Any:
    """Return the `value` of something that is not followed; what went in is taken to come out."""
    if state.parts | state.ambient | state.control:
        RECORD.note_unfollowed(what)
    return end_parts(state, before, value)


def truth(state: TaintState, value: Any, taint: int) -> Any:
    """Return the `value` of a test and leave its taint; of a container, that of whether it is empty."""
    state.result = taint | structure(value)
    return value


def with_taint(state: TaintState, value: Any, taint: int) -> Any:
    """Return `value` and leave its taint."""
    state.result = taint
    return value


def new_dict(state: TaintState, parts: tuple[Any, ...]) -> dict[Any, Any]:
    """Return a new dict of keys, values and their taints in turn; `NOT_A_KEY` marks a mapping to be merged."""
    made: dict[Any, Any] = {}
    fields: dict[Any, int] = {}
    of_structure = of_size = 0
    for key, of_key, value, of_value in zip(*[iter(parts)] * 4, strict=False):
        if key is NOT_A_KEY:
            made.update(value)
            of_structure |= of_value
            found = SHADOWS.get(id(value))
            if found is not None:
                of_structure |= found.structure
                of_size |= found.size
            known = {} if found is None else found.fields
            # Mappings of other kinds may run code of the program where they are asked.
            there = dict.keys(value) if issubclass(type(value), dict) else known.keys()
            for name in there | known.keys():
                # What is not there now would have been put in its place.
                before = 0 if name in there else fields.get(name, 0)
                fields[name] = before | known.get(name, 0)
        else:
            made[key] = value
            fields[key] = of_key | of_value
    set_fields(made, fields, of_structure)
    if of_size:
        shadow(made).size |= of_size
    state.result = 0
    return made
