"""Run-time half of generators and coroutines: what they begin with, what goes in and out at each `yield` and `await`."""

import sys
from collections.abc import Iterator
from typing import Any

from .iteration import PLAIN, asked, elements
from .lately import KnownLately
from .records import RECORD
from .shadows import SHADOWS
from .signatures import SIGNATURES
from .state import TaintState
from .tracked import TaintedIterator, TaintedView


def yielded(
    state: TaintState, value: Any, taint: int, control: int, site: int, lately: KnownLately = None
) -> Any:
    """Return the `value` to be yielded, leave its taint, and set the control taint of the resuming frame again."""
    if taint:
        taint = RECORD.step(site, taint, lately)
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
    values, taint = asked(state, values, taint)
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


def begin_generator(state: TaintState, key: int, vararg: object, kwarg: object) -> list[Any]:
    """Return what a generator or coroutine starts with; see `TaintState.bind`."""
    signature = SIGNATURES[key]
    found = state.started.pop(id(sys._getframe(1)), None)  # noqa: SLF001 - the frame is all that it has in common
    state.arguments = None
    if signature.coroutine:
        # Whoever runs tasks left another frame's control taint behind.
        state.control = 0
    if found is None:
        ambient = state.ambient
        return [(ambient, state.result)] + [ambient] * signature.count
    state.control |= found[3]
    return [None, *signature.bind(found[1], found[2], vararg, kwarg)]
