"""A call whose callee has a summary, which is called in its place."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .flows import FLOWS
from .shadows import content, union
from .state import TaintState

if TYPE_CHECKING:
    from .lately import KnownLately

# Gives the value, and its taint.
Summary = Callable[["SummarizedCall"], tuple[Any, int]]
Address = Callable[[TaintState, Any, int, tuple[Any, ...], tuple[int, ...], int], Any]


class SummarizedCall:
    """Stands for a callee, the `owner` of the summary, during one call; a summary takes this as its one argument.

    `taints` holds that of the callee first, then those of positional and of keyword arguments, the latter called
    `names`; it stands at `site` (`lately`: see `Flows.lately`), and `keeps` what it is given in a container. `address` is `calls.call`, for functions of the program that the summary itself calls.
    """

    __slots__ = (
        "address", "args", "keeps", "kwargs", "lately", "names", "owner", "site", "state", "summary", "taints",
    )  # fmt: skip

    def __init__(self, state: TaintState, summary: Summary, owner: Any, address: Address) -> None:
        self.state = state
        self.summary = summary
        self.owner = owner
        self.address = address
        self.site = -1
        self.lately: KnownLately = None
        self.keeps = False
        self.taints: tuple[int, ...] = ()
        self.names: tuple[str, ...] = ()
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}

    def whole_taint(self) -> int:
        """Return the union of the taints of callee and arguments, and of what the positional ones hold."""
        return union(self.taints) | union(content(value) for value in self.args)

    def named_taints(self) -> dict[str, int]:
        """Return the taints of the keyword arguments by name."""
        return dict(zip(self.names, self.taints[1 + len(self.args) :], strict=False))

    def taints_by_name(self, parameters: Iterable[str]) -> dict[str, int]:
        """Return the taints of all arguments by name, the positional ones being called `parameters`."""
        given = dict(zip(parameters, self.taints[1 : 1 + len(self.args)], strict=False))
        return {**given, **self.named_taints()}

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
        if not (self.keeps and self.state.control):
            value, self.state.result = self.summary(self)
            return value
        control, self.state.control = (
            self.state.control,
            FLOWS.through_call(self.site, (self.state.control,), self.lately)[0],
        )
        value, self.state.result = self.summary(self)
        self.state.control = control
        return value
