"""How an option's value gets to a region: the chain from where it is read, step by step, to a decision.

Traced runs tell which steps an option's taint went through, not in which order. A step comes after another if it
reads what the other writes (locals by name within a region, attributes by name anywhere), if it gets what the other
returns, if it stands under a decision of its region, or if it was called from a line that does; as far as the option's
taint was seen at both. Calls and results are those that were seen on the stack. The chain is therefore evidence to be
read, not a proof; the surest one is shown: attributes of another class that are called alike count as several steps.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial

from analytics.whitebox.callers import Callers, ChainStep
from analytics.whitebox.chain_search import Chain, ChainSearch
from analytics.whitebox.evidence import CALL, Names, TaintedSite, call_of, names_of
from analytics.whitebox.flow_chains import FlowChains
from analytics.whitebox.result import WhiteBoxResult

# An attribute of that name in another class may be that of another object.
_ELSEWHERE = 4
# All the more where its own class writes one.
_ELSEWHERE_TOO = 6
# What a decision was reached under tells less than what it tests.
_REACHED = 2
# Which of its arguments a function changes is not known.
_CHANGED = 2
# An option that never changed the counts of a function may be handed on by it.
_UNMOVED = 2
_COMPREHENSION = "comprehension"


class Propagation:
    """The sites that the traced runs of `result` have seen options at, and what leads from one to another."""

    def __init__(self, result: WhiteBoxResult) -> None:
        self._moved, self._counted = {(one.region, one.option) for one in result.effects}, result.work.keys()
        self._refuted = {(region, place): options for region, place, options in result.refuted}
        self._names = {option: names_of(option, result.sources.get(option, "")) for option in result.options}
        self._compared = {name for name, pairs in result.pairs.items() if pairs}
        self._arguments: Mapping[tuple[str, str], Names] = {one[:2]: one[2] for one in result.arguments}
        self._entries = result.given_everything if result.calls or result.returns else frozenset[str]()
        self._callers, self._searches = Callers(result.callers), dict[str, ChainSearch]()
        self._written_calls: dict[tuple[str, int], list[TaintedSite]] = defaultdict(list)
        self._writers: dict[tuple[str, str], list[TaintedSite]] = defaultdict(list)
        self._decisions: dict[str, list[TaintedSite]] = defaultdict(list)
        # The lines that were seen to give a function arguments, and to call it under decisions; and what they give it, by name.
        self._passing: dict[str, list[TaintedSite]] = defaultdict(list)
        self._calling: dict[str, list[TaintedSite]] = defaultdict(list)
        self._given: dict[tuple[str, int, str], set[str]] = defaultdict(set)
        # The functions whose results a region was seen to get, by line; and where functions return.
        self._given_back: dict[str, list[tuple[int, str, tuple[str, ...]]]] = defaultdict(list)
        self._returning: dict[str, list[TaintedSite]] = defaultdict(list)
        # Where a function changes what it is given; and the functions that are given what a name stands for, behind those that call them.
        self._changing: dict[str, list[TaintedSite]] = defaultdict(list)
        self._given_to: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        self._statements: dict[str, set[tuple[int, int]]] = defaultdict(set)  # first and last lines
        for region, line, called, options in result.returns:
            self._given_back[region].append((line, called, options))
        for step in result.sites:
            if step.writes and step.kind != CALL:
                self._statements[step.region].add((step.line, max(step.line, step.until)))
            if step.kind == CALL:
                self._written_calls[step.region, step.line].append(step)
            elif step.decides:
                self._decisions[step.region].append(step)
            elif step.writes.endswith("()"):
                self._returning[step.region].append(step)
            else:
                self._note_written(step)
        for place in self._arguments.keys() & self._writers.keys():
            if all(one.kind == "item" for one in self._writers[place]):
                self._changing[place[0]] += self._writers[place]
        for seen in result.calls:
            self._note_call(seen)
        self._flows = FlowChains.of(result, self._is_refuted, self._more)

    def _note_written(self, step: TaintedSite) -> None:
        """Keep a step by what it writes; a name of a module also as other modules read it."""
        owner, name = step.written_place
        self._writers[owner, name].append(step)
        if owner == step.module:
            self._writers["", f".{name}"].append(step)

    def _note_call(self, seen: tuple[str, str, int, str, str, Names, Names]) -> None:
        """Keep a call that was seen as a step with what it reads, by the function that is called."""
        caller, file, line, text, called, data, control = seen
        name = call_of(called)
        written = self._written_calls[caller, line]
        unnamed = [one for one in written if one.writes == "()"]
        known = [one for one in written if one.writes == name]
        named = known or unnamed or written
        self._given[caller, line, called].update(read.lstrip(".") for one in named for read in one.reads)
        for read in (read for one in named for read in one.reads):
            self._given_to["" if read.startswith(".") else caller, read].add((caller, called))
        ways = {one.way for one in written}
        call = TaintedSite(
            region=caller, file=file, line=line, column=0, kind=CALL, text=text, writes=name, reads=(), data=(),
            way=ways.pop() if len(ways) == 1 else "",
        )  # fmt: skip
        if data:
            reads = dict.fromkeys(read for one in named for read in one.reads)
            self._passing[called].append(call.model_copy(update={"reads": tuple(reads), "data": data}))
        if control:
            # Which function the name stands for may be what an option decides.
            names = dict.fromkeys(one.writes.removesuffix("()") for one in named if one not in unnamed)
            reads = {**names, **{f".{one}": None for one in names}}
            self._calling[called].append(call.model_copy(update={"reads": tuple(reads), "control": control}))

    def chains(self, option: str, region: str) -> tuple[Chain, ...]:
        """The chains that end in decisions of `region` on `option`: those from a read first, then the shortest; one per decision.

        Empty: the option was seen in no decision of the region in any traced run, neither in a value nor in what led there.
        """
        if option not in self._searches:
            self._searches[option] = ChainSearch(
                partial(self._reads_option, option),
                partial(self._before, option),
                partial(self._more, option),
                lambda name, edge: name in self._given[edge.step.region, edge.step.line, edge.called],
                self._callers,
            )
        search = self._searches[option]
        chains = [
            self._flows.back(option, step) if self._flows else search.back(step)
            for step in self._decisions[region]
            if self._tests(option, step) or option in step.control
        ]
        return tuple(
            sorted(chains, key=lambda chain: (not chain.from_read, len(chain.steps), chain.decision.line))
        )

    def _more(self, option: str, region: str) -> int:
        """How many steps more a step of a region counts in chains of the option."""
        return _UNMOVED * self._unmoved(option, region)

    def _is_refuted(self, option: str, step: TaintedSite) -> bool:
        """Whether a decision goes one way whatever the option is, as counts say."""
        return option in self._refuted.get((step.region, f"{step.line}:{step.column}"), ())

    def _unmoved(self, option: str, region: str) -> bool:
        """Whether counts were compared and the option never changed those of the region."""
        return option in self._compared and region in self._counted and (region, option) not in self._moved

    def _reads_option(self, option: str, step: TaintedSite) -> bool:
        """Whether a step reads the option: by its key, as an attribute that nothing in the program writes, as the parameter that is its source, or from what the entry was given.

        The entry is given all options, by no line of the program; any other function that no line was seen to call, as one that
        the interpreter calls, is none.
        """
        if option not in step.data:
            return False
        # As it is called anywhere, or as a parameter of this function.
        own = self._names[option]
        reads = (name for name in step.reads if name in own or f"{step.region}.{name}" in own)
        if any(self._is_read(name, option, step) for name in reads):
            return True
        given = (name for name in step.reads if option in self._arguments.get((step.region, name), ()))
        return step.region in self._entries and not self._passing[step.region] and any(given)

    def _is_read(self, name: str, option: str, step: TaintedSite) -> bool:
        """Whether what `step` reads under a name that the option has outside comes from there.

        An attribute does if nothing in the program writes it, a parameter if its function does not write the option to it; or if
        all that do have it from that name themselves, and `step` is one of these.
        """
        if name.startswith("["):
            return True
        place = ("" if name.startswith(".") else step.region), name
        writers = [one for one in self._writers.get(place, ()) if option in one.data]
        if not writers:
            return not name.startswith(".") or place not in self._writers
        return step in writers and all(name in one.reads for one in writers)

    def _before(self, option: str, step: TaintedSite) -> Iterator[ChainStep]:
        """What may have given the option to `step`: what it reads, else what it stands under."""
        tests = self._tests(option, step)
        if tests:
            yield from self._sources(option, step)
            if step.decides and option not in step.control:
                return
        cost = 1 + _REACHED * (step.decides and tests)
        decisions = [one for one in self._decisions[step.region] if self._tests(option, one)]
        under = [one for one in decisions if self._is_under(step, one)]
        # How often its way is taken is the same whatever the option is: only what is decided on that way has a say.
        refuted = step.way and option in self._refuted.get((step.region, step.way), ())
        if refuted:
            way = int(step.way.partition(":")[0])
            under = [one for one in under if one.line > way]
        yield from (ChainStep(one, cost) for one in under)
        if not under and not refuted:
            yield from self._sources(option, step) if step.kind == CALL else ()
            calling = [one for one in self._calling[step.region] if option in one.control]
            # An option that never changed the counts of a function has not decided that it is called.
            if not self._unmoved(option, step.region):
                yield from (self._call(one, step.region, cost) for one in calling)
            if not calling:
                # What leaves a loop or a function early has a say in all that comes after it; once it was not noted what does.
                before = (one for one in decisions if one.line < step.line and not one.until)
                yield from (ChainStep(one, _ELSEWHERE) for one in before)

    def _call(self, call: TaintedSite, region: str, cost: int = 1) -> ChainStep:
        named = any(one.writes == call.writes for one in self._written_calls[call.region, call.line])
        return ChainStep(call, cost, called=region, chosen="" if named else call.writes.removesuffix("()"))

    def _tests(self, option: str, step: TaintedSite) -> bool:
        """Whether the option was seen in the step's value; of a decision that goes one way whatever it is, counts refute that."""
        return option in step.data and not (step.decides and self._is_refuted(option, step))

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

    def _sources(self, option: str, step: TaintedSite) -> Iterator[ChainStep]:
        """The steps that write what `step` reads, the returns of what it gets, and the calls that were seen to pass it, as far as the option was seen there."""
        last = step.line if step.decides else max(step.line, step.until)
        for line, called, options in self._given_back[step.region]:
            # A call has nothing of its own result, nor of that of another function which it was of at another time.
            one_call = (
                len(self._written_calls[step.region, line]) == 1
                and (step.region, line, called) in self._given
            )
            own = step.kind == CALL and (one_call or step.writes == call_of(called))
            if step.line <= line <= last and option in options and not own:
                returns = (one for one in self._returning[called] if option in one.data)
                yield from (ChainStep(one, caller=step.region) for one in returns)
        # A function may read the locals of those around it.
        ends = [at for at, letter in enumerate(step.region) if letter == "."]
        scopes = (step.region, *(step.region[:end] for end in ends if ":" in step.region[:end]))
        for name in step.reads:
            local = (step.region, name)
            yield from self._written(option, step, name, scopes)
            given_to = {calls for scope in ("", *scopes) for calls in self._given_to.get((scope, name), ())}
            for caller, called in sorted(given_to):
                changing = (one for one in self._changing.get(called, ()) if option in one.data)
                yield from (ChainStep(one, _CHANGED, caller=caller) for one in changing)
            if option in self._arguments.get(local, ()):
                passing = (one for one in self._passing[step.region] if option in one.data)
                yield from (self._call(one, step.region) for one in passing)

    def _written(
        self, option: str, step: TaintedSite, name: str, scopes: tuple[str, ...]
    ) -> Iterator[ChainStep]:
        """The steps that write a name that `step` reads: of its function or one around it, else of its module; or an attribute."""
        is_local = any((scope, name) in self._writers for scope in scopes)
        is_local = is_local or (step.region, name) in self._arguments
        for scope in scopes if is_local else (step.module,):
            yield from (ChainStep(one) for one in self._writers.get((scope, name), ()) if option in one.data)
        stored = [one for one in self._writers.get(("", name), ()) if option in one.data]
        own = any(one.class_name == step.class_name for one in stored)
        for one in stored:
            cost = 1 if one.class_name == step.class_name else _ELSEWHERE + own * _ELSEWHERE_TOO
            yield ChainStep(one, cost, stored=True)
