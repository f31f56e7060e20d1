"""Run-time half of iteration: loops, comprehensions, generators, unpacking."""

from __future__ import annotations

import sys
from itertools import repeat
from types import GeneratorType
from typing import TYPE_CHECKING

from .core import LAST, Core
from .heap import SEQUENCES, SHADOWS, content, item_taints, set_items, shadow
from .records import RECORD
from .signatures import SIGNATURES, YIELDING
from .tracked import UNTAINTED, ItemTaint, TaintedIterator, TaintedView, telling_items, tracked_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

PLAIN = frozenset(
    {
        list,
        tuple,
        str,
        bytes,
        dict,
        set,
        frozenset,
        range,
        type({}.keys()),
        type({}.values()),
        type({}.items()),
    }
)


class Loops(Core):
    """The part of a thread's state that loops need."""

    __slots__ = ()

    def loop(self, values: Any, taint: int) -> tuple[Any, Any]:  # noqa: PLR0911 - one per kind
        """Return what to iterate over in place of `values`, and what holds the taint of each item as its `t`."""
        kind = type(values)
        if not taint and kind in PLAIN and id(values) not in SHADOWS:
            return values, UNTAINTED
        if kind is TaintedIterator and not taint:
            return values, values
        if kind is GeneratorType and id(values.gi_code) in YIELDING and not taint:
            return values, self
        if kind in PLAIN or kind in SEQUENCES or issubclass(kind, (list, tuple, dict)):
            source = ItemTaint(0)
            return telling_items(values, taint, source), source
        if kind is TaintedView:
            tracked = TaintedIterator(self.elements(values, taint))
            return tracked, tracked
        if kind is TaintedIterator or kind is GeneratorType:
            tracked = TaintedIterator(self.elements(values, taint))
            return tracked, tracked
        return values, ItemTaint(taint | content(values))

    def elements(self, values: Any, taint: int) -> Iterator[tuple[Any, int]]:
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
            control = self.c
            for value in values:
                self.c = control
                self.amb = 0
                yield value, self.t | taint
        else:
            taint |= content(values)
            control = self.c
            for value in values:
                self.c = control
                taint |= self.amb
                self.amb = 0
                yield value, taint

    def item_of(self, source: Any, taint: int) -> int:
        """Return the taint of the item that a loop has just got."""
        taint |= source.t
        if self.amb:
            taint |= self.amb
            self.amb = 0
        return taint

    def exhausted(self, values: Any, source: Any, taint: int, site: int) -> None:
        """Note the decision to end a loop over `values`, and leave its taint."""
        taint |= source.t | self.amb
        self.amb = 0
        found = SHADOWS.get(id(values))
        if found is not None:
            taint |= found.structure
        if LAST[site] != (taint, self.c):
            self.note_here(site, taint)
        self.t = taint

    def pairs(
        self, values: Any, taint: int, site: int, shape: Any, conditions: int
    ) -> Iterable[tuple[Any, Any]]:
        """Return the items of a comprehension's iterable with the taints of its targets, of form `shape`.

        `conditions` is how many there are: each turn begins without the control taint that they left.
        """
        kind = type(values)
        if (
            not taint
            and not self.c
            and not conditions
            and kind in PLAIN
            and id(values) not in SHADOWS
            and shape is None
        ):
            return zip(values, repeat(0))
        return self._under_items(values, taint, site, shape)

    def _under_items(self, values: Any, taint: int, site: int, shape: Any) -> Iterator[tuple[Any, Any]]:
        control = self.c
        ended: Any = UNTAINTED
        for value, of_value in self.elements(values, taint):
            self.c = control
            if of_value or control:
                RECORD.decisions.add((site, of_value & ~control, control))
                self.c = control | of_value
            self.which |= of_value
            if shape is None:
                yield value, of_value
            else:
                whole = value if type(value) in (list, tuple, str) else tuple(value)
                yield whole, spread(whole, of_value, shape)
        self.c = control
        self.exhausted(values, ended, taint, site)

    def begin_log(self) -> tuple[list[int], int, int]:
        """Begin a comprehension; returns what was under way."""
        before = self.log, self.which, self.c
        self.log = []
        self.which = 0
        return before

    def logged(self, value: Any, taint: int) -> Any:
        """Note the taint of one item of the comprehension under way."""
        self.log.append(taint | self.c)
        return value

    def keep(self, value: Any, taint: int, site: int) -> Any:
        """Note the decision of a comprehension's condition."""
        if taint or self.c:
            self.decide_in_comprehension(site, taint)
        return value

    def decide_in_comprehension(self, site: int, taint: int) -> None:
        """Note a decision on which items a comprehension has."""
        RECORD.decisions.add((site, taint & ~self.c, self.c))
        self.c |= taint
        self.which |= taint

    def end_log(self, before: tuple[list[int], int, int], value: Any) -> Any:
        """Give the comprehension's result the taints of its items."""
        log, which = self.log, self.which
        self.log, self.which, self.c = before
        for at, taint in enumerate(log):
            log[at] = taint & ~self.c
        if isinstance(value, dict):
            if any(log) and len(log) == len(value):
                made = shadow(value)
                made.structure |= which
                made.fields.update((key, taint) for key, taint in zip(value, log, strict=False) if taint)
            else:
                set_items(value, log, which)
        else:
            set_items(value, log, which)
        self.t = 0
        return value

    def give(self, value: Any, taint: int, control: int) -> Any:
        """Yield: hand `value` over, with the taint and under the control taint of whoever asked."""
        self.t = taint
        self.amb |= taint
        self.c = control
        return value

    def hand_over(self, value: Any, taint: int) -> Any:
        """Yield of a generator expression."""
        self.t = taint | self.c
        self.amb |= self.t
        return value

    def sent_to(self, value: Any, control: int, own: int) -> Any:
        """After a yield: return what was sent; the generator's `own` control taint joins that of who resumed it."""
        self.c = control | own
        self.t = self.sent
        self.sent = 0
        self.amb = 0
        return value

    def delegate(self, values: Any, taint: int) -> Any:
        """Return what `yield from` takes the items from."""
        kind = type(values)
        if (
            kind is TaintedIterator
            or kind is TaintedView
            or (kind in PLAIN and (taint or id(values) in SHADOWS))
        ):
            return self._passed_on(values, taint)
        return values

    def _passed_on(self, values: Any, taint: int) -> Iterator[Any]:
        for value, of_value in self.elements(values, taint):
            self.t = of_value
            self.amb |= of_value
            sent = yield value
            if sent is not None:
                # Says, as it would without us, that nothing can be sent to it.
                iter(values).send(sent)

    def delegated(self, value: Any, control: int, own: int) -> Any:
        """After `yield from`: return the result of the generator that it went through."""
        self.c = control | own
        self.amb = 0
        return value

    def resumed(self, value: Any, own: int) -> Any:
        """After `await`: the frame's own control taint holds again."""
        self.c = own
        return value

    def steady(self, taint: int) -> ItemTaint:
        """Return a source whose items all have the same taint."""
        return ItemTaint(taint)

    def items_outside(self, values: Any, taint: int, site: int) -> Iterator[Any]:
        """Yield the items of a loop outside of functions, each with its taint left as that of a result."""
        control = self.c
        ended = ItemTaint(0)
        for value, of_value in self.elements(values, taint):
            if of_value or control:
                RECORD.decisions.add((site, of_value & ~control, control))
            self.c = control | of_value
            self.t = of_value
            yield value
        self.c = control
        self.exhausted(values, ended, taint, site)

    def begin(self, key: int, vararg: object, kwarg: object) -> list[Any]:
        """Return what a generator or coroutine starts with; see `State.bind`."""
        signature = SIGNATURES[key]
        found = self.started.pop(id(sys._getframe(1)), None)  # noqa: SLF001 - the frame is all that it has in common
        self.a = None
        if signature.coroutine:
            # Whoever runs tasks left another frame's control taint behind.
            self.c = 0
        if found is None:
            ambient = self.amb
            return [(ambient, self.t)] + [ambient] * signature.count
        self.c |= found[3]
        return [None, *signature.bind(found[1], found[2], vararg, kwarg)]

    def spread(self, value: Any, taint: int, shape: Any) -> Any:
        """Return the taints of a target of form `shape` that takes `value` apart."""
        return spread(value, taint, shape)


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
