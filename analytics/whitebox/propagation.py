"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Traced runs tell which steps an option's taint went through, not in which order. A step comes after another if it
reads what the other writes: locals by name within a region, attributes and called functions by name anywhere, as
far as the option's taint was seen at both. The chain is therefore evidence to be read, not a proof.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from analytics.whitebox.result import TaintedSite

Chain = tuple[TaintedSite, ...]


class Propagation:
    """The sites that traced runs have seen options at; `arguments` holds the options by (function, parameter)."""

    def __init__(
        self, steps: Sequence[TaintedSite], arguments: Mapping[tuple[str, str], frozenset[str]]
    ) -> None:
        self._steps, self._arguments = steps, arguments
        self._calls: dict[str, list[TaintedSite]] = defaultdict(list)
        self._writers: dict[tuple[str, str], list[TaintedSite]] = defaultdict(list)
        for step in steps:
            name = step.writes.rpartition(":")[2]
            if step.kind == "call":
                self._calls[step.writes].append(step)
            elif name.endswith("()"):
                self._writers["", name.rpartition(".")[2]].append(step)
            elif not step.decides:
                self._writers["" if name.startswith(".") else step.region, name].append(step)

    def chains(self, option: str, region: str) -> tuple[Chain, ...]:
        """The chains that end in decisions of `region` on `option`, shortest first, one per decision.

        Each begins where the option is read, or where nothing earlier was seen. Empty: the option was seen in no
        decision of the region in any traced run, neither in a value nor in what led there.
        """
        chains = []
        for step in self._steps:
            if step.decides and step.region == region:
                if option in step.data:
                    chains.append(self._back(option, step))
                elif option in step.control:
                    chains.append((*self._controlling(option, step), step))
        return tuple(sorted(chains, key=lambda chain: (len(chain), chain[-1].line)))

    def _controlling(self, option: str, under: TaintedSite) -> Chain:
        """The shortest chain to a decision on `option` that `under` may be under: of its region, else of a caller."""
        decisions = [
            step for step in self._steps if step.decides and option in step.data and step is not under
        ]
        own = [step for step in decisions if step.region == under.region]
        callers = {step.region for step in self._calls.get(_call_of(under.region), ())}
        near = own or [step for step in decisions if step.region in callers]
        chains = [self._back(option, step) for step in near or decisions]
        return min(chains, key=lambda chain: (len(chain), chain[-1].file, chain[-1].line), default=())

    def _back(self, option: str, last: TaintedSite) -> Chain:
        """The shortest chain to `last` from where the option is read, by breadth first from its end.

        The option is read by its key, or as an attribute that nothing in the program writes. Where no read was seen, the
        chain begins at the nearest step before which nothing was seen.
        """
        attribute = f".{option}"
        keys = {f"[{option!r}]"} if ("", attribute) in self._writers else {f"[{option!r}]", attribute}
        todo: deque[Chain] = deque([(last,)])
        seen, nearest = {id(last)}, None
        while todo:
            chain = todo.popleft()
            if not keys.isdisjoint(chain[0].reads):
                return chain
            before = list(self._before(option, chain[0]))
            if not before and nearest is None:
                nearest = chain
            for one in before:
                if id(one) not in seen:
                    seen.add(id(one))
                    todo.append((one, *chain))
        return nearest or (last,)

    def _before(self, option: str, step: TaintedSite) -> Iterable[TaintedSite]:
        """The steps that write what `step` reads, and the calls that pass it, as far as the option was seen there."""
        for name in step.reads:
            local = (step.region, name)
            for key in (local, ("", name)):
                yield from (one for one in self._writers.get(key, ()) if option in one.data)
            if option in self._arguments.get(local, ()):
                yield from self._calls.get(_call_of(step.region), ())


def _call_of(region: str) -> str:
    """What a call of the function is written as: a class for its `__init__`."""
    names = region.rpartition(":")[2].split(".")
    called = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    return f"{called}()"
