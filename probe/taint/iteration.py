"""Run-time half of iteration: loops, comprehensions, unpacking."""

from collections.abc import Iterable, Iterator
from itertools import islice, repeat
from types import FunctionType, GeneratorType
from typing import Any

from .flows import FLOWS
from .lately import KnownLately
from .records import RECORD
from .shadows import SEQUENCES, SHADOWS, content, item_taints, set_fields, set_items, shadow, structure, union
from .signatures import EAGER, YIELDING
from .state import LAST, TaintState
from .tracked import (
    UNTAINTED,
    GivenIterator,
    ItemTaint,
    TaintedIterator,
    TaintedView,
    telling_items,
    tracked_items,
)

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
# Types of containers whose iteration runs no code of the program.
PLAIN = frozenset({list, tuple, str, bytes, dict, set, frozenset, range, *_VIEWS})


def asks_program(kind: type) -> bool:
    """Whether the program's own code says what iterating over an object of a class that is no container goes through."""
    method = getattr(kind, "__iter__", None)
    if type(method) is not FunctionType or issubclass(kind, (list, tuple, dict)):
        return False
    return id(method.__code__) in EAGER or id(method.__code__) in YIELDING


def asked(state: TaintState, values: Any, taint: int) -> tuple[Any, int]:
    """Return what iterating over `values` goes through, and its taint, where the program's code says that; else both as they are.

    Python would ask in the same way, and lose the taints of the items of what it is told.
    """
    if not asks_program(type(values)):
        return values, taint
    control = state.control
    made = iter(values)
    state.control = control
    taint |= state.ambient
    state.ambient = 0
    kind = type(made)
    if kind is TaintedIterator or (kind is GeneratorType and id(made.gi_code) in YIELDING):
        return made, taint
    return GivenIterator(made) if asks_program(kind) else made, taint | content(values)


def loop(state: TaintState, values: Any, taint: int) -> tuple[Any, Any]:
    """Return what to iterate over in place of `values`, and what holds the taint of each item as its `result`."""
    kind = type(values)
    if not taint and kind in PLAIN and id(values) not in SHADOWS:
        return values, UNTAINTED
    yields = kind is GeneratorType and id(values.gi_code) in YIELDING
    if not taint and (yields or kind is TaintedIterator):
        return values, state if yields else values
    if kind in PLAIN or kind in SEQUENCES or issubclass(kind, (list, tuple, dict)):
        source = ItemTaint(0)
        return telling_items(values, taint, source), source
    if kind is TaintedView or kind is TaintedIterator or kind is GeneratorType:
        tracked = TaintedIterator(elements(state, values, taint))
        return tracked, tracked
    if asks_program(kind):
        return loop(state, *asked(state, values, taint))
    return values, ItemTaint(taint | content(values))


def elements(state: TaintState, values: Any, taint: int) -> Iterator[tuple[Any, int]]:
    """Yield the items of `values` with their taints."""
    kind = type(values)
    if kind is TaintedIterator or kind is TaintedView:
        for value, of_value in values.pairs if kind is TaintedIterator else values.pairs():
            yield value, of_value | taint
        if kind is TaintedIterator and structure(values.source):
            shadow(values).structure |= structure(values.source)
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
    elif asks_program(kind):
        yield from elements(state, *asked(state, values, taint))
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
    state: TaintState, values: Any, source: Any, taint: int, site: int, lately: KnownLately = None
) -> None:
    """Note the decision to end a loop over `values`, and leave its taint."""
    taint |= source.result | state.ambient
    if type(source) is TaintedIterator:
        taint |= structure(source) | structure(source.source)
    state.ambient = 0
    taint = FLOWS.through(site, taint | structure(values), lately)
    if LAST[site] != (taint, state.control):
        state.note_decision(site, taint, lately)
    state.result = taint


def comprehension_items(
    state: TaintState, values: Any, taint: int, site: int, shape: Any, conditions: int, lately: KnownLately
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
    return _items_under_control(state, values, taint, site, shape, lately)


def _items_under_control(
    state: TaintState, values: Any, taint: int, site: int, shape: Any, lately: KnownLately
) -> Iterator[tuple[Any, Any]]:
    control = state.control
    for value, given in elements(state, values, taint):
        state.control = control
        of_value = FLOWS.through(site, given, lately)
        if of_value or control:
            state.note_decision(site, of_value, lately)
            state.control = control | of_value
        state.selection |= of_value
        if shape is None:
            yield value, of_value
        else:
            whole = value if type(value) in (list, tuple, str) else tuple(value)
            yield whole, spread(whole, of_value, shape)
    state.control = control
    end_loop(state, values, UNTAINTED, taint, site, lately)


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


def comprehension_test(state: TaintState, value: Any, taint: int, site: int, lately: KnownLately) -> Any:
    """Note the decision of a comprehension's condition."""
    taint = FLOWS.through(site, taint, lately)
    if taint or state.control:
        state.note_decision(site, taint, lately)
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
