"""Run-time half of assignments: the taints of globals, attributes and items."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .lately import KnownLately
from .records import RECORD
from .shadows import (
    ATOMS,
    CLASS_NAMES,
    MUTABLE,
    SEQUENCES,
    SHADOWS,
    content,
    item_taints,
    merge_into,
    shadow,
    structure,
    taint_content,
    union,
)
from .sources import ENVIRON
from .state import TaintState
from .tracked import TaintedIterator
from .values import attribute_taint, with_item_taint, with_operand_taints

Operator = Callable[[Any, Any], Any]
# A value that is to be changed and its taint; what stores it again, and the arguments that say where.
Old = tuple[Any, int, Callable[..., None], tuple[Any, ...]]

# Taints of module-level names that have one, as "module:name".
GLOBALS: dict[str, int] = {}


def set_attribute_taint(owner: Any, name: str, taint: int, *, weak: bool = False) -> None:
    """Note that `owner.name` was given a value of `taint`; a write that may not have been is `weak`."""
    if taint:
        fields = shadow(owner).fields
        fields[name] = taint | fields.get(name, 0) if weak else taint
        if issubclass(type(owner), (type, ModuleType)):
            if issubclass(type(owner), type):
                CLASS_NAMES.add(name)
            else:
                GLOBALS[f"{owner.__name__}:{name}"] = fields[name]
    elif not weak and id(owner) in SHADOWS:
        SHADOWS[id(owner)].fields.pop(name, None)
        if issubclass(type(owner), ModuleType):
            GLOBALS.pop(f"{owner.__name__}:{name}", None)


def store_attribute(
    state: TaintState,
    owner: Any,
    of_owner: int,
    name: str,
    value: Any,
    taint: int,
    site: int,
    lately: KnownLately = None,
) -> None:
    """Do `owner.name = value` at a site; the write escapes the function, so it takes the whole control taint."""
    setattr(owner, name, value)
    taint |= of_owner | state.control
    state.result = taint and RECORD.step(site, taint, lately)
    if taint or id(owner) in SHADOWS:
        set_attribute_taint(owner, name, state.result)


def weak_write(
    state: TaintState, base: Any, path: tuple[str, ...], name: str | None, key: Any, taint: int
) -> None:
    """Note a write that did not happen because of a decision of `taint`: of `name`, or of an item under `key`.

    Attributes lead from `base` to the object; only plain ones are followed: the program must not notice.
    """
    owner = base
    for step in path:
        try:
            owner = object.__getattribute__(owner, "__dict__").get(step)
        except AttributeError:
            return
    taint |= state.control
    of_owner = SHADOWS.get(id(owner))
    if of_owner is None and type(owner) in ATOMS:
        return
    if name is not None:
        if of_owner is None or taint & ~of_owner.fields.get(name, 0):
            set_attribute_taint(owner, name, taint, weak=True)
        return
    of_owner = of_owner or shadow(owner)
    if key is not None and issubclass(type(owner), dict):
        of_owner.size |= taint
        of_owner.fields[key] = of_owner.fields.get(key, 0) | taint
    else:
        of_owner.structure |= taint


def weak_write_content(state: TaintState, owner: Any, taint: int) -> None:
    """Record that which items `owner` has was not changed because of a decision of `taint`."""
    if id(owner) in SHADOWS:
        SHADOWS[id(owner)].structure |= taint | state.control
    elif type(owner) not in ATOMS:
        shadow(owner).structure |= taint | state.control


def weak_write_global(state: TaintState, key: str, taint: int) -> None:
    """Note that a global was not given a value because of a decision of `taint`."""
    GLOBALS[key] = GLOBALS.get(key, 0) | taint | state.control


def _store_slice(owner: list[Any], key: slice, value: Any, of_place: int, taint: int) -> int:
    """Do `owner[key] = value`, `of_place` being the taint of the key and of the control flow, `taint` that of `value`; return both."""
    before = list(item_taints(owner, len(owner)))
    pairs: list[tuple[Any, int]] | None = None
    if type(value) in SEQUENCES:
        pairs = list(zip(value, item_taints(value, len(value)), strict=True))
    elif type(value) is TaintedIterator:
        pairs = list(value.pairs)
    owner[key] = value if pairs is None else [item for item, _ in pairs]
    if pairs is None:
        # What came out of an iterator, and how much of it, is not known item by item.
        taint_content(owner, taint | of_place | content(value, 1) | union(before))
        return taint | of_place
    before[key] = [taint | of_item for _, of_item in pairs]
    if of_place:
        # Items behind it may have moved.
        before = [of_item | of_place for of_item in before]
    if any(before) or taint or id(owner) in SHADOWS:
        known = shadow(owner)
        known.items = before
        known.structure |= of_place | taint | structure(value)
    return taint | of_place


def store_item(
    state: TaintState,
    owner: Any,
    of_owner: int,
    key: Any,
    of_key: int,
    value: Any,
    taint: int,
    site: int,
    lately: KnownLately = None,
) -> None:
    """Do `owner[key] = value` at a site."""
    if isinstance(key, slice) and type(owner) is list:
        taint = _store_slice(owner, key, value, of_owner | of_key | state.control, taint)
        state.result = RECORD.step(site, taint, lately)
        return
    owner[key] = value
    taint |= of_owner | of_key | state.control
    state.result = taint = taint and RECORD.step(site, taint, lately)
    if not taint and id(owner) not in SHADOWS:
        return
    of_items = shadow(owner)
    if issubclass(type(owner), dict) or owner is ENVIRON:
        try:
            of_items.fields[key] = taint
        except TypeError:
            # A dict of the program's own may take keys that have no hash.
            of_items.structure |= taint
        of_items.size |= of_owner | state.control
        of_items.structure |= of_key
    elif isinstance(key, int) and type(owner) in SEQUENCES:
        of_items.by_position(len(owner))[key] = taint
    else:
        of_items.structure |= taint | content(value, 1)
        of_items.items = None


def delete_item(state: TaintState, owner: Any, of_owner: int, key: Any, of_key: int) -> None:
    """Do `del owner[key]`."""
    of_items = SHADOWS.get(id(owner))
    fits = of_items is not None and of_items.items is not None and len(of_items.items) == len(owner)
    del owner[key]
    taint = of_owner | state.control
    if issubclass(type(owner), dict) and (taint | of_key or of_items is not None):
        _forget_key(owner, key, taint, of_key)
        return
    taint |= of_key
    if of_items is not None:
        if fits and of_items.items is not None and isinstance(key, (int, slice)):
            del of_items.items[key]
        else:
            of_items.structure |= of_items.content()
    if taint:
        shadow(owner).structure |= taint


def _forget_key(owner: Any, key: Any, taint: int, of_key: int) -> None:
    """Note that a dict has lost `key`, of taint `of_key`, because of decisions of `taint`."""
    of_items = shadow(owner)
    of_items.size |= taint
    of_items.structure |= of_key
    try:
        of_items.fields[key] = taint | of_key
    except TypeError:
        # A dict of the program's own may take keys that have no hash.
        of_items.structure |= taint


def store_global(module: str, name: str, taint: int, site: int) -> None:
    """Note that a module's name was given a value of `taint` at a site."""
    key = f"{module}:{name}"
    if taint:
        GLOBALS[key] = RECORD.step(site, taint)
    else:
        GLOBALS.pop(key, None)


