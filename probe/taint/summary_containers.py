"""Summaries of the methods of built-in containers; see `summarized.SummarizedCall`."""

from collections import OrderedDict, defaultdict, deque
from contextvars import ContextVar
from typing import Any

from .iteration import elements
from .records import RECORD
from .shadows import SHADOWS, Shadow, content, item_taints, reordered, shadow, structure, union
from .summarized import SummarizedCall, Summary
from .tracked import TaintedView

# Methods that change nothing; their results have the taints of what goes in and of what is held.
PURE = frozenset(
    {
        "count", "index", "union", "difference", "intersection", "symmetric_difference", "issubset", "issuperset",
        "isdisjoint", "__contains__", "__len__", "decode", "startswith", "endswith", "find", "rfind", "fromkeys",
    }
)  # fmt: skip


def _shadow_if(container: object, taint: int) -> Shadow | None:
    """Return the shadow of a container, a new one where there is none and `taint` is not 0; else None."""
    return shadow(container) if taint or id(container) in SHADOWS else None


def _join_structure(container: object, taint: int) -> None:
    """Join `taint` into which items a container holds."""
    if taint:
        shadow(container).structure |= taint


def _append(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    of_item, of_structure = call.taints[1] | call.state.control, call.taints[0] | call.state.control
    of_container = _shadow_if(container, of_item | of_structure)
    if of_container is None:
        return call.owner(*call.args), 0
    items = of_container.by_position(len(container))
    call.owner(*call.args)
    items.insert(0 if call.owner.__name__ == "appendleft" else len(items), of_item)
    of_container.structure |= of_structure
    # A deque that was full has dropped one.
    if len(items) != len(container):
        of_container.items = None
        of_container.structure |= of_item
    return None, 0


def _extend(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    of_structure = call.state.control | call.taints[0]
    added: list[tuple[Any, int]] = []
    # A set takes from several at once, or from none.
    for source, of_source in zip(call.args, call.taints[1:], strict=False):
        of_structure |= of_source | structure(source)
        added += elements(call.state, source, of_source)
    items = [taint | call.state.control for _, taint in added]
    value = call.owner([item for item, _ in added])
    of_container = _shadow_if(container, of_structure | union(items))
    if of_container is not None:
        if call.owner.__name__ == "extend" and type(container) is list:
            if of_container.items is None:
                of_container.items = [of_container.content()] * (len(container) - len(items))
            of_container.items += items
        else:
            of_structure |= union(items)
        of_container.structure |= of_structure
    return value, 0


def _insert(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    of_structure = call.taints[0] | call.taints[1] | call.state.control
    of_container = _shadow_if(container, union(call.taints) | of_structure)
    if of_container is not None:
        of_item = call.taints[2] | call.taints[1] | call.state.control
        of_container.by_position(len(container)).insert(call.args[0], of_item)
        of_container.structure |= of_structure
    return call.owner(*call.args), 0


def _pop_item(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    of_container = SHADOWS.get(id(container))
    length = len(container)
    value = call.owner(*call.args)
    taint = union(call.taints[:2])
    if of_container is not None:
        taint |= of_container.structure
        if of_container.items is not None and len(of_container.items) == length:
            at = 0 if call.owner.__name__ == "popleft" else (call.args[0] if call.args else -1)
            taint |= of_container.items.pop(at)
        else:
            taint |= of_container.content()
    _join_structure(container, call.state.control)
    return value, taint


def _rearrange(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    of_container = SHADOWS.get(id(container))
    before = list(container) if of_container is not None else []
    value = call.run()
    if of_container is not None and of_container.items is not None and len(of_container.items) == len(before):
        of_container.items = reordered(before, of_container.items, container)
    # Which order it is depends on `key` and `reverse`.
    order = union(call.taints[1:])
    if order:
        shadow(container).items = [taint | order for taint in item_taints(container, len(container))]
    _join_structure(container, call.state.ambient | call.state.control | call.taints[0])
    call.state.ambient = 0
    return value, call.taints[0]


def _clear(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    call.owner()
    of_container = SHADOWS.get(id(container))
    if of_container is not None:
        of_container.items = None
        of_container.fields.clear()
        of_container.structure = of_container.size = 0
    _join_structure(container, call.state.control | call.taints[0])
    return None, 0


def _copy(call: SummarizedCall) -> tuple[Any, int]:
    value = call.owner()
    of_container = SHADOWS.get(id(call.owner.__self__))
    if of_container is not None:
        of_copy = shadow(value)
        of_copy.structure, of_copy.size = of_container.structure, of_container.size
        of_copy.fields = dict(of_container.fields)
        of_copy.items = list(of_container.items) if of_container.items is not None else None
    return value, call.taints[0]


def _get(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    # Those of ordered dicts take their arguments by name, too.
    key = call.args[0] if call.args else call.kwargs["key"]
    had = key in container
    of_container = SHADOWS.get(id(container))
    taint = call.taints[0] | call.taints[1]
    if of_container is not None:
        taint |= RECORD.read(of_container.fields.get(key, 0)) | (0 if had else of_container.structure)
    if not had and len(call.taints) > 2:
        taint |= call.taints[2]
    value = call.run()
    changed = call.owner.__name__ == ("pop" if had else "setdefault")
    # What it was before is gone; whether it was there is not.
    of_item = call.state.control | (call.taints[1] if had else taint)
    if changed and (of_item or of_container is not None):
        known = shadow(container)
        known.fields[key] = of_item
        known.size |= call.state.control
        _join_structure(container, call.taints[1])
    return value, taint


def _update(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    taint = call.state.control | union(call.taints)
    if call.args and not hasattr(call.args[0], "keys"):
        pairs = [
            (pair, tuple(pair), of_pair)
            for pair, of_pair in elements(call.state, call.args[0], call.taints[1])
        ]
        call.args = ([parts for _, parts, _ in pairs],)
        fields = {parts[0]: of_pair | content(pair, 0) for pair, parts, of_pair in pairs if len(parts) == 2}
    else:
        given = call.args[0] if call.args else {}
        of_given = SHADOWS.get(id(given))
        fields = {key: of_given.fields.get(key, 0) if of_given is not None else 0 for key in given.keys()}  # noqa: SIM118
    fields.update(call.named_taints())
    of_source = structure(call.args[0]) if call.args else 0
    call.run()
    of_container = _shadow_if(container, taint | of_source | union(fields.values()))
    if of_container is not None:
        of_container.structure |= call.state.control | call.taints[0] | of_source
        of_container.fields.update((key, of_value | call.state.control) for key, of_value in fields.items())
    return None, 0


def _view(call: SummarizedCall) -> tuple[Any, int]:
    container = call.owner.__self__
    made = call.owner() if id(container) not in SHADOWS else TaintedView(container, call.owner)
    return made, call.taints[0]


def _set_variable(call: SummarizedCall) -> tuple[Any, int]:
    token = call.run()
    # Another context may still have the value from before.
    _join_structure(call.owner.__self__, call.state.control | union(call.taints))
    return token, 0


def _get_variable(call: SummarizedCall) -> tuple[Any, int]:
    return call.run(), structure(call.owner.__self__) | union(call.taints)


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
