"""Iterables that know the taint of each of their items."""

from collections.abc import Callable, Iterator
from operator import length_hint
from typing import Any

from .shadows import SHADOWS, set_items, shadow


class ItemTaint:
    """The taint `result` of the item that an iterable gave last."""

    __slots__ = ("result",)

    def __init__(self, taint: int) -> None:
        self.result = taint


UNTAINTED = ItemTaint(0)


class TaintedIterator:
    """An iterator that knows the taint `result` of the item that it gave last; `pairs` yields items and taints.

    `walk` is the plain iterator that they are taken from, where there is one: it knows how many are left; `source` is the
    container that it goes over, where that is known.
    """

    __slots__ = ("pairs", "result", "source", "walk")

    def __init__(
        self, pairs: Iterator[tuple[Any, int]], walk: Iterator[Any] | None = None, source: Any = None
    ) -> None:
        self.pairs = pairs
        self.result = 0
        self.walk = pairs if walk is None else walk
        self.source = source

    def __iter__(self) -> "TaintedIterator":
        return self

    def __next__(self) -> Any:
        value, self.result = next(self.pairs)
        return value

    def __length_hint__(self) -> int:
        return length_hint(self.walk)


class GivenIterator:
    """An iterator of the program that is not asked for its iterator again; for everything else it is that one."""

    __slots__ = ("walk",)

    def __init__(self, walk: Iterator[Any]) -> None:
        self.walk = walk

    def __iter__(self) -> "GivenIterator":
        return self

    def __next__(self) -> Any:
        return next(self.walk)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.walk, name)


def tracked_items(owner: Any, taint: int, walk: Iterator[Any] | None = None) -> Iterator[tuple[Any, int]]:
    """Yield the items of a tainted container with their taints, as it is while the loop runs; `walk` iterates over it."""
    for at, value in enumerate(owner if walk is None else walk):
        found = SHADOWS.get(id(owner))
        if found is None:
            yield value, taint
        elif issubclass(type(owner), dict):
            yield value, taint | found.fields.get(value, 0)
        elif found.items is not None and at < len(found.items):
            yield value, taint | found.items[at]
        else:
            yield value, taint | found.content()


def telling_items(owner: Any, taint: int, source: ItemTaint) -> Iterator[Any]:
    """Yield the items of a tainted container, as it is while the loop runs; `source` has the taint of the last one."""
    key = id(owner)
    named = issubclass(type(owner), dict)
    for at, value in enumerate(owner):
        if key not in SHADOWS:
            source.result = taint
        else:
            found = SHADOWS[key]
            if named:
                source.result = taint | found.fields.get(value, 0)
            elif found.items is not None and at < len(found.items):
                source.result = taint | found.items[at]
            else:
                source.result = taint | found.content()
        yield value


def _of_sets(name: str) -> Callable[[Any, object], Any]:
    """Return the operator of sets called `name` for views; the set that it makes has the taint of all that is viewed."""

    def operate(self: "TaintedView", other: object) -> Any:
        operator = getattr(self.view, name, None)
        if operator is None:
            return NotImplemented
        made = operator(other.view if type(other) is TaintedView else other)
        found = SHADOWS.get(id(self.held))
        if found is not None and type(made) is set:
            set_items(made, [], found.content())
        return made

    return operate


class TaintedView:
    """A view of a tainted dict that gives the taint of each item; for everything else it is the plain view."""

    __slots__ = ("held", "name", "view")

    def __init__(self, held: Any, owner: Any) -> None:
        self.held = held
        self.name = owner.__name__
        self.view = owner()

    def __iter__(self) -> TaintedIterator:
        walk = iter(self.held)
        return TaintedIterator(self.pairs(walk), walk)

    def __len__(self) -> int:
        return len(self.held)

    def __contains__(self, item: object) -> bool:
        return item in self.view

    def __getattr__(self, name: str) -> Any:
        return getattr(self.view, name)

    def __eq__(self, other: object) -> bool:
        return bool(self.view == other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.view)

    __and__, __rand__ = _of_sets("__and__"), _of_sets("__rand__")
    __or__, __ror__ = _of_sets("__or__"), _of_sets("__ror__")
    __sub__, __rsub__ = _of_sets("__sub__"), _of_sets("__rsub__")
    __xor__, __rxor__ = _of_sets("__xor__"), _of_sets("__rxor__")
    __lt__, __le__ = _of_sets("__lt__"), _of_sets("__le__")
    __gt__, __ge__ = _of_sets("__gt__"), _of_sets("__ge__")

    def __reversed__(self) -> Iterator[Any]:
        backwards: Iterator[Any] = reversed(self.view)
        return backwards

    def pairs(self, walk: Iterator[Any] | None = None) -> Iterator[tuple[Any, int]]:
        """Yield the items of the view with their taints; `walk` iterates over the dict."""
        for key in self.held if walk is None else walk:
            found = SHADOWS.get(id(self.held))
            taint = found.fields.get(key, 0) if found is not None else 0
            if self.name == "items":
                pair = (key, self.held[key])
                if taint:
                    shadow(pair).items = [taint, taint]
                yield pair, taint
            else:
                yield (key if self.name == "keys" else self.held[key]), taint
