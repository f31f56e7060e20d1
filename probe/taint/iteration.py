"""Run-time half of iteration: loops, comprehensions, generators, unpacking."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice, repeat
from types import GeneratorType
from typing import Any

from .flows import FLOWS
from .lately import Lately
from .records import RECORD
from .shadows import SEQUENCES, SHADOWS, content, item_taints, set_fields, set_items, structure, union
from .signatures import SIGNATURES, YIELDING
from .state import LAST, TaintState
from .tracked import UNTAINTED, ItemTaint, TaintedIterator, TaintedView, telling_items, tracked_items

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
# Types of containers whose iteration runs no code of the program.
PLAIN = frozenset({list, tuple, str, bytes, dict, set, frozenset, range, *_VIEWS})


def loop(state: TaintState, values: Any, taint: int) -> tuple[Any, Any]:
    """Return what to iterate over in place of `values`, and what holds the taint of each item as its `result`."""
    kind = type(values)
    if not taint and kind in PLAIN and id(values) not in SHADOWS:
        return values, UNTAINTED
    if kind is TaintedIterator and not taint:
        return values, values
    if kind is GeneratorType and id(values.gi_code) in YIELDING and not taint:
        return values, state
    if kind in PLAIN or kind in SEQUENCES or issubclass(kind, (list, tuple, dict)):
        source = ItemTaint(0)
        return telling_items(values, taint, source), source
    if kind is TaintedView or kind is TaintedIterator or kind is GeneratorType:
        tracked = TaintedIterator(elements(state, values, taint))
        return tracked, tracked
    return values, ItemTaint(taint | content(values))


def elements(state: TaintState, values: Any, taint: int) -> Iterator[tuple[Any, int]]:
    """Yield the items of `values` with their taints."""
    kind = type(values)
    if kind is TaintedIterator or kind is TaintedView:
        for value, of_value in values.pairs if kind is TaintedIterator else values.pairs():
            yield value, of_value | taint
    elif kind in PLAIN or kind in SEQUENCES or issubclass(kind, (list, tuple, dict)):
        if taint or id(values) in SHADOWS:
            yield from tracked_items(values, taint)
        else:
            yield from zip(values, repeat(0))
    elif kind is GeneratorType and id(values.gi_code) in YIELDING:
        control = state.control
        for value in values:
            state.control = control
            state.ambient = 0
            yield value, state.result | taint
    else:
        taint |= content(values)
        control = state.control
        for value in values:
            state.control = control
            taint |= state.ambient
            state.ambient = 0
            yield value, taint


def loop_item_taint(state: TaintState, source: Any, taint: int) -> int:
    """Return the taint of the item that a loop has just got."""
    taint |= source.result | state.ambient
    state.ambient = 0
    return taint


def end_loop(
    state: TaintState, values: Any, source: Any, taint: int, site: int, lately: Lately | None = None
) -> None:
    """Note the decision to end a loop over `values`, and leave its taint."""
    taint |= source.result | state.ambient
    state.ambient = 0
    taint = FLOWS.through(site, taint | structure(values), lately)
    if LAST[site] != (taint, state.control):
        state.note_decision(site, taint, lately)
    state.result = taint


def comprehension_items(
    state: TaintState, values: Any, taint: int, site: int, shape: Any, conditions: int
) -> Iterable[tuple[Any, Any]]:
    """Return the items of a comprehension's iterable with the taints of its targets, of form `shape`.

    `conditions` is how many there are: each turn begins without the control taint that they left.
    """
    kind = type(values)
    if (
        not taint
        and not state.control
        and not conditions
        and kind in PLAIN
        and id(values) not in SHADOWS
        and shape is None
    ):
        return zip(values, repeat(0))
    return _items_under_control(state, values, taint, site, shape)


def _items_under_control(
    state: TaintState, values: Any, taint: int, site: int, shape: Any
) -> Iterator[tuple[Any, Any]]:
    control = state.control
    for value, given in elements(state, values, taint):
        state.control = control
        of_value = FLOWS.through(site, given)
        if of_value or control:
            state.note_decision(site, of_value)
            state.control = control | of_value
        state.selection |= of_value
        if shape is None:
            yield value, of_value
        else:
            whole = value if type(value) in (list, tuple, str) else tuple(value)
            yield whole, spread(whole, of_value, shape)
    state.control = control
    end_loop(state, values, UNTAINTED, taint, site)


def begin_comprehension(state: TaintState) -> tuple[list[int], int, int]:
    """Begin a comprehension; returns the state of the one around it."""
    before = state.item_taints, state.selection, state.control
    state.item_taints = []
    state.selection = 0
    return before


def comprehension_item(state: TaintState, value: Any, taint: int) -> Any:
    """Note the taint of one item of the comprehension under way."""
    state.item_taints.append(taint | state.control)
    return value


def comprehension_test(state: TaintState, value: Any, taint: int, site: int) -> Any:
    """Note the decision of a comprehension's condition."""
    taint = FLOWS.through(site, taint)
    if taint or state.control:
        state.note_decision(site, taint)
        state.control |= taint
        state.selection |= taint
    return value


