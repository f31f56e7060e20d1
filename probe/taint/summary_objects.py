"""Summaries of what makes objects without code of the program: named tuples, dataclasses, classes of attrs, namespaces, copies.

Such an object has no taint as a whole: its attributes have theirs, as those of an object of a class of the program.
"""

import copy
import dataclasses
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from .iteration import elements
from .pending_objects import PendingObject, RecordClass
from .shadows import (
    SHADOWS,
    content,
    item_taints,
    set_fields,
    set_items,
    shadow,
    share_fields,
    structure,
    union,
)
from .signatures import CODES
from .summarized import SummarizedCall, Summary
from .summary_builtins import summary_of


def _finish(
    call: SummarizedCall, record: RecordClass, arguments: dict[str, int], fields: dict[str, int]
) -> Any:
    """Make an object, as the call does, of `arguments` with these taints; its other attributes have those of `fields`."""
    values: dict[int, int] = {}
    for value, taint in zip((*call.args, *call.kwargs.values()), call.taints[1:], strict=False):
        values[id(value)] = values.get(id(value), 0) | taint
    before = call.state.making
    call.state.making = pending = PendingObject(record, arguments, fields, values)
    try:
        made = call.run()
    finally:
        call.state.making = before
    pending.keep(made)
    set_fields(made, dict.fromkeys(record.made - pending.fields.keys(), call.state.ambient))
    call.state.ambient = 0
    return made


# Looked up once: what a class is made by does not change. The classes are kept, so that their identity is their own.
_CLASSES: dict[int, tuple[type, RecordClass | Summary | None]] = {}


def _look_up(made: type) -> RecordClass | Summary | None:
    begin = getattr(made, "__init__", None)
    if type(made).__call__ is not type.__call__:
        return None
    if type(begin) is FunctionType and id(begin.__code__) not in CODES:
        owner = next(base for base in made.__mro__ if "__init__" in vars(base))
        if not vars(owner).keys().isdisjoint(("__attrs_attrs__", "__dataclass_fields__")):
            return RecordClass(made, owner) if begin.__code__.co_filename.startswith("<") else None
        # Not imported by its name: the programs that have one have imported it.
        return make_namespace if (owner.__module__, owner.__name__) == ("argparse", "Namespace") else None
    if begin is SimpleNamespace.__init__:
        return make_namespace
    return make_named_tuple if issubclass(made, tuple) and hasattr(made, "_fields") else None


def _found(made: type) -> RecordClass | Summary | None:
    if id(made) not in _CLASSES:
        _CLASSES[id(made)] = made, _look_up(made)
    return _CLASSES[id(made)][1]


def summary_of_class(made: type) -> Summary | None:
    """Return the summary of a call of a class, None if it has none."""
    found = _found(made)
    return make_record if isinstance(found, RecordClass) else found


def make_record(call: SummarizedCall) -> tuple[Any, int]:
    """A dataclass or class of attrs: its `__init__` puts each argument into its attribute."""
    record: Any = _found(call.owner)
    return _finish(call, record, call.taints_by_name(record.by_place), {}), call.taints[0]


def summary_of_function(callee: Any) -> Summary | None:
    """Return the summary of a function of attrs, which cannot be known by identity: it may not be there."""
    # Its own name for its module may be that of a class that it was put into.
    module = callee.__globals__.get("__name__")
    return _OF_ATTRS.get(callee.__name__) if module in _MODULES_OF_ATTRS else None


def make_namespace(call: SummarizedCall) -> tuple[Any, int]:
    """A namespace of argparse or `types`: each keyword is an attribute; newer ones take a mapping, too."""
    made = call.run()
    call.state.ambient = 0
    found = SHADOWS.get(id(call.args[0])) if call.args else None
    set_fields(made, {**(found.fields if found is not None else {}), **call.named_taints()})
    return made, call.taints[0]


# CPython 3.13 has one for all kinds of objects.
@summary_of(dataclasses.replace, *(made for name, made in vars(copy).items() if name == "replace"))
def replaced(call: SummarizedCall) -> tuple[Any, int]:
    """A copy of a record with other values in some attributes."""
    held = call.args[0] if call.args else None
    record = _found(type(held))
    if not isinstance(record, RecordClass):
        joined = call.whole_taint()
        return call.run(), call.state.with_ambient(joined)
    before = SHADOWS.get(id(held))
    fields = dict(before.fields) if before is not None else {}
    return _finish(call, record, call.named_taints(), fields), call.taints[1]


