"""The search for a chain: from a decision back to where the option is read, by the way that is surest.

It is that of Dijkstra over steps and what a chain has yet to come from (`callers.ChainState`). Searches for one option share what
comes before each step: of forty decisions of a function most come the same way.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from analytics.whitebox.callers import Callers, ChainState, ChainStep
from analytics.whitebox.evidence import TaintedSite

# A step, and the way that leads on from it; None behind the last one.
_Way: TypeAlias = tuple[TaintedSite, "_Way | None"]
# A step by its identity, and where the chain is then.
_Place: TypeAlias = tuple[int, ChainState]


@dataclass(frozen=True)
class Chain:
    """The steps to a decision; `from_read`: the first one reads the option, else what was before it is not known."""

    steps: tuple[TaintedSite, ...]
    from_read: bool

    @property
    def decision(self) -> TaintedSite:
        """Where it leads to."""
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class ChainSearch:
    """The chains of one option: which steps `reads` it, what may be `before` a step, and how many steps more one of a region counts.

    `gives` tells whether a step gives what it calls the function of that name.
    """

    reads: Callable[[TaintedSite], bool]
    before: Callable[[TaintedSite], Iterable[ChainStep]]
    more: Callable[[str], int]
    gives: Callable[[str, ChainStep], bool]
    callers: Callers
    _edges: dict[int, tuple[ChainStep, ...]] = field(default_factory=dict, init=False)
    _known: dict[_Place, tuple[tuple[int, TaintedSite, _Place], ...]] = field(
        default_factory=dict, init=False
    )

    def back(self, last: TaintedSite) -> Chain:
        """The surest chain to `last` from where the option is read.

        Where no way to a read is known, the chain is what all ways to `last` have in common.
        """
        order = count()
        todo: list[tuple[int, int, _Way, _Place]] = [(0, next(order), (last, None), (id(last), ChainState()))]
        done: set[_Place] = set()
        # The least cost at which a place is reached so far: of ways that cost the same the first one counts.
        least: dict[_Place, int] = {}
        while todo:
            cost, _, way, place = heappop(todo)
            if place in done:
                continue
            done.add(place)
            if self.reads(way[0]):
                return Chain(tuple(_steps(way)), from_read=True)
            for own, step, earlier in self._earlier(way[0], place):
                if cost + own < least.get(earlier, cost + own + 1):
                    least[earlier] = cost + own
                    heappush(todo, (cost + own, next(order), (step, way), earlier))
        common: tuple[TaintedSite, ...] = (last,)
        while len(before := {id(edge.step): edge.step for edge in self._edges_of(common[0])}) == 1:
            (step,) = before.values()
            if step in common:
                break
            common = step, *common
        return Chain(common, from_read=False)

    def _earlier(self, step: TaintedSite, place: _Place) -> tuple[tuple[int, TaintedSite, _Place], ...]:
        """The places before one, each with its step and what that costs; the cheapest alone where several are the same."""
        found = self._known.get(place)
        if found is None:
            where, best = place[1], dict[_Place, tuple[int, TaintedSite, _Place]]()
            edges = self._edges_of(step)
            given = [self.gives(where.chosen, one) for one in edges] if where.chosen else []
            for at, edge in enumerate(edges):
                # Another function than the one that is called, where any gives that.
                if any(given) and edge.called and not given[at]:
                    continue
                cost = edge.cost + self.more(edge.step.region)
                for state in self.callers.earlier(edge, step.region, where):
                    earlier = id(edge.step), state
                    if earlier not in best or cost < best[earlier][0]:
                        best[earlier] = cost, edge.step, earlier
            found = self._known[place] = tuple(best.values())
        return found

    def _edges_of(self, step: TaintedSite) -> tuple[ChainStep, ...]:
        if id(step) not in self._edges:
            self._edges[id(step)] = tuple(self.before(step))
        return self._edges[id(step)]


def _steps(way: _Way | None) -> Iterator[TaintedSite]:
    while way is not None:
        step, way = way
        yield step
