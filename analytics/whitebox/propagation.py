"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Traced runs tell which steps an option's taint went through, not in which order. A step comes after another if it
reads what the other writes (locals by name within a region, attributes and results of functions by name anywhere), if it
stands under a decision of its region, or if it was called from a line that does; as far as the option's taint was seen at
both. Calls are those that were seen on the stack. The chain is therefore evidence to be read, not a proof.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analytics.whitebox.evidence import CALL, TaintedSite
from analytics.whitebox.result import WhiteBoxResult


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
    """The sites that the traced runs of `result` have seen options at, and what leads from one to another."""

    def __init__(self, result: WhiteBoxResult) -> None:
        self._steps = result.sites
        self._arguments: Mapping[tuple[str, str], tuple[str, ...]] = {
            (function, name): options for function, name, options in result.arguments
        }
        self._written_calls: dict[tuple[str, int], list[TaintedSite]] = defaultdict(list)
        self._writers: dict[tuple[str, str], list[TaintedSite]] = defaultdict(list)
        self._decisions: dict[str, list[TaintedSite]] = defaultdict(list)
        # The lines that were seen to give a function arguments, and to call it under decisions.
        self._passing: dict[str, list[TaintedSite]] = defaultdict(list)
        self._calling: dict[str, list[TaintedSite]] = defaultdict(list)
        for step in self._steps:
            name = step.writes.rpartition(":")[2]
            if step.kind == CALL:
                self._written_calls[step.region, step.line].append(step)
            elif step.decides:
                self._decisions[step.region].append(step)
            elif name.endswith("()"):
                self._writers["", name.rpartition(".")[2]].append(step)
            else:
                self._writers["" if name.startswith(".") else step.region, name].append(step)
        for caller, file, line, text, called, data, control in result.calls:
            name = _call_of(called)
            written = self._written_calls[caller, line]
            named = [one for one in written if one.writes == name] or written
            call = TaintedSite(
                region=caller, file=file, line=line, column=0, kind=CALL, text=text, writes=name, reads=(), data=()
            )  # fmt: skip
            if data:
                reads = dict.fromkeys(read for one in named for read in one.reads)
                self._passing[called].append(call.model_copy(update={"reads": tuple(reads), "data": data}))
            if control:
                # Which function the name stands for may be what an option decides.
                names = dict.fromkeys(one.writes.removesuffix("()") for one in named)
                reads = {**names, **{f".{one}": None for one in names}}
                self._calling[called].append(
                    call.model_copy(update={"reads": tuple(reads), "control": control})
                )

    def chains(self, option: str, region: str) -> tuple[Chain, ...]:
        """The chains that end in decisions of `region` on `option`: those from a read first, then the shortest; one per decision.

        Empty: the option was seen in no decision of the region in any traced run, neither in a value nor in what led there.
        """
        chains = [
            self._back(option, step)
            for step in self._decisions[region]
            if option in step.data or option in step.control
        ]
        return tuple(
            sorted(chains, key=lambda chain: (not chain.from_read, len(chain.steps), chain.decision.line))
        )

    def _back(self, option: str, last: TaintedSite) -> Chain:
        """The shortest chain to `last` from where the option is read, by breadth first from its end.

        The option is read by its key, or as an attribute that nothing in the program writes. Where no read was seen, the
        chain is the longest of those before which nothing was seen.
        """
        attribute = f".{option}"
        keys = {f"[{option!r}]"} if ("", attribute) in self._writers else {f"[{option!r}]", attribute}
        todo: deque[tuple[TaintedSite, ...]] = deque([(last,)])
        seen, nearest = {id(last)}, todo[0]
        while todo:
            steps = todo.popleft()
            if option in steps[0].data and not keys.isdisjoint(steps[0].reads):
                return Chain(steps, from_read=True)
            before = list(self._before(option, steps[0]))
            if len(steps) > len(nearest) and not before:
                nearest = steps
            for one in before:
                if id(one) not in seen:
                    seen.add(id(one))
                    todo.append((one, *steps))
        return Chain(nearest, from_read=False)

    def _before(self, option: str, step: TaintedSite) -> Iterator[TaintedSite]:
        """What may have given the option to `step`: what it reads, else what it stands under."""
        if option in step.data:
            yield from self._sources(option, step)
        if option not in step.data or not (step.decides or step.kind == CALL):
            under = [
                one for one in self._decisions[step.region] if option in one.data and _is_under(step, one)
            ]
            yield from under
            if not under:
                yield from self._sources(option, step) if step.kind == CALL else ()
                yield from (one for one in self._calling[step.region] if option in one.control)

    def _sources(self, option: str, step: TaintedSite) -> Iterator[TaintedSite]:
        """The steps that write what `step` reads, and the calls that were seen to pass it, as far as the option was seen there."""
        for name in step.reads:
            local = (step.region, name)
            for key in (local, ("", name)):
                yield from (one for one in self._writers.get(key, ()) if option in one.data)
            if name.startswith(".") and ("", name) not in self._writers:
                # A property, or an attribute that is worked out.
                for made in (f"{name[1:]}()", "__getattr__()"):
                    yield from (one for one in self._writers.get(("", made), ()) if option in one.data)
            if option in self._arguments.get(local, ()):
                yield from (one for one in self._passing[step.region] if option in one.data)


def _is_under(step: TaintedSite, decision: TaintedSite) -> bool:
    """Whether `step` is one of the lines that `decision`, of the same region, has a say in, and not the decision itself."""
    place, decided = (step.line, step.column), (decision.line, decision.column)
    # The column of a call that was seen on the stack is not known.
    follows = place > decided if step.column else step.line >= decision.line
    return step is not decision and follows and step.line <= decision.until


def _call_of(region: str) -> str:
    """What a call of the function is written as: a class for its `__init__`."""
    names = region.rpartition(":")[2].split(".")
    called = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    return f"{called}()"
