"""Models of what asks for items one by one: `map` and `filter`, whose functions get the taints of items, `islice`, `send`."""

from __future__ import annotations

from itertools import islice
from types import GeneratorType
from typing import TYPE_CHECKING

from .heap import SEQUENCES, SHADOWS, content, shadow
from .loops import PLAIN
from .model_builtins import model_of
from .signatures import YIELDING
from .tracked import Tracked, TrackedView

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .modelled import Model, Modelled


def _followed(call: Modelled) -> bool:
    """Whether anything is known of what is iterated over or done, and all of it is of kinds that can be followed."""
    known = any(call.taints)
    for values in call.args[1:]:
        kind = type(values)
        yields = kind is GeneratorType and id(values.gi_code) in YIELDING
        if not (kind in PLAIN or kind is Tracked or kind is TrackedView or yields):
            return False
        known = known or yields or kind is Tracked or kind is TrackedView or id(values) in SHADOWS
    return known and len(call.args) > 1


def _answer(call: Modelled, values: tuple[Any, ...], taints: tuple[int, ...]) -> tuple[Any, int]:
    """Return what the function says of `values`, and the taint of that."""
    target = call.state.call(call.args[0], call.taints[1], values, taints)
    value = target(*values)
    return value, call.state.take()


@model_of(map)
def _map(call: Modelled) -> Any:
    call.state.t = 0
    if not _followed(call) or call.kwargs:
        return map(*call.args, **call.kwargs)
    sources = [
        call.state.elements(values, taint)
        for values, taint in zip(call.args[1:], call.taints[2:], strict=True)
    ]

    def pairs() -> Iterator[tuple[Any, int]]:
        for parts in zip(*sources, strict=False):
            values = tuple(value for value, _ in parts)
            yield _answer(call, values, tuple(taint for _, taint in parts))

    return Tracked(pairs())


@model_of(filter)
def _filter(call: Modelled) -> Any:
    call.state.t = 0
    if not _followed(call) or len(call.args) != 2:
        return filter(*call.args)

    def pairs() -> Iterator[tuple[Any, int]]:
        for value, taint in call.state.elements(call.args[1], call.taints[2]):
            kept, of_test = (value, taint) if call.args[0] is None else _answer(call, (value,), (taint,))
            if of_test:
                # Which items there are depends on those that are left out as well.
                shadow(made).structure |= of_test
            if kept:
                yield value, taint | of_test

    made = Tracked(pairs())
    return made


@model_of(islice)
def _islice(call: Modelled) -> Any:
    taint = 0
    for given in call.taints:
        taint |= given
    if not call.args or type(call.args[0]) not in (*SEQUENCES, dict, Tracked, TrackedView):
        value = islice(*call.args)
        call.state.t = taint | content(call.args[0])
        return value
    call.state.t = 0
    return Tracked(islice(call.state.elements(call.args[0], taint), *call.args[1:]))


def _send(call: Modelled) -> Any:
    call.state.sent = call.taints[1]
    call.state.t = 0
    control = call.state.c
    value = call.owner(*call.args)
    call.state.c = control
    call.state.t = call.state.amb
    call.state.amb = 0
    return value


def _asend(call: Modelled) -> Any:
    # The generator goes on when the result is awaited, which is at once.
    call.state.sent = call.taints[1]
    call.state.t = 0
    return call.owner(*call.args)


GENERATOR: dict[str, Model] = {"send": _send, "asend": _asend}
