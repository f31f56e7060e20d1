"""Run-time half of operators, attributes, items and displays."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from .bulk import merge_into
from .core import LAST, Core
from .heap import (
    CLASS_NAMES,
    MUTABLE,
    SEARCHABLE,
    SEQUENCES,
    SHADOWS,
    content,
    item_taints,
    set_fields,
    set_items,
    shadow,
    structure,
)
from .sources import ENVIRON, ENVIRONMENT, of_attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

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


class Values(Core):
    """The part of a thread's state that expressions and stores need."""

    __slots__ = ()

    def field(self, owner: Any, name: str, taint: int) -> int:
        """Return the taint of `owner.name`, which was just read, `taint` being that of `owner`."""
        if self.amb:
            taint |= self.amb
            self.amb = 0
            if kept_by_descriptor(owner, name):
                # It was worked out when it was asked for; the next time nothing runs any more.
                shadow(owner).fields[name] = taint
        key = id(owner)
        if name not in CLASS_NAMES:
            return taint | SHADOWS[key].fields.get(name, 0) if key in SHADOWS else taint
        # So is what is a source of its own.
        exact = of_attribute(owner, name)
        if exact is not None:
            return exact
        if key in SHADOWS and name in SHADOWS[key].fields:
            return taint | SHADOWS[key].fields[name]
        for base in (owner if issubclass(type(owner), type) else type(owner)).__mro__:
            if name in vars(base):
                of_class = SHADOWS.get(id(base))
                return taint if of_class is None else taint | of_class.fields.get(name, 0)
        return taint

    def attribute(self, owner: Any, taint: int, name: str) -> Any:
        """Return `owner.name` and leave its taint."""
        value = getattr(owner, name)
        if self.amb or name in CLASS_NAMES:
            self.t = self.field(owner, name, taint)
        else:
            found = SHADOWS.get(id(owner))
            self.t = taint if found is None else taint | found.fields.get(name, 0)
        return value

    def item(self, value: Any, owner: Any, key: Any, taint: int) -> Any:
        """Return `value`, which is `owner[key]`, and leave its taint; `taint` is that of owner and key."""
        taint |= self.amb
        self.amb = 0
        if owner is ENVIRON and key in ENVIRONMENT:
            self.t = ENVIRONMENT[key]
            return value
        found = SHADOWS.get(id(owner))
        if found is not None:
            items = found.items
            if items is not None and type(key) is int and len(items) == len(owner):
                taint |= items[key]
            elif issubclass(type(owner), dict) or owner is ENVIRON:
                try:
                    taint |= found.fields.get(key, 0)
                except TypeError:
                    # A dict of the program's own may take keys that have no hash.
                    taint |= found.content()
            elif items is None or len(items) != len(owner):
                taint |= found.content()
            elif isinstance(key, slice):
                set_items(value, items[key], found.structure | taint)
            else:
                taint |= items[key] if isinstance(key, int) else found.content()
        self.t = taint
        return value

    def subscript(self, owner: Any, taint: int, key: Any, of_key: int) -> Any:
        """Return `owner[key]` and leave its taint."""
        self.t = 0
        return self.item(owner[key], owner, key, taint | of_key)

    def joined(self, value: Any, left: Any, right: Any, taint: int) -> Any:
        """Return `value`, made of `left` and `right` by an operator, and leave its taint."""
        taint |= self.amb
        self.amb = 0
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
        self.t = taint
        return value

    def operate(
        self, function: Callable[[Any, Any], Any], left: Any, of_left: int, right: Any, of_right: int
    ) -> Any:
        """Return `function(left, right)` and leave its taint."""
        value = function(left, right)
        taint = of_left | of_right
        if function in IDENTITY:
            self.t = taint
            return value
        if type(value) is bool:
            depth = 2 if type(left) in MUTABLE or type(right) in MUTABLE else 1
            self.t = taint | content(left, depth) | content(right, depth) | self.amb
            self.amb = 0
            return value
        return self.joined(value, left, right, taint)

    def content(self, value: Any) -> int:
        """Return the taint of what `value` holds."""
        return content(value, 1)

    def sequence(self, kind: type, parts: tuple[Any, ...]) -> Any:
        """Return a new list, tuple or set of items and their taints in turn."""
        value = kind(parts[::2])
        taints = parts[1::2]
        if any(taints):
            set_items(value, list(taints))
        self.t = 0
        return value

    def filled(self, value: Any, taints: tuple[int, ...]) -> Any:
        """Return a list, tuple or set that was just made of items of `taints`."""
        if any(taints):
            set_items(value, list(taints))
        self.t = 0
        return value

    def sequence_of(self, kind: type, parts: tuple[tuple[bool, Any, int], ...]) -> Any:
        """Return a new list, tuple or set of (whether it is `*value`, value, taint)."""
        values: list[Any] = []
        taints: list[int] = []
        of_structure = 0
        for starred, value, taint in parts:
            if starred:
                of_structure |= taint | structure(value)
                for item, of_item in self.elements(value, taint):
                    values.append(item)
                    taints.append(of_item)
            else:
                values.append(value)
                taints.append(taint)
        made = kind(values)
        set_items(made, taints, of_structure)
        self.t = 0
        return made

    def elements(self, values: Any, taint: int) -> Iterator[tuple[Any, int]]:
        """Yield items with their taints."""
        raise NotImplementedError

    def slice_of(self, parts: list[Any]) -> slice:
        """Return a slice and leave the taint of its parts."""
        self.t = content(parts, 0)
        return slice(*parts)

    def gather(self) -> tuple[int, int]:
        """Begin an expression whose parts tell their taints one by one; returns what was under way."""
        before = self.parts, self.c
        self.parts = 0
        return before

    def also(self, value: Any, taint: int) -> Any:
        """Note the taint of a part."""
        self.parts |= taint
        return value

    def also_shown(self, value: Any, taint: int) -> Any:
        """Note the taint of a part and, of a built-in container, of what it holds: others say themselves what is shown."""
        if type(value) in MUTABLE or type(value) in SEARCHABLE:
            taint |= content(value)
        self.parts |= taint
        return value

    def also_inside(self, value: Any, taint: int) -> Any:
        """Note the taint of a part and of what it holds."""
        self.parts |= taint | content(value)
        return value

    def either(self, value: Any, taint: int, site: int) -> Any:
        """Note the taint of a part that decides about the parts that follow."""
        if id(value) in SHADOWS:
            taint |= SHADOWS[id(value)].structure
        if taint or self.c:
            if LAST[site] != (taint, self.c):
                self.note_here(site, taint)
            self.c |= taint
            self.parts |= taint
        return value

    def all_of(self, before: tuple[int, int], value: Any) -> Any:
        """End such an expression and leave the taint of its parts."""
        self.t = self.parts | self.amb
        self.amb = 0
        self.parts, self.c = before
        return value

    def truth(self, value: Any, taint: int) -> Any:
        """Return the `value` of a test and leave its taint; of a container, that of whether it is empty."""
        self.t = taint | SHADOWS[id(value)].structure if id(value) in SHADOWS else taint
        return value

    def first(self, value: Any, taint: int) -> Any:
        """Return `value` and leave its taint."""
        self.t = taint
        return value

    def mapping_of(self, parts: tuple[Any, ...]) -> dict[Any, Any]:
        """Return a new dict of keys, values and their taints in turn; `NOT_A_KEY` marks a mapping to be merged."""
        made: dict[Any, Any] = {}
        fields: dict[Any, int] = {}
        of_structure = 0
        for key, of_key, value, of_value in zip(*[iter(parts)] * 4, strict=False):
            if key is NOT_A_KEY:
                made.update(value)
                found = SHADOWS.get(id(value))
                of_structure |= of_value
                if found is not None:
                    fields.update(found.fields)
                    of_structure |= found.structure
            else:
                made[key] = value
                fields[key] = of_key | of_value
        set_fields(made, fields, of_structure)
        self.t = 0
        return made
