"""Summaries of lazy iterators: `map` and `filter`, whose functions get the taints of items, `islice`, `send`."""

from collections.abc import Iterator
from itertools import islice
from types import GeneratorType
from typing import Any

from .iteration import PLAIN, elements
from .records import RECORD
from .shadows import SEQUENCES, SHADOWS, shadow, structure, union
from .signatures import YIELDING
from .summarized import SummarizedCall, Summary
from .summary_builtins import summary_of
from .tracked import TaintedIterator, TaintedView


def _followed(call: SummarizedCall) -> bool:
    """Whether any argument has a taint or shadow, and all iterables are of kinds whose items can be followed."""
    known = any(call.taints)
    for values in call.args[1:]:
        kind = type(values)
        yields = kind is GeneratorType and id(values.gi_code) in YIELDING
        if not (kind in PLAIN or kind is TaintedIterator or kind is TaintedView or yields):
            return False
        known = known or yields or kind is TaintedIterator or kind is TaintedView or id(values) in SHADOWS
    return known and len(call.args) > 1


def _answer(call: SummarizedCall, values: tuple[Any, ...], taints: tuple[int, ...]) -> tuple[Any, int]:
    """Return the result of the call's function for `values`, and its taint."""
    target = call.address(call.state, call.args[0], call.taints[1], values, taints, call.site)
    value = target(*values)
    return value, call.state.take()


class _Mapped:
    """The results of a function for items of several iterables, with their taints.

    No generator: an exception of the function ends nothing, and its `StopIteration` is nobody else's.
    """

    def __init__(self, call: SummarizedCall) -> None:
        self.call = call
        self.sources = _sources(call)

    def __iter__(self) -> "_Mapped":
        return self

    def __next__(self) -> tuple[Any, int]:
        pairs = [next(source) for source in self.sources]
        return _answer(self.call, tuple(value for value, _ in pairs), tuple(taint for _, taint in pairs))


class _Kept:
    """The items that a predicate keeps, with their taints; those of dropped items go into the structure of `made`."""

    def __init__(self, call: SummarizedCall) -> None:
        self.call = call
        (self.source,) = _sources(call)
        self.made = TaintedIterator(self)

    def __iter__(self) -> "_Kept":
        return self

    def __next__(self) -> tuple[Any, int]:
        asked = self.call.args[0]
        while True:
            value, taint = next(self.source)
            kept, of_test = (value, taint) if asked is None else _answer(self.call, (value,), (taint,))
            if of_test:
                shadow(self.made).structure |= of_test
            if kept:
                return value, taint | of_test


def _sources(call: SummarizedCall) -> list[Iterator[tuple[Any, int]]]:
    return [
        elements(call.state, values, taint)
        for values, taint in zip(call.args[1:], call.taints[2:], strict=True)
    ]


def _with_lengths(call: SummarizedCall, made: TaintedIterator, at: int) -> tuple[TaintedIterator, int]:
    """Return `made`, which has as many items as its sources, from the argument `at` on, say and let it have."""
    joined = 0
    for values, taint in zip(call.args[at:], call.taints[at + 1 :], strict=True):
        joined |= taint | structure(values)
    if joined:
        shadow(made).structure |= joined
    return made, 0


def _joined(call: SummarizedCall, made: Any) -> tuple[Any, int]:
    """Return an iterator whose items may each have all that went in."""
    taint = call.whole_taint()
    if taint:
        RECORD.note_unfollowed(call.owner)
    return made, taint


@summary_of(map)
def _map(call: SummarizedCall) -> tuple[Any, int]:
    if not _followed(call) or call.kwargs:
        return _joined(call, map(*call.args, **call.kwargs))
    return _with_lengths(call, TaintedIterator(_Mapped(call)), 1)


@summary_of(filter)
def _filter(call: SummarizedCall) -> tuple[Any, int]:
    if not _followed(call) or len(call.args) != 2:
        return _joined(call, filter(*call.args))
    return _with_lengths(call, _Kept(call).made, 1)


@summary_of(islice)
def _islice(call: SummarizedCall) -> tuple[Any, int]:
    bounds = union(call.taints[2:])
    if not call.args or type(call.args[0]) not in (*SEQUENCES, dict, TaintedIterator, TaintedView):
        return _joined(call, islice(*call.args))
    pairs = elements(call.state, call.args[0], call.taints[1] | bounds)
    return _with_lengths(call, TaintedIterator(islice(pairs, *call.args[1:])), 0)


def _send(call: SummarizedCall) -> tuple[Any, int]:
    call.state.sent = call.taints[1]
    if call.owner.__name__ == "asend":
        # The generator goes on when the result is awaited, which is at once.
        return call.owner(*call.args), 0
    return call.run(), call.state.with_ambient(0)


GENERATOR: dict[str, Summary] = {"send": _send, "asend": _send}
