"""Chains of steps each of which was seen to come from the one before it, where traced runs noted that (`TaintedSite.earlier`).

Each link is a fact: the value, or the decision that led there, came from the step before, by the calls between. Links are joined
only where the function of the step was called by the same line. A chain is that of the fewest links; whether they happened in
one go is not known.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from analytics.whitebox.chain_search import Chain
from analytics.whitebox.evidence import CALL, StepFlow, TaintedSite
from analytics.whitebox.result import WhiteBoxResult

# The place of a step, and the line that called its function.
_Node: TypeAlias = tuple[str, str]
# A call between counts little: links are what may have happened at different times.
_CALL = 0.02


@dataclass(frozen=True, slots=True)
class FlowChains:
    """The links of a result: `refuted` tells of a decision that counts say the option has no say in, `more` how many steps more one of a region counts."""

    result: WhiteBoxResult
    refuted: Callable[[str, TaintedSite], bool]
    more: Callable[[str, str], int]
    _sites: dict[str, list[TaintedSite]] = field(init=False)
    _links: dict[_Node, list[StepFlow]] = field(init=False)

    def __post_init__(self) -> None:
        sites: dict[str, list[TaintedSite]] = defaultdict(list)
        links: dict[_Node, list[StepFlow]] = defaultdict(list)
        for site in self.result.sites:
            sites[site.place].append(site)
            for one in site.earlier:
                links[site.place, one.called].append(one)
        object.__setattr__(self, "_sites", dict(sites))
        object.__setattr__(self, "_links", dict(links))

    @classmethod
    def of(
        cls,
        result: WhiteBoxResult,
        refuted: Callable[[str, TaintedSite], bool],
        more: Callable[[str, str], int],
    ) -> "FlowChains | None":
        """Those of a result; None where its runs did not note what steps came from, as in an earlier release."""
        noted = any(site.earlier for site in result.sites)
        return cls(result, refuted, more) if noted else None

    def back(self, option: str, last: TaintedSite) -> Chain:
        """The chain to the decision `last` from where the option is read; the decision alone where none is known."""
        order = count()
        todo: list[tuple[float, int, _Node, tuple[str, ...]]] = [
            (0, next(order), (last.place, called), ())
            for called in sorted({one.called for one in last.earlier})
        ]
        done: set[_Node] = set()
        while todo:
            cost, _, node, way = heappop(todo)
            if node in done:
                continue
            done.add(node)
            for own, one in self._earlier(option, node):
                if not one.place:
                    return Chain(self._steps((node[0], *way), last), from_read=True)
                known = (at for at in one.calls if at in self._sites)
                heappush(todo, (cost + own, next(order), (one.place, one.caller), (*known, node[0], *way)))
        return Chain((last,), from_read=False)

    def _earlier(self, option: str, node: _Node) -> Iterator[tuple[float, StepFlow]]:
        """What came to a step, with what it costs: to a decision by its value if that has the option, else by what it stands under."""
        tested = any(not site.decides or self._tests(option, site) for site in self._sites[node[0]])
        for one in self._links.get(node, ()):
            if option not in one.options or (not one.decided and not tested):
                continue
            earlier = self._sites.get(one.place, [])
            if one.place and not any(not site.decides or self._tests(option, site) for site in earlier):
                continue
            more = self.more(option, one.place.rpartition(" ")[0])
            yield 1 + _CALL * len(one.calls) + more, one

    def _tests(self, option: str, site: TaintedSite) -> bool:
        return option in site.data and not self.refuted(option, site)

    def _steps(self, way: tuple[str, ...], last: TaintedSite) -> tuple[TaintedSite, ...]:
        """The steps at the places of a way to `last`, without calls on the line of the step after them."""
        steps = [*(self._sites[at][0] for at in way[:-1]), last]
        return tuple(
            step
            for step, after in zip(steps, [*steps[1:], None], strict=True)
            if step.kind != CALL or after is None or (step.region, step.line) != (after.region, after.line)
        )
