"""Run-time half of assignments: what names, attributes and items are known to hold."""

from __future__ import annotations

import sys
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING

from .bulk import merge_into, store_slice
from .core import Core
from .heap import ATOMS, CLASS_NAMES, MUTABLE, SEQUENCES, SHADOWS, content, item_taints, shadow, structure
from .sources import ENVIRON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Taints of module-level names that have one, as "module:name".
GLOBALS: dict[str, int] = {}


class Stores(Core):
    """The part of a thread's state that assignments need."""

    __slots__ = ()

    def field(self, owner: Any, name: str, taint: int) -> int:
        """Return the taint of an attribute; see `Values`."""
        raise NotImplementedError

    def item(self, value: Any, owner: Any, key: Any, taint: int) -> Any:
        """Return an item and leave its taint; see `Values`."""
        raise NotImplementedError

    def joined(self, value: Any, left: Any, right: Any, taint: int) -> Any:
        """Return an operator's result and leave its taint; see `Values`."""
        raise NotImplementedError

    def elements(self, values: Any, taint: int) -> Iterator[tuple[Any, int]]:
        """Yield items with their taints; see `Loops`."""
        raise NotImplementedError

    def set_field(self, owner: Any, name: str, taint: int, *, weak: bool = False) -> None:
        """Note that `owner.name` was given a value of `taint`; a write that may not have been is `weak`."""
        if taint:
            of_owner = shadow(owner)
            if issubclass(type(owner), type):
                CLASS_NAMES.add(name)
            of_owner.fields[name] = taint | (of_owner.fields.get(name, 0) if weak else 0)
            if issubclass(type(owner), ModuleType):
                GLOBALS[f"{owner.__name__}:{name}"] = of_owner.fields[name]
        elif not weak and id(owner) in SHADOWS:
            SHADOWS[id(owner)].fields.pop(name, None)
            if issubclass(type(owner), ModuleType):
                GLOBALS.pop(f"{owner.__name__}:{name}", None)

    def store_attribute(self, owner: Any, of_owner: int, name: str, value: Any, taint: int) -> None:
        """Do `owner.name = value`; the write escapes the function, so it takes the whole control taint."""
        setattr(owner, name, value)
        self.t = taint | of_owner | self.c
        self.set_field(owner, name, self.t)

    def missed(self, base: Any, path: tuple[str, ...], name: str | None, key: Any, taint: int) -> None:
        """Note a write that did not happen because of a decision of `taint`: of `name`, or of an item under `key`.

        Attributes lead from `base` to the object; only plain ones are followed: the program must not notice.
        """
        owner = base
        for step in path:
            try:
                owner = object.__getattribute__(owner, "__dict__").get(step)
            except AttributeError:
                return
        if type(owner) in ATOMS:
            return
        taint |= self.c
        if name is not None:
            if id(owner) not in SHADOWS or taint & ~SHADOWS[id(owner)].fields.get(name, 0):
                self.set_field(owner, name, taint, weak=True)
            return
        of_owner = shadow(owner)
        of_owner.structure |= taint
        if key is not None and issubclass(type(owner), dict):
            of_owner.fields[key] = of_owner.fields.get(key, 0) | taint

    def missed_inside(self, owner: Any, taint: int) -> None:
        """Note that which items `owner` has was not changed because of a decision of `taint`."""
        if id(owner) in SHADOWS:
            SHADOWS[id(owner)].structure |= taint | self.c
        elif type(owner) not in ATOMS:
            shadow(owner).structure |= taint | self.c

    def missed_global(self, key: str, taint: int) -> None:
        """Note that a global was not given a value because of a decision of `taint`."""
        GLOBALS[key] = GLOBALS.get(key, 0) | taint | self.c

    def store_item(  # noqa: PLR0917 - what `o[k] = v` is made of
        self, owner: Any, of_owner: int, key: Any, of_key: int, value: Any, taint: int
    ) -> None:
        """Do `owner[key] = value`."""
        if isinstance(key, slice) and type(owner) is list:
            self.t = store_slice(owner, key, value, of_owner | of_key | self.c, taint)
            return
        owner[key] = value
        taint |= of_owner | of_key | self.c
        self.t = taint
        if not taint and id(owner) not in SHADOWS:
            return
        of_items = shadow(owner)
        if issubclass(type(owner), dict) or owner is ENVIRON:
            try:
                of_items.fields[key] = taint
            except TypeError:
                # A dict of the program's own may take keys that have no hash.
                of_items.structure |= taint
            of_items.structure |= of_owner | of_key | self.c
        elif isinstance(key, int) and type(owner) in SEQUENCES:
            if of_items.items is None or len(of_items.items) != len(owner):
                of_items.items = [of_items.content()] * len(owner)
            of_items.items[key] = taint
        else:
            of_items.structure |= taint | content(value, 1)
            of_items.items = None

    def delete_item(self, owner: Any, of_owner: int, key: Any, of_key: int) -> None:
        """Do `del owner[key]`."""
        of_items = SHADOWS.get(id(owner))
        fits = of_items is not None and of_items.items is not None and len(of_items.items) == len(owner)
        del owner[key]
        taint = of_owner | of_key | self.c
        if of_items is not None:
            if fits and of_items.items is not None and isinstance(key, (int, slice)):
                del of_items.items[key]
            elif not issubclass(type(owner), dict):
                of_items.structure |= of_items.content()
        if taint:
            shadow(owner).structure |= taint

    def store_global(self, module: str, name: str, taint: int) -> None:
        """Note that a module's name was given a value of `taint`."""
        key = f"{module}:{name}"
        if taint:
            GLOBALS[key] = taint
        else:
            GLOBALS.pop(key, None)

    def imported(self, module: str, source: str, level: int, name: str) -> int:
        """Return the taint that a name has in the module it is imported from."""
        if not GLOBALS:
            return 0
        if level:
            package = sys.modules[module].__package__ or ""
            base = package.rsplit(".", level - 1)[0] if level > 1 else package
            source = f"{base}.{source}" if source else base
        return GLOBALS.get(f"{source}:{name}", 0)

    def hold(self, value: Any, taint: int) -> None:
        """Keep a value for the statements that follow, outside of functions."""
        self.kept.append((value, taint))

    def held(self) -> Any:
        """Return the value that is kept."""
        return self.kept[-1][0]

    def held_taint(self) -> int:
        """Return its taint."""
        return self.kept[-1][1]

    def held_content(self) -> int:
        """Return its taint and that of what it holds."""
        value, taint = self.kept[-1]
        return taint | content(value)

    def drop(self) -> None:
        """Let go of it."""
        self.kept.pop()

    def whole(self, value: Any, taint: int, most: int | None) -> Any:
        """Return something that can be taken apart more than once, and leave the taint of all of it.

        Python itself reads no more than `most` items (None: all), and says what cannot be taken apart.
        """
        kind = type(value)
        if kind in (list, tuple, str, dict) or not (
            hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")
        ):
            self.t = taint
            return value
        found = list(islice(self.elements(value, taint), most))
        made = tuple(item for item, _ in found)
        if any(of_item for _, of_item in found):
            shadow(made).items = [of_item for _, of_item in found]
        self.t = taint
        return made

    def parts_of(self, value: Any, taint: int, count: int, star: int | None) -> list[int]:
        """Return the taints of `count` targets that `value` is taken apart into; `star` is the one with a star."""
        length = len(value)
        taints = item_taints(value, length)
        if taint:
            taints = [taint | of_item for of_item in taints]
        if star is None:
            return taints
        after = count - star - 1
        middle = taint | structure(value)
        for of_item in taints[star : length - after]:
            middle |= of_item
        return [*taints[:star], middle, *taints[length - after :]] if after else [*taints[:star], middle]

    def items_of(self, value: Any, count: int) -> list[int]:
        """Return the taint of each of the `count` items of a tuple that something is known of."""
        return item_taints(value, count)

    def in_place(self, value: Any, other: Any, taint: int) -> int:
        """Return the taint of a name that `other` was added to in place, giving `value`."""
        taint |= self.amb
        self.amb = 0
        if issubclass(type(value), dict):
            merge_into(value, other, self.c)
        elif type(value) in MUTABLE:
            inside = content(other, 0) | self.c
            if inside:
                known = shadow(value)
                known.structure |= inside
                known.items = None
        elif id(other) in SHADOWS:
            taint |= content(other)
        return taint

    def change(
        self, function: Callable[[Any, Any], Any], old: Any, of_old: int, other: Any, of_other: int
    ) -> Any:
        """Return `old` changed by `other`, in place where it can be, and leave its taint."""
        before = item_taints(old, len(old)) if type(old) is list and id(old) in SHADOWS else None
        if type(old) is list and type(other) in SEQUENCES:
            items = [of_other | self.c | taint for taint in item_taints(other, len(other))]
            value = function(old, other)
            if len(value) == (len(before) if before is not None else len(value) - len(items)) + len(
                items
            ) and (any(items) or before is not None):
                known = shadow(value)
                known.items = list(before or [0] * (len(value) - len(items))) + items
                known.structure |= self.c | structure(other)
            self.t = of_old
            return value
        value = function(old, other)
        if type(value) in MUTABLE and value is old:
            self.t = of_old | of_other
            if issubclass(type(value), dict):
                merge_into(value, other, of_other | self.c)
                return value
            inside = content(other) | of_other | self.c
            if inside:
                known = shadow(value)
                known.structure |= inside
                known.items = None
            return value
        return self.joined(value, old, other, of_old | of_other)

    def old_attribute(self, owner: Any, taint: int, name: str) -> tuple[Any, int, Any, int, str]:
        """Return the attribute that is to be changed and its taint, with what it belongs to and that taint."""
        value = getattr(owner, name)
        return value, self.field(owner, name, taint), owner, taint, name

    def old_item(self, owner: Any, taint: int, key: Any, of_key: int) -> tuple[Any, int, Any, int, Any, int]:
        """Return the item that is to be changed and its taint, with what it belongs to."""
        self.t = 0
        value = self.item(owner[key], owner, key, taint | of_key)
        return value, self.t, owner, taint, key, of_key

    def change_attribute(
        self,
        old: tuple[Any, int, Any, int, str],
        function: Callable[[Any, Any], Any],
        other: Any,
        of_other: int,
        control: int,
    ) -> None:
        """Do `owner.name op= other`, `old` being what `old_attribute` returned."""
        value, of_value, owner, of_owner, name = old
        value = self.change(function, value, of_value, other, of_other)
        self.store_attribute(owner, of_owner, name, value, self.t | control)

    def change_item(
        self,
        old: tuple[Any, int, Any, int, Any, int],
        function: Callable[[Any, Any], Any],
        other: Any,
        of_other: int,
        control: int,
    ) -> None:
        """Do `owner[key] op= other`, `old` being what `old_item` returned."""
        value, of_value, owner, of_owner, key, of_key = old
        value = self.change(function, value, of_value, other, of_other)
        self.store_item(owner, of_owner, key, of_key, value, self.t | control)
