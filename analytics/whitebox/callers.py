"""Which calls were seen before which: how a chain goes from a function to those that called it.

One line may call many functions, as that of a visitor, of a loop over plugins or of a registry. Which one it calls is
decided by whoever called the function that holds the line, and by the class of the object whose method that is. A chain
therefore goes over a call only if it was seen after the one before it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from analytics.whitebox.evidence import TaintedSite

# The function that is called, the class of its receiver, the function and the line that call it.
Call: TypeAlias = tuple[str, str, str, int]
# The same, then the function and the line that had called the caller, and the class of its receiver.
SeenCall: TypeAlias = tuple[str, str, str, int, str, int, str]
# What stands for the function that had called the caller where that is not known; empty where it was called without taints.
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A step before another one, and as how many steps it counts.

    `caller`: it returns to this region; `called`: it calls this region, which it does not name but as `chosen` if that is not empty;
    `stored`: what it wrote may be read from anywhere.
    """

    step: TaintedSite
    cost: int = 1
    caller: str = ""
    called: str = ""
    chosen: str = ""
    stored: bool = False


class ChainState(NamedTuple):
    """What a chain has yet to come from.

    `call`: by which it left the function that it is in; what called that was seen before. `result`: the function in whose
    result it is, of results within results the innermost, `getter` the one that gets it, which the chain left by `left`. `chosen`:
    what is called by a line of this function that does not name it, and so may have been given to the function.
    """

    call: Call | None = None
    result: str = ""
    getter: str = ""
    left: Call | None = None
    chosen: str = ""


class Callers:
    """The calls that were seen one after another; calls of which nothing was noted may stand before and after all."""

    def __init__(self, seen: Iterable[SeenCall]) -> None:
        self._receivers: dict[tuple[str, str, int], set[str]] = defaultdict(set)
        self._before: dict[Call, set[Call]] = defaultdict(set)
        self._unknown: set[Call] = set()
        for called, receiver, caller, line, before, before_line, own in seen:
            call = called, receiver, caller, line
            self._receivers[called, caller, line].add(receiver)
            if before == UNKNOWN:
                self._unknown.add(call)
            elif before:
                self._before[call].add((caller, own, before, before_line))

    def earlier(self, edge: ChainStep, after: str, where: ChainState) -> Iterator[ChainState]:
        """Yield where the chain may be before the step of `edge`, which leads to a step of the region `after`: nowhere if no such call was seen."""
        step = edge.step
        if edge.caller:
            # What changes an attribute may have been called by another function than the one that reads it.
            left = where.call if edge.caller == after else None
            yield ChainState(None, step.region, edge.caller, left)
        elif edge.stored:
            yield ChainState()
        elif edge.called:
            for call in self._calls(edge.called, step.region, step.line, where.call):
                if edge.called != where.result:
                    yield where._replace(call=call, chosen=edge.chosen)
                elif where.getter == step.region:
                    yield ChainState(where.left)
        else:
            # What a function reads of the one around it, that may have got from another call.
            yield where if step.region == after else where._replace(call=None, chosen="")

    def _calls(self, called: str, caller: str, line: int, after: Call | None) -> Iterator[Call | None]:
        """Yield the calls of `called` by a line of `caller` after which `after` was seen, None for one that says nothing of what was before it.

        Nothing is yielded where `after`, a call by `called`, was never seen after such a call.
        """
        receivers = self._receivers.get((called, caller, line))
        if receivers is None:
            yield None
            return
        allowed = None if after is None or after in self._unknown else self._reached_from(after)
        calls = [(called, receiver, caller, line) for receiver in sorted(receivers)]
        found = [call for call in calls if allowed is None or call in allowed]
        if any(call in self._unknown for call in found):
            yield None
        else:
            yield from found

    def _reached_from(self, after: Call) -> set[Call] | None:
        """The calls before `after`; before one by which a function calls itself are those before that one. None: any."""
        found: set[Call] = set()
        todo = [after]
        while todo:
            for call in self._before[todo.pop()] - found:
                found.add(call)
                if call[0] == call[2]:
                    if call in self._unknown:
                        return None
                    todo.append(call)
        return found
