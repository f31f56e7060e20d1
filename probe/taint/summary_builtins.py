"""Summaries of built-in functions; `summaries.find` says when they apply."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from itertools import compress, dropwhile, filterfalse, takewhile
from typing import Any

from .iteration import asked, elements
from .shadows import (
    SEQUENCES,
    SHADOWS,
    content,
    item_taints,
    reordered,
    set_fields,
    set_items,
    shadow,
    structure,
    union,
)
from .sources import ENVIRON, variables
from .stores import store_attribute
from .summarized import SummarizedCall, Summary
from .tracked import TaintedIterator, TaintedView, tracked_items
from .values import attribute_taint

# Named, because nested functions look their annotations up at each call.
_Pairs = Iterator[tuple[Any, int]]

FUNCTIONS: dict[int, Summary] = {}
_KEPT: list[object] = []


def summary_of(*callees: Any) -> Callable[[Summary], Summary]:
    """Make the function below the summary of `callees`."""

    def known(summary: Summary) -> Summary:
        for callee in callees:
            _KEPT.append(callee)
            FUNCTIONS[id(callee)] = summary
        return summary

    return known


@summary_of(len, bool, isinstance, issubclass, id, callable)
def _plain(call: SummarizedCall) -> tuple[Any, int]:
    value = call.run()
    taint = union(call.taints)
    if call.owner in (len, bool):
        taint |= union(structure(argument) for argument in call.args)
    return value, call.state.with_ambient(taint)


@summary_of(hasattr)
def _hasattr(call: SummarizedCall) -> tuple[Any, int]:
    value = call.run()
    # What decided whether there is one is known of the attribute, also where there is none.
    taint = call.taints[1] | call.taints[2]
    return value, attribute_taint(call.state, call.args[0], call.args[1], taint)


@summary_of(getattr)
def _getattr(call: SummarizedCall) -> tuple[Any, int]:
    control = call.state.control
    taint = call.taints[1] | call.taints[2]
    default = call.args[2:]
    call.args = call.args[:2]
    try:
        value = call.run()
    except AttributeError:
        if not default:
            raise
        call.state.control = control
        value = default[0]
        taint |= call.taints[3]
    return value, attribute_taint(call.state, call.args[0], call.args[1], taint)


@summary_of(setattr)
def _setattr(call: SummarizedCall) -> tuple[Any, int]:
    place, taint = (call.args[0], call.taints[1], call.args[1]), call.taints[2] | call.taints[3]
    store_attribute(call.state, *place, call.args[2], taint, call.site)
    return None, 0


@summary_of(enumerate)
def _enumerate(call: SummarizedCall) -> tuple[Any, int]:
    at = call.args[1] if len(call.args) > 1 else call.kwargs.get("start", 0)
    _ask(call, 1)
    iter(call.args[0])

    def pairs() -> _Pairs:
        count = at
        for value, taint in elements(call.state, call.args[0], call.taints[1]):
            pair = (count, value)
            if taint:
                shadow(pair).items = [taint, taint]
            yield pair, taint
            count += 1

    if not call.taints[1] and _quiet(call.args[0]):
        return enumerate(call.args[0], at), 0
    return TaintedIterator(pairs()), 0


def _ask(call: SummarizedCall, count: int) -> None:
    """Have the first `count` arguments replaced by what the program's code says that iterating over them goes through."""
    at = min(count, len(call.args))
    pairs = [asked(call.state, call.args[one], call.taints[one + 1]) for one in range(at)]
    call.args = (*(values for values, _ in pairs), *call.args[at:])
    call.taints = (call.taints[0], *(taint for _, taint in pairs), *call.taints[at + 1 :])


def _quiet(values: Any) -> bool:
    """Whether iterating over `values` gives nothing tainted now or later: nobody can change them."""
    return id(values) not in SHADOWS and type(values) in (str, bytes, range, tuple)


@summary_of(zip)
def _zip(call: SummarizedCall) -> tuple[Any, int]:
    strict = call.kwargs.get("strict", False)
    _ask(call, len(call.args))
    if not any(call.taints) and all(_quiet(values) for values in call.args):
        return zip(*call.args, strict=strict), 0

    def pairs() -> _Pairs:
        for parts in zip(
            *(
                elements(call.state, values, taint)
                for values, taint in zip(call.args, call.taints[1:], strict=False)
            ),
            strict=strict,
        ):
            made = tuple(value for value, _ in parts)
            joined = union(taint for _, taint in parts)
            if joined:
                shadow(made).items = [taint for _, taint in parts]
            yield made, joined

    return TaintedIterator(pairs()), 0