def end_comprehension(state: TaintState, before: tuple[list[int], int, int], value: Any) -> Any:
    """Give the comprehension's result the taints of its items."""
    taints, selection = state.item_taints, state.selection
    state.item_taints, state.selection, state.control = before
    for at, taint in enumerate(taints):
        taints[at] = taint & ~state.control
    if isinstance(value, dict) and any(taints) and len(taints) == len(value):
        set_fields(value, dict(zip(value, taints, strict=True)), selection)
    else:
        set_items(value, taints, selection)
    state.result = 0
    return value


def yielded(state: TaintState, value: Any, taint: int, control: int, site: int) -> Any:
    """Return the `value` to be yielded, leave its taint, and set the control taint of the resuming frame again."""
    if taint:
        taint = RECORD.step(site, taint)
        RECORD.give_back(site, taint)
    state.result = taint
    state.ambient |= taint
    state.control = control
    return value


def yielded_by_expression(state: TaintState, value: Any, taint: int) -> Any:
    """Yield of a generator expression."""
    state.result = taint | state.control
    state.ambient |= state.result
    return value


def sent(state: TaintState, value: Any, control: int, own: int) -> Any:
    """After a yield: return what was sent; the generator's `own` control taint joins that of who resumed it."""
    state.control = control | own
    state.result = state.sent
    state.sent = 0
    state.ambient = 0
    return value


def delegate(state: TaintState, values: Any, taint: int) -> Any:
    """Return what `yield from` takes the items from."""
    kind = type(values)
    if kind is TaintedIterator or kind is TaintedView or (kind in PLAIN and (taint or id(values) in SHADOWS)):
        return _delegated_items(state, values, taint)
    return values


def _delegated_items(state: TaintState, values: Any, taint: int) -> Iterator[Any]:
    for value, of_value in elements(state, values, taint):
        state.result = of_value
        state.ambient |= of_value
        given = yield value
        if given is not None:
            # Says, as it would without us, that nothing can be sent to it.
            iter(values).send(given)


def delegated(state: TaintState, value: Any, control: int, own: int) -> Any:
    """After `yield from`: return the result of the generator that it went through."""
    state.control = control | own
    state.ambient = 0
    return value


def resumed(state: TaintState, value: Any, own: int) -> Any:
    """After `await`: the frame's own control taint holds again."""
    state.control = own
    return value


def items_outside(state: TaintState, values: Any, taint: int, site: int) -> Iterator[Any]:
    """Yield the items of a loop outside of functions, each with its taint left as that of a result."""
    control = state.control
    for value, given in elements(state, values, taint):
        of_value = FLOWS.through(site, given)
        if of_value or control:
            RECORD.decide(site, of_value, control)
        state.control = control | of_value
        state.result = of_value
        yield value
    state.control = control
    end_loop(state, values, UNTAINTED, taint, site)


def begin_generator(state: TaintState, key: int, vararg: object, kwarg: object) -> list[Any]:
    """Return what a generator or coroutine starts with; see `TaintState.bind`."""
    signature = SIGNATURES[key]
    state.caller = 0
    found = state.started.pop(id(sys._getframe(1)), None)  # noqa: SLF001 - the frame is all that it has in common
    state.arguments = None
    if signature.coroutine:
        # Whoever runs tasks left another frame's control taint behind.
        state.control = 0
    if found is None:
        ambient = state.ambient
        return [(ambient, state.result)] + [ambient] * signature.count
    state.control |= found[3]
    state.caller = found[4]
    return [None, *signature.bind(found[1], found[2], vararg, kwarg)]


def spread(value: Any, taint: int, shape: Any) -> Any:
    """Return the taints of targets of form `shape`: None for a name, a tuple of such for what is taken apart."""
    if shape is None:
        return taint
    whole = issubclass(type(value), (list, tuple)) and len(value) == len(shape)
    taints = item_taints(value, len(shape)) if whole else [content(value)] * len(shape)
    parts = value if whole else [None] * len(shape)
    return [
        spread(part, taint | of_part, inner)
        for part, of_part, inner in zip(parts, taints, shape, strict=False)
    ]


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
