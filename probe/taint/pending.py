"""Calls with starred arguments, while these are being evaluated."""

from collections.abc import Iterable
from typing import Any

from .calls import address, target_of
from .iteration import elements
from .shadows import item_taints
from .state import TaintState


def push_call(state: TaintState, callee: Any, taint: int, site: int) -> Any:
    """Begin such a call on the stack of this thread and return what to call."""
    pending = PendingCall(state, callee, taint, site)
    state.pending.append(pending)
    return pending.target


class PendingCall:
    """A call with starred arguments, while these are being evaluated."""

    __slots__ = ("callee", "names", "site", "state", "taint", "taints", "target", "values")

    def __init__(self, state: TaintState, callee: Any, taint: int, site: int) -> None:
        self.state = state
        self.callee = callee
        self.taint = taint
        self.site = site
        self.values: list[Any] = []
        self.taints: list[int] = []
        self.names: list[str] = []
        self.target = target_of(state, callee, taint)

    def argument(self, value: Any, taint: int) -> Any:
        """Note one positional argument."""
        self.values.append(value)
        self.taints.append(taint)
        return value

    def named(self, name: str, value: Any, taint: int) -> Any:
        """Note one keyword argument."""
        self.names.append(name)
        return self.argument(value, taint)

    def items(self, value: Iterable[Any], taint: int) -> tuple[Any, ...]:
        """Note the positional arguments of `*value`."""
        found = [(item, of_item) for item, of_item in elements(self.state, value, taint)]
        self.values += [item for item, _ in found]
        self.taints += [of_item for _, of_item in found]
        return tuple(item for item, _ in found)

    def mapping(self, value: Any, taint: int) -> Any:
        """Note the keyword arguments of `**value`."""
        if issubclass(type(value), dict):
            self.names += list(value)
            self.values += value.values()
            self.taints += [taint | of_item for of_item in item_taints(value, len(value))]
        return value

    def close(self, last: Any) -> Any:
        """Address the taints, after the `last` argument, which is returned."""
        taints, names = tuple(self.taints), tuple(self.names)
        given = self.taint, self.values, taints, names
        address(self.state, self.target, self.callee, *given, self.site)
        return last


def close_call(state: TaintState, last: Any) -> Any:
    """Address the taints of the innermost call, after its `last` argument, which is returned."""
    return state.pending.pop().close(last)
