"""A call whose callee has a model, which is called in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .state import TaintState

    Model = Callable[["ModelledCall"], Any]
    Address = Callable[[TaintState, Any, int, tuple[Any, ...], tuple[int, ...]], Any]


class ModelledCall:
    """Stands for a callee, the `owner` of the model, during one call; a model takes this as its one argument.

    `taints` holds that of the callee first, then those of positional and of keyword arguments, the latter called
    `names`. `address` is `calls.call`, for functions of the program that the model itself calls.
    """

    __slots__ = ("address", "args", "kwargs", "model", "names", "owner", "state", "taints")

    def __init__(self, state: TaintState, model: Model, owner: Any, address: Address) -> None:
        self.state = state
        self.model = model
        self.owner = owner
        self.address = address
        self.taints: tuple[int, ...] = ()
        self.names: tuple[str, ...] = ()
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}

    def run(self) -> Any:
        """Call the owner with the arguments; unless it raises, the control taint is as before."""
        control = self.state.control
        value = self.owner(*self.args, **self.kwargs)
        self.state.control = control
        return value

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        self.args = args
        self.kwargs = kwargs
        if len(self.taints) != 1 + len(args) + len(kwargs):
            # Arguments that raised, and code that swallowed it, have left another call's taints behind.
            self.taints = (0,) * (1 + len(args) + len(kwargs))
            self.names = tuple(kwargs)
        return self.model(self)