@summary_of(reversed, iter)
def _iterate(call: SummarizedCall) -> tuple[Any, int]:
    values = call.args[0]
    if (
        len(call.args) == 1
        and (type(values) in SEQUENCES or type(values) in (dict, TaintedView))
        and (call.taints[1] or id(values) in SHADOWS or type(values) is TaintedView)
    ):
        if call.owner is reversed:
            return TaintedIterator(iter(list(elements(call.state, values, call.taints[1]))[::-1])), 0
        walk: Any = iter(values)
        if type(walk) is TaintedIterator:
            return TaintedIterator(elements(call.state, walk, call.taints[1]), walk.walk), 0
        return TaintedIterator(tracked_items(values, call.taints[1], walk), walk, values), 0
    if type(values) is TaintedIterator:
        return values, 0
    value = call.run()
    return value, call.taints[1] | content(values, 0)


@summary_of(next)
def _next(call: SummarizedCall) -> tuple[Any, int]:
    control = call.state.control
    default = call.args[1:]
    call.args = call.args[:1]
    try:
        value = call.run()
    except StopIteration:
        if not default:
            raise
        call.state.control = control
        return default[0], call.state.with_ambient(call.taints[1] | call.taints[2])
    of_item = call.args[0].result if type(call.args[0]) is TaintedIterator else call.state.ambient
    call.state.ambient = 0
    return value, call.taints[1] | of_item


_CHOOSING = frozenset({filter, filterfalse, takewhile, dropwhile, compress})


@summary_of(list, tuple, set, frozenset, sorted, deque)
def _collect(call: SummarizedCall) -> tuple[Any, int]:
    _ask(call, 1)
    if not call.args or (not any(call.taints[1:]) and type(call.args[0]) in (str, bytes, range)):
        value = call.run()
        given = (*call.args, *call.kwargs.values())
        set_items(value, [], union(call.taints[1:]) | union(content(argument) for argument in given))
        return value, 0
    if type(call.args[0]) is call.owner in (tuple, frozenset):
        # What never changes is not copied.
        return call.args[0], call.taints[1]
    before = call.taints[1] | structure(call.args[0])
    found = list(elements(call.state, call.args[0], call.taints[1]))
    # Which items an iterator has left out.
    before |= structure(call.args[0])
    if type(call.args[0]) in _CHOOSING:
        before |= call.state.ambient | union(of_item for _, of_item in found)
    value = call.owner([item for item, _ in found], *call.args[1:], **call.kwargs)
    call.state.ambient = 0
    # Which order it is depends on `key` and `reverse`.
    order = union(call.taints[2:])
    found = [(item, taint | order) for item, taint in found] if order else found
    items = [taint for _, taint in found]
    if call.owner is deque:
        # At most `maxlen`: the last ones.
        items = items[len(items) - len(value) :]
        before |= order
    if any(items) and call.owner is sorted:
        items = reordered([item for item, _ in found], items, value)
    set_items(value, items, before)
    return value, 0


@summary_of(dict, OrderedDict)
def _dict(call: SummarizedCall) -> tuple[Any, int]:
    fields: dict[Any, int] = {}
    before = of_size = 0
    if call.args and issubclass(type(call.args[0]), dict):
        value = call.run()
        found = SHADOWS.get(id(call.args[0]))
        before = call.taints[1]
        if found is not None:
            fields.update(found.fields)
            before |= found.structure
            of_size = found.size
    elif call.args and not hasattr(call.args[0], "keys"):
        value = call.owner()
        before = call.taints[1] | structure(call.args[0])
        for pair, taint in elements(call.state, call.args[0], call.taints[1]):
            key, item = pair
            value[key] = item
            of_pair = item_taints(pair, 2) if type(pair) in SEQUENCES else (0, 0)
            fields[key] = taint | of_pair[0] | of_pair[1]
        value.update(call.kwargs)
    else:
        value = call.run()
        if call.args and call.args[0] is ENVIRON:
            fields.update((name, taint) for name, taint in variables().items() if name in value)
    fields.update(call.named_taints())
    set_fields(value, fields, before)
    if of_size:
        shadow(value).size |= of_size
    call.state.ambient = 0
    return value, 0


@summary_of(any, all)
def _any(call: SummarizedCall) -> tuple[Any, int]:
    stop = call.owner is any
    _ask(call, 1)
    taint = call.taints[1] | structure(call.args[0])
    found = not stop
    for value, of_value in elements(call.state, call.args[0], call.taints[1]):
        taint |= of_value
        if bool(value) is stop:
            found = stop
            break
    return found, taint | structure(call.args[0])


@summary_of(sum, min, max)
def _fold(call: SummarizedCall) -> tuple[Any, int]:
    joined = union(call.taints)
    if len(call.args) == 1 or call.owner is sum:
        _ask(call, 1)
        found = list(elements(call.state, call.args[0], call.taints[1]))
        joined |= union(taint for _, taint in found)
        call.args = ([value for value, _ in found], *call.args[1:])
    joined |= structure(call.args[0])
    value = call.run()
    return value, call.state.with_ambient(joined)