def imported_taint(module: str, source: str, level: int, name: str) -> int:
    """Return the taint that a name has in the module it is imported from."""
    if not GLOBALS:
        return 0
    if level:
        package = sys.modules[module].__package__ or ""
        base = package.rsplit(".", level - 1)[0] if level > 1 else package
        source = f"{base}.{source}" if source else base
    return GLOBALS.get(f"{source}:{name}", 0)


def held_content(state: TaintState) -> int:
    """Return the taint of the value that is kept, and of what it holds."""
    value, taint = state.held[-1]
    return taint | content(value)


def in_place_taint(state: TaintState, value: Any, other: Any, taint: int) -> int:
    """Return the taint of a name that `other` was added to in place, giving `value`."""
    taint |= state.ambient
    state.ambient = 0
    if issubclass(type(value), dict):
        merge_into(value, other, state.control)
    elif type(value) in MUTABLE:
        taint_content(value, content(other, 0) | state.control)
    elif id(other) in SHADOWS:
        taint |= content(other)
    return taint


def change(state: TaintState, function: Operator, old: Any, of_old: int, other: Any, of_other: int) -> Any:
    """Return `old` changed by `other`, in place where it can be, and leave its taint."""
    before = item_taints(old, len(old)) if type(old) is list and id(old) in SHADOWS else None
    if type(old) is list and type(other) in SEQUENCES:
        items = [of_other | state.control | taint for taint in item_taints(other, len(other))]
        value = function(old, other)
        added = len(value) - len(items)
        if any(items) if before is None else added == len(before):
            known = shadow(value)
            known.items = list(before or [0] * added) + items
            known.structure |= state.control | structure(other)
        state.result = of_old
        return value
    value = function(old, other)
    if type(value) in MUTABLE and value is old:
        state.result = of_old | of_other
        if issubclass(type(value), dict):
            merge_into(value, other, of_other | state.control)
        else:
            taint_content(value, content(other) | of_other | state.control)
        return value
    return with_operand_taints(state, value, old, other, of_old | of_other)


def old_attribute(state: TaintState, owner: Any, taint: int, name: str) -> Old:
    """Return the attribute that is to be changed; see `change_stored`."""
    value = getattr(owner, name)
    return value, attribute_taint(state, owner, name, taint), store_attribute, (owner, taint, name)


def old_item(state: TaintState, owner: Any, taint: int, key: Any, of_key: int) -> Old:
    """Return the item that is to be changed; see `change_stored`."""
    state.result = 0
    value = with_item_taint(state, owner[key], owner, key, taint | of_key)
    return value, state.result, store_item, (owner, taint, key, of_key)


def change_stored(
    state: TaintState, old: Old, function: Operator, other: Any, of_other: int, control: int, site: int
) -> None:
    """Do `owner.name op= other` or `owner[key] op= other` at a site, `old` being what was there."""
    value, of_value, store, place = old
    value = change(state, function, value, of_value, other, of_other)
    store(state, *place, value, state.result | control, site)