@summary_of(dataclasses.asdict)
def as_dict(call: SummarizedCall) -> tuple[Any, int]:
    """A dict of a record's attributes."""
    made = call.run()
    taint = call.state.with_ambient(union(call.taints[1:]))
    _copy_into(made, call.args[0])
    return made, taint


def _copy_into(made: Any, held: Any) -> None:
    """Give a dict the taints of what it was made of, and of records in that."""
    found = SHADOWS.get(id(held))
    if found is not None and id(made) not in SHADOWS:
        if type(made) in (dict, type(held)):
            of_made = shadow(made)
            of_made.fields, of_made.structure, of_made.size = dict(found.fields), found.structure, found.size
            of_made.items = list(found.items) if found.items is not None else None
        else:
            set_items(made, [], content(held))
    if type(made) is dict and isinstance(_found(type(held)), RecordClass):
        for name, value in made.items():
            if type(value) in (dict, list):
                _copy_into(value, getattr(held, name, None))


@summary_of(copy.copy)
def copied(call: SummarizedCall) -> tuple[Any, int]:
    """A copy: what it holds is what the other one does."""
    made = call.run()
    taint = call.state.with_ambient(union(call.taints))
    if made is not call.args[0]:
        _copy_into(made, call.args[0])
    return made, taint


@summary_of(copy.deepcopy)
def copied_deeply(call: SummarizedCall) -> tuple[Any, int]:
    """A copy of an object and of all that it holds, of which the memory of the copying knows what became what."""
    memory = call.args[1] if len(call.args) > 1 else call.kwargs.get("memo")
    if memory is None:
        memory = call.kwargs["memo"] = {}
        call.args = call.args[:1]
    made = call.run()
    taint = call.state.with_ambient(union(call.taints))
    for key in memory.keys() & SHADOWS.keys():
        _copy_into(memory[key], SHADOWS[key].owner)
    return made, taint


@summary_of(vars)
def own_attributes(call: SummarizedCall) -> tuple[Any, int]:
    """The dict of an object's attributes; that of a class is of another kind."""
    found = call.run()
    share_fields(call.args[0], found)
    taint = call.state.with_ambient(union(call.taints))
    return found, taint if type(found) is dict else taint | content(call.args[0], 0)


_MODULES_OF_ATTRS = frozenset({"attr._make", "attr._funcs", "attr._next_gen"})
_OF_ATTRS: dict[str, Summary] = {"evolve": replaced, "asdict": as_dict}


def _set_items_with_names(made: Any, given: dict[str, int]) -> None:
    if any(given.values()):
        set_fields(made, given)
        shadow(made).items = [given.get(name, 0) for name in made._fields]


def make_named_tuple(call: SummarizedCall) -> tuple[Any, int]:
    """A named tuple: a tuple whose items have names."""
    made = call.run()
    if len(made) == len(call.owner._fields):
        _set_items_with_names(made, call.taints_by_name(call.owner._fields))
    return made, call.taints[0]


def _make_of_items(call: SummarizedCall) -> tuple[Any, int]:
    """A named tuple of the items of something else."""
    taint = call.taints[0] | call.taints[1] | structure(call.args[0])
    found = list(elements(call.state, call.args[0], call.taints[1]))
    call.args = ([item for item, _ in found],)
    made = call.run()
    _set_items_with_names(made, dict(zip(made._fields, (of_item for _, of_item in found), strict=False)))
    return made, taint


def _replace_items(call: SummarizedCall) -> tuple[Any, int]:
    """A copy of a named tuple with some items replaced: each keeps its own taint."""
    held = call.owner.__self__
    made = call.run()
    before = dict(zip(held._fields, item_taints(held, len(held)), strict=False))
    _set_items_with_names(made, {**before, **call.named_taints()})
    return made, call.taints[0]


def _as_dict_of_items(call: SummarizedCall) -> tuple[Any, int]:
    """A dict of a named tuple's items."""
    held = call.owner.__self__
    made = call.owner()
    set_fields(made, dict(zip(held._fields, item_taints(held, len(held)), strict=False)))
    return made, call.taints[0]


OF_NAMED_TUPLE: dict[str, Callable[[SummarizedCall], tuple[Any, int]]] = {
    "_make": _make_of_items, "_replace": _replace_items, "_asdict": _as_dict_of_items,
}  # fmt: skip
