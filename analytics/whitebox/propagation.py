"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Traced runs tell which steps an option's taint went through, not in which order. A step comes after another if it
reads what the other writes: locals by name within a region, attributes and called functions by name anywhere, as
far as the option's taint was seen at both. The chain is therefore evidence to be read, not a proof.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from analytics.whitebox.result import TaintedSite


@dataclass(frozen=True)
class Propagation:
    """The sites that traced runs have seen options at; `arguments` holds the options by (function, parameter)."""

    steps: tuple[TaintedSite, ...]
    arguments: Mapping[tuple[str, str], frozenset[str]]

    def chains(self, option: str, region: str) -> tuple[tuple[TaintedSite, ...], ...]:
        """The chains that end in decisions of `region` on `option`, shortest first, one per decision.

        Each begins where the option is read, or where nothing earlier was seen. Empty: the option was seen in no
        decision of the region in any traced run, neither in a value nor in what led there.
        """
        found = []
        for step in self.steps:
            if step.decides and step.region == region:
                if option in step.data:
                    found.append(self._back(option, step))
                elif option in step.control:
                    found.append((*self._controlling(option, step), step))
        return tuple(sorted(found, key=lambda chain: (len(chain), chain[-1].line)))

    def _controlling(self, option: str, under: TaintedSite) -> tuple[TaintedSite, ...]:
        """The shortest chain to a decision on `option` that `under` may be under: of its region, else of a caller."""
        decisions = [
            step for step in self.steps if step.decides and option in step.data and step is not under
        ]
        own = [step for step in decisions if step.region == under.region]
        callers = {step.region for step in self._calls.get(_call_of(under.region), ())}
        near = own or [step for step in decisions if step.region in callers]
        chains = [self._back(option, step) for step in near or decisions]
        return min(chains, key=lambda chain: (len(chain), chain[-1].file, chain[-1].line), default=())

    def _back(self, option: str, last: TaintedSite) -> tuple[TaintedSite, ...]:
        """The shortest chain to `last`, by breadth first from its end."""
        after: dict[int, TaintedSite | None] = {id(last): None}
        todo = deque([last])
        first = last
        while todo:
            step = todo.popleft()
            before = list(self._before(option, step))
            if self._reads_option(option, step):
                return self._forward(step, after)
            if not before and first is last:
                # Nothing earlier is known: the nearest such end, unless the place of the read is found after all.
                first = step
            for one in before:
                if id(one) not in after:
                    after[id(one)] = step
                    todo.append(one)
        return self._forward(first, after)

    def _reads_option(self, option: str, step: TaintedSite) -> bool:
        """Whether the option is read here: by its key, or as an attribute that nothing in the program writes."""
        attribute = f".{option}"
        return f"[{option!r}]" in step.reads or (
            attribute in step.reads and ("", attribute) not in self._writers
        )

    @staticmethod
    def _forward(
        step: TaintedSite | None, after: Mapping[int, TaintedSite | None]
    ) -> tuple[TaintedSite, ...]:
        chain = []
        while step is not None:
            chain.append(step)
            step = after[id(step)]
        return tuple(chain)

    def _before(self, option: str, step: TaintedSite) -> Iterable[TaintedSite]:
        for name in step.reads:
            local = (step.region, name)
            for key in (local, ("", name)):
                yield from (one for one in self._writers.get(key, ()) if option in one.data)
            if option in self.arguments.get(local, ()):
                yield from self._calls.get(_call_of(step.region), ())

    @cached_property
    def _writers(self) -> dict[tuple[str, str], list[TaintedSite]]:
        writers: dict[tuple[str, str], list[TaintedSite]] = {}
        for step in self.steps:
            if step.kind == "call" or step.decides:
                continue
            name = step.writes.rpartition(":")[2]
            if name.endswith("()"):
                key = ("", name.rpartition(".")[2])
            else:
                key = ("", name) if name.startswith(".") else (step.region, name)
            writers.setdefault(key, []).append(step)
        return writers

    @cached_property
    def _calls(self) -> dict[str, list[TaintedSite]]:
        calls: dict[str, list[TaintedSite]] = {}
        for step in self.steps:
            if step.kind == "call":
                calls.setdefault(step.writes, []).append(step)
        return calls


def _call_of(region: str) -> str:
    """What a call of the function is written as: a class for its `__init__`."""
    names = region.rpartition(":")[2].split(".")
    called = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    return f"{called}()"
