"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Each link of a chain is a fact that traced runs noted (`StepFlows`): the value, or the decision that led there, came from the
step before, by the calls between. Links are joined only where the function of the step was called by the same line. A chain is that of
the fewest links; whether they happened in one go is not known. Earlier releases noted no links: of their results no chain is known.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeAlias

from analytics.whitebox.evidence import CALL, StepFlow, TaintedSite
from analytics.whitebox.result import WhiteBoxResult

# The place of a step, and the line that called its function.
_Node: TypeAlias = tuple[str, str]
# A call between counts little: links are what may have happened at different times.
_CALL = 0.02
# An option that never changed the counts of a function may be handed on by it.
_UNMOVED = 2


@dataclass(frozen=True)
class Chain:
    """The steps to a decision; `from_read`: the first one reads the option, else what was before it is not known."""

    steps: tuple[TaintedSite, ...]
    from_read: bool

    @property
    def decision(self) -> TaintedSite:
        """Where it leads to."""
        return self.steps[-1]


class Propagation:
    """The sites that the traced runs of `result` have seen options at, and which of them came from which."""

    def __init__(self, result: WhiteBoxResult) -> None:
        self._moved, self._counted = {(one.region, one.option) for one in result.effects}, result.work.keys()
        self._refuted = {(region, place): options for region, place, options in result.refuted}
        self._compared = {name for name, pairs in result.pairs.items() if pairs}
        self._sites: dict[str, list[TaintedSite]] = defaultdict(list)
        # The positions of the links to a step, and the lines that were seen to call the function of a site.
        self._flows, self._links = result.flows, defaultdict[_Node, list[int]](list)
        self._called: dict[tuple[Any, ...], list[str]] = {}
        for at, site in enumerate(result.sites):
            self._sites[site.place].append(site)
            rows = self._flows.by_call(at)
            self._called[site.key] = sorted(rows)
            for called, own in rows.items():
                self._links[site.place, called] += own

    def chains(self, option: str, region: str) -> tuple[Chain, ...]:
        """The chains that end in decisions of `region` on `option`: those from a read first, then the shortest; one per decision.

        Empty: the option was seen in no decision of the region in any traced run, neither in a value nor in what led there.
        """
        decisions = (site for sites in self._sites.values() for site in sites if site.decides)
        chains = [
            self._back(option, step)
            for step in decisions
            if step.region == region and (self._tests(option, step) or option in step.control)
        ]
        return tuple(
            sorted(chains, key=lambda chain: (not chain.from_read, len(chain.steps), chain.decision.line))
        )

    def _back(self, option: str, last: TaintedSite) -> Chain:
        """The chain to the decision `last` from where the option is read; the decision alone where none is known."""
        order = count()
        todo: list[tuple[float, int, _Node, tuple[str, ...]]] = [
            (0, next(order), (last.place, called), ()) for called in self._called[last.key]
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
        for row in self._links.get(node, ()):
            if option not in self._flows.options_of(row):
                continue
            one = self._flows.at(row)
            if not one.decided and not tested:
                continue
            earlier = self._sites.get(one.place, [])
            if one.place and not any(not site.decides or self._tests(option, site) for site in earlier):
                continue
            if any(self._leads_elsewhere(option, site, earlier) for site in self._sites[node[0]]):
                continue
            yield 1 + _CALL * len(one.calls) + _UNMOVED * self._unmoved(option, one), one

    def _unmoved(self, option: str, link: StepFlow) -> int:
        """How many of the functions that a link goes through have counts that were compared and never changed with the option."""
        if option not in self._compared:
            return 0
        regions = {at.rpartition(" ")[0] for at in (link.place, *link.calls)}
        return sum(region in self._counted and (region, option) not in self._moved for region in regions)

    def _tests(self, option: str, site: TaintedSite) -> bool:
        """Whether the option was seen in the site's value; of a decision that goes one way whatever it is, counts refute that."""
        refuted = self._refuted.get((site.region, f"{site.line}:{site.column}"), ())
        return option in site.data and option not in refuted

    def _leads_elsewhere(self, option: str, site: TaintedSite, earlier: list[TaintedSite]) -> bool:
        """Whether the decision `earlier` has no say in that the program comes to a site: its way is taken as often whatever the option is."""
        if not site.way or option not in self._refuted.get((site.region, site.way), ()):
            return False
        # What is decided on that way itself may have.
        way = int(site.way.partition(":")[0])
        return any(one.decides and one.region == site.region and one.line <= way for one in earlier)

    def _steps(self, way: tuple[str, ...], last: TaintedSite) -> tuple[TaintedSite, ...]:
        """The steps at the places of a way to `last`, without calls on the line of the step after them."""
        steps = [*(self._sites[at][0] for at in way[:-1]), last]
        return tuple(
            step
            for step, after in zip(steps, [*steps[1:], None], strict=True)
            if step.kind != CALL or after is None or (step.region, step.line) != (after.region, after.line)
        )
