"""Summaries of the methods of built-in containers; see `summarized.SummarizedCall`."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .iteration import elements
from .shadows import SHADOWS, content, item_taints, shadow, structure, union
from .tracked import TaintedView

if TYPE_CHECKING:
    from typing import Any

    from .summarized import SummarizedCall, Summary

# Methods that change nothing; their results have the taints of what goes in and of what is held.
PURE = frozenset(
    {
        "count", "index", "union", "difference", "intersection", "symmetric_difference", "issubset", "issuperset",
        "isdisjoint", "__contains__", "__len__", "decode", "startswith", "endswith", "find", "rfind", "fromkeys",
    }
)  # fmt: skip


def _append(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    taint = call.taints[1] | call.state.control
    call.state.result = 0
    found = SHADOWS.get(id(held))
    if found is None and not taint and not call.taints[0]:
        return call.owner(*call.args)
    found = shadow(held)
    left = call.owner.__name__ == "appendleft"
    bounded = getattr(held, "maxlen", None) is not None
    items = found.by_position(len(held))
    call.owner(*call.args)
    items.insert(0 if left else len(items), taint)
    found.structure |= call.state.control | call.taints[0]
    if bounded and len(items) != len(held):
        found.items = None
        found.structure |= taint
    return None


def _extend(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    before = call.state.control | call.taints[0]
    found: list[tuple[Any, int]] = []
    # A set takes from several at once, or from none.
    for source, of_source in zip(call.args, call.taints[1:], strict=False):
        before |= of_source | structure(source)
        found += elements(call.state, source, of_source)
    items = [taint | call.state.control for _, taint in found]
    value = call.owner([item for item, _ in found])
    if id(held) in SHADOWS or before or any(items):
        of_held = shadow(held)
        if call.owner.__name__ == "extend" and type(held) is list:
            if of_held.items is None:
                of_held.items = [of_held.content()] * (len(held) - len(items))
            of_held.items += items
        else:
            before |= union(items)
        of_held.structure |= before
    call.state.result = 0
    return value


def _insert(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    call.state.result = 0
    if id(held) in SHADOWS or any(call.taints) or call.state.control:
        found = shadow(held)
        of_item = call.taints[2] | call.taints[1] | call.state.control
        found.by_position(len(held)).insert(call.args[0], of_item)
        found.structure |= call.state.control | call.taints[0] | call.taints[1]
    return call.owner(*call.args)


def _pop_item(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    found = SHADOWS.get(id(held))
    length = len(held)
    value = call.owner(*call.args)
    taint = call.taints[0] | (call.taints[1] if len(call.taints) > 1 else 0)
    if found is not None:
        taint |= found.structure
        if found.items is not None and len(found.items) == length:
            at = 0 if call.owner.__name__ == "popleft" else (call.args[0] if call.args else -1)
            taint |= found.items.pop(at)
        else:
            taint |= found.content()
    if call.state.control:
        shadow(held).structure |= call.state.control
    call.state.result = taint
    return value


def _rearrange(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    found = SHADOWS.get(id(held))
    before = list(held) if found is not None else []
    value = call.run()
    call.state.result = call.taints[0]
    if found is not None:
        taints_before = (
            list(found.items) if found.items is not None and len(found.items) == len(before) else None
        )
        if taints_before is not None:
            where: dict[int, list[int]] = {}
            for item, taint in zip(before, taints_before, strict=False):
                where.setdefault(id(item), []).append(taint)
            found.items = [where[id(item)].pop(0) for item in held]
    # Which order it is depends on `key` and `reverse`.
    order = union(call.taints[1:])
    if order:
        shadow(held).items = [taint | order for taint in item_taints(held, len(held))]
    if call.state.ambient or call.state.control or call.taints[0]:
        shadow(held).structure |= call.state.ambient | call.state.control | call.taints[0]
        call.state.ambient = 0
    return value


def _clear(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    call.owner()
    call.state.result = 0
    found = SHADOWS.get(id(held))
    if found is not None:
        found.items = None
        found.fields.clear()
        found.structure = 0
    if call.state.control | call.taints[0]:
        shadow(held).structure |= call.state.control | call.taints[0]


def _copy(call: SummarizedCall) -> Any:
    value = call.owner()
    found = SHADOWS.get(id(call.owner.__self__))
    if found is not None:
        made = shadow(value)
        made.structure = found.structure
        made.fields = dict(found.fields)
        made.items = list(found.items) if found.items is not None else None
    call.state.result = call.taints[0]
    return value


def _get(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    # Those of ordered dicts take their arguments by name, too.
    key = call.args[0] if call.args else call.kwargs["key"]
    had = key in held
    found = SHADOWS.get(id(held))
    taint = call.taints[0] | call.taints[1]
    if found is not None:
        taint |= found.fields.get(key, 0) if had else found.structure
    if not had and len(call.taints) > 2:
        taint |= call.taints[2]
    value = call.run()
    if call.owner.__name__ == "pop":
        if found is not None:
            found.fields.pop(key, None)
        if call.state.control | call.taints[1]:
            shadow(held).structure |= call.state.control | call.taints[1]
    elif call.owner.__name__ == "setdefault" and not had and (taint | call.state.control):
        made = shadow(held)
        made.fields[key] = taint | call.state.control
        made.structure |= call.state.control | call.taints[1]
    call.state.result = taint
    return value


def _update(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    joined = call.state.control | union(call.taints)
    if call.args and not hasattr(call.args[0], "keys"):
        found = [
            (pair, tuple(pair), taint) for pair, taint in elements(call.state, call.args[0], call.taints[1])
        ]
        call.args = ([parts for _, parts, _ in found],)
        fields = {parts[0]: taint | content(pair, 0) for pair, parts, taint in found if len(parts) == 2}
    else:
        given = call.args[0] if call.args else {}
        of_given = SHADOWS.get(id(given))
        fields = {key: of_given.fields.get(key, 0) if of_given is not None else 0 for key in given.keys()}  # noqa: SIM118
    fields.update(zip(call.names, call.taints[1 + len(call.args) :], strict=False))
    of_source = structure(call.args[0]) if call.args else 0
    call.run()
    call.state.result = 0
    if id(held) in SHADOWS or joined or of_source or any(fields.values()):
        made = shadow(held)
        made.structure |= call.state.control | call.taints[0] | of_source
        made.fields.update((key, taint | call.state.control) for key, taint in fields.items())


def _view(call: SummarizedCall) -> Any:
    held = call.owner.__self__
    call.state.result = call.taints[0]
    if id(held) not in SHADOWS:
        return call.owner()
    return TaintedView(held, call.owner)


def _set_variable(call: SummarizedCall) -> Any:
    token = call.run()
    taint = call.state.control | union(call.taints)
    if taint:
        # Another context may still have the value from before.
        shadow(call.owner.__self__).structure |= taint
    call.state.result = 0
    return token


def _get_variable(call: SummarizedCall) -> Any:
    call.state.result = structure(call.owner.__self__) | union(call.taints)
    return call.run()


_OF_DICT: dict[str, Summary] = {
    "get": _get, "pop": _get, "setdefault": _get, "update": _update, "copy": _copy, "clear": _clear,
    "items": _view, "keys": _view, "values": _view,
}  # fmt: skip
METHODS: dict[type, dict[str, Summary]] = {
    list: {
        "append": _append, "extend": _extend, "insert": _insert, "pop": _pop_item, "sort": _rearrange,
        "reverse": _rearrange, "copy": _copy, "clear": _clear,
    },
    deque: {"append": _append, "appendleft": _append, "pop": _pop_item, "popleft": _pop_item, "clear": _clear, "copy": _copy},
    dict: _OF_DICT,
    OrderedDict: _OF_DICT,
    defaultdict: _OF_DICT,
    set: {"clear": _clear, "copy": _copy, "update": _extend},
    bytearray: {},
    ContextVar: {"set": _set_variable, "get": _get_variable},
}  # fmt: skip
