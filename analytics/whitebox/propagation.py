"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Traced runs tell which steps an option's taint went through, not in which order. A step comes after another if it
reads what the other writes (locals by name within a region, attributes by name anywhere), if it gets what the other
returns, if it stands under a decision of its region, or if it was called from a line that does; as far as the option's
taint was seen at both. Calls and results are those that were seen on the stack. The chain is therefore evidence to be
read, not a proof; the surest one is shown: attributes of another class that are called alike count as several steps.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from analytics.whitebox.evidence import CALL, Names, TaintedSite
from analytics.whitebox.result import WhiteBoxResult

# An attribute of that name in another class may be that of another object.
_ELSEWHERE = 4
_COMPREHENSION = "comprehension"
# The function that the chain is in the result of, and the one that gets it: of results within results the innermost.
_Result: TypeAlias = tuple[str, str]
_NO_RESULT: _Result = "", ""


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
class _Edge:
    """A step before another one, and as how many steps it counts.

    `caller`: it returns to this region; `called`: it calls this region; `stored`: what it wrote may be read from anywhere.
    """

    step: TaintedSite
    cost: int = 1
    caller: str = ""
    called: str = ""
    stored: bool = False


class Propagation:
    """The sites that the traced runs of `result` have seen options at, and what leads from one to another."""

    def __init__(self, result: WhiteBoxResult) -> None:
        self._steps = result.sites
        self._knows_calls = bool(result.calls or result.returns)
        self._arguments: Mapping[tuple[str, str], tuple[str, ...]] = {
            (function, name): options for function, name, options in result.arguments
        }
        self._written_calls: dict[tuple[str, int], list[TaintedSite]] = defaultdict(list)
        self._writers: dict[tuple[str, str], list[TaintedSite]] = defaultdict(list)
        self._decisions: dict[str, list[TaintedSite]] = defaultdict(list)
        # The lines that were seen to give a function arguments, and to call it under decisions.
        self._passing: dict[str, list[TaintedSite]] = defaultdict(list)
        self._calling: dict[str, list[TaintedSite]] = defaultdict(list)
        # The functions whose results a region was seen to get, by line; and where functions return.
        self._given_back: dict[str, list[tuple[int, str, tuple[str, ...]]]] = defaultdict(list)
        self._returning: dict[str, list[TaintedSite]] = defaultdict(list)
        # The lines of statements, which may be more than one.
        self._statements: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for region, line, called, options in result.returns:
            self._given_back[region].append((line, called, options))
        for step in self._steps:
            name = step.writes.rpartition(":")[2]
            if step.writes and step.kind != CALL:
                self._statements[step.region].add((step.line, max(step.line, step.until)))
            if step.kind == CALL:
                self._written_calls[step.region, step.line].append(step)
            elif step.decides:
                self._decisions[step.region].append(step)
            elif name.endswith("()"):
                self._returning[step.region].append(step)
            else:
                self._writers["" if name.startswith(".") else step.region, name].append(step)
        for seen in result.calls:
            self._note_call(seen)

    def _note_call(self, seen: tuple[str, str, int, str, str, Names, Names]) -> None:
        """Keep a call that was seen as a step with what it reads, by the function that is called."""
        caller, file, line, text, called, data, control = seen
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
            self._calling[called].append(call.model_copy(update={"reads": tuple(reads), "control": control}))

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
        """The surest chain to `last` from where the option is read, from its end; see `_before`.

        Where no read was seen, the chain is the longest of those before which nothing was seen.
        """
        order = count()
        nearest: tuple[TaintedSite, ...] = (last,)
        todo: list[tuple[int, int, tuple[TaintedSite, ...], _Result]] = [
            (0, next(order), nearest, _NO_RESULT)
        ]
        done: set[tuple[int, _Result]] = set()
        edges: dict[int, tuple[_Edge, ...]] = {}
        while todo:
            cost, _, steps, result = heappop(todo)
            first = steps[0]
            if (id(first), result) in done:
                continue
            done.add((id(first), result))
            if self._reads_option(option, first):
                return Chain(steps, from_read=True)
            if id(first) not in edges:
                edges[id(first)] = tuple(self._before(option, first))
            before = [
                (edge, inside) for edge in edges[id(first)] if (inside := _within(edge, result)) is not None
            ]
            if len(steps) > len(nearest) and not before:
                nearest = steps
            for edge, inside in before:
                if (id(edge.step), inside) not in done:
                    heappush(todo, (cost + edge.cost, next(order), (edge.step, *steps), inside))
        return Chain(nearest, from_read=False)

    def _reads_option(self, option: str, step: TaintedSite) -> bool:
        """Whether a step reads the option: by its key, as an attribute that nothing in the program writes, or from what the entry was given.

        The entry is given something by no line of the program.
        """
        if option not in step.data:
            return False
        attribute = f".{option}"
        if f"[{option!r}]" in step.reads or (
            attribute in step.reads and ("", attribute) not in self._writers
        ):
            return True
        given = (name for name in step.reads if option in self._arguments.get((step.region, name), ()))
        return self._knows_calls and not self._passing[step.region] and any(given)

    def _before(self, option: str, step: TaintedSite) -> Iterator[_Edge]:
        """What may have given the option to `step`: what it reads, else what it stands under."""
        if option in step.data:
            yield from self._sources(option, step)
        if option not in step.data or not (step.decides or step.kind == CALL):
            under = [
                one
                for one in self._decisions[step.region]
                if option in one.data and self._is_under(step, one)
            ]
            yield from (_Edge(one) for one in under)
            if not under:
                yield from self._sources(option, step) if step.kind == CALL else ()
                calling = [one for one in self._calling[step.region] if option in one.control]
                yield from (_Edge(one, called=step.region) for one in calling)
                if not calling:
                    # What leaves a loop or a function early has a say in all that comes after it.
                    before = (one for one in self._decisions[step.region] if one.line < step.line)
                    yield from (_Edge(one, _ELSEWHERE) for one in before if option in one.data)

    def _is_under(self, step: TaintedSite, decision: TaintedSite) -> bool:
        """Whether `step` is one of the lines that `decision`, of the same region, has a say in, and not the decision itself."""
        if step is decision:
            return False
        if decision.kind.startswith(_COMPREHENSION):
            # What it makes stands before it, in the same statement.
            return any(
                first <= step.line and decision.line <= last
                for first, last in self._statements[step.region]
                if step.line <= last
            )
        place, decided = (step.line, step.column), (decision.line, decision.column)
        # The column of a call that was seen on the stack is not known.
        follows = place > decided if step.column else step.line >= decision.line
        return follows and step.line <= decision.until

    def _sources(self, option: str, step: TaintedSite) -> Iterator[_Edge]:
        """The steps that write what `step` reads, the returns of what it gets, and the calls that were seen to pass it, as far as the option was seen there."""
        last = step.line if step.decides else max(step.line, step.until)
        for line, called, options in self._given_back[step.region]:
            # A call has nothing of its own result.
            own = step.kind == CALL and step.writes == _call_of(called)
            if step.line <= line <= last and option in options and not own:
                returns = (one for one in self._returning[called] if option in one.data)
                yield from (_Edge(one, caller=step.region) for one in returns)
        # A function may read the locals of those around it.
        ends = [at for at, letter in enumerate(step.region) if letter == "."]
        scopes = (step.region, *(step.region[:end] for end in ends if ":" in step.region[:end]))
        for name in step.reads:
            local = (step.region, name)
            for scope in scopes:
                yield from (_Edge(one) for one in self._writers.get((scope, name), ()) if option in one.data)
            for one in self._writers.get(("", name), ()):
                if option in one.data:
                    yield _Edge(one, 1 if _class_of(one) == _class_of(step) else _ELSEWHERE, stored=True)
            if option in self._arguments.get(local, ()):
                passing = (one for one in self._passing[step.region] if option in one.data)
                yield from (_Edge(one, called=step.region) for one in passing)


def _within(edge: _Edge, result: _Result) -> _Result | None:
    """Whose result the chain is in before this step; None where a function would return to another one than called it."""
    if edge.caller:
        return edge.step.region, edge.caller
    if edge.stored:
        return _NO_RESULT
    if edge.called and edge.called == result[0]:
        return _NO_RESULT if result[1] == edge.step.region else None
    return result


def _class_of(step: TaintedSite) -> str:
    """The class, or the function, that a step stands in, with its module."""
    return step.region.rpartition(".")[0] if "." in step.region.rpartition(":")[2] else step.region


def _call_of(region: str) -> str:
    """What a call of the function is written as: a class for its `__init__`."""
    names = region.rpartition(":")[2].split(".")
    called = names[-2] if names[-1] == "__init__" and len(names) > 1 else names[-1]
    return f"{called}()"
