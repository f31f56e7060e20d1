"""Which step gave a value to which: beside the bits of its options, a taint carries one for each step that these come from.

A step notes which steps the taint that goes through it comes from, and puts its own bit in their place. So what a taint
carries are always the last steps, whatever containers, attributes, calls or native code the value went through meanwhile. How the
program got from the one step to the other is read from the stack when that is first seen.

All of this happens at almost every operation of the program. So a step has one bit for all options that come through it
together, and what has gone through a step in a function that was called by the same call is not looked at again: what it was made is kept.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import count, islice
from types import FrameType

from .lately import Call, KnownLately, Lately, LatelyByCall, keep

# The code objects of the program's rewritten modules, which are kept where they are registered; no comprehensions: one is part of the
# function that it stands in.
FUNCTIONS: set[int] = set()
# Module, file and line.
Place = tuple[str, str, int]
# Stands for the step by which the entry was given an option that has a source of its own.
ENTRY_SITE = -2
# Stands for what gave the program an option: no step.
OUTSIDE = -3
# A site, and the call that its function runs in: what a function does is told apart by who called it.
Node = tuple[int, int, int, int]
# A site, the call that its function ran in, the taint of the options that came from there, the lines that called one another since.
Step = tuple[int, Call, int, tuple[Place, ...]]
# Where nothing is known of who called.
_UNKNOWN: Call = (0, 0, 0)
# How many decisions on the same options are told of those that led to a step, the first ones that ran: the last `elif` of a thousand
# stands under all others, and what it is reached by is told by the first.
MOST_DECISIONS = 64
# A program may put something else in the place of what is built in.
_frame, _id, _any, _max, _next = sys._getframe, id, any, max, next  # noqa: SLF001 - the stack is the evidence
_tuple, _reversed, _str = tuple, reversed, str


class Flows:
    """What went from which step to which, and by which calls.

    A step is a site with the options that came through it together, in a function that was called by a certain call; it is known by its
    number. `given` has for each site and call the steps that its values come from, with the taint of the options that came
    from there, `under` those of the decisions that led there, `read` the options that came from no step. `lines` has the line of
    each call, `kinds` the classes of objects whose methods were called. `options` is the mask of options in a taint; -1: nothing of this is noted.
    """

    def __init__(self) -> None:
        self.options = -1
        self.given: dict[Node, dict[int, int]] = defaultdict(dict)
        self.under: dict[Node, dict[int, int]] = defaultdict(dict)
        self.read: dict[Node, int] = defaultdict(int)
        self.lines: dict[Call, Place | None] = {}
        # By their `id`, which nothing else has as long as they are here.
        self.kinds: dict[int, type] = {}
        self._first = self._outside = 0
        # By number, which no other thread takes, too; all that is known of a step is there before anybody is given the number.
        self._fresh = count()
        self._steps: dict[int, tuple[Node, int]] = {}
        # The function that each step was made in.
        self._made_in: dict[int, int] = {}
        # By site, call, and the lines that called one another from the function of the step to that of the site.
        self._calls: dict[tuple[Node, int], tuple[Place, ...]] = {}
        # By site, call and options: all that went through, joined, and what it is made; the former of decisions that led there.
        self._passed: dict[tuple[Node, int], list[int]] = {}
        self._led: dict[tuple[Node, int], int] = defaultdict(int)
        # The bits of the steps with the same options; those that are told of decisions that led to a site.
        self._alike: dict[int, int] = defaultdict(int)
        self._decided: dict[Node, int] = defaultdict(int)
        self._by_call = LatelyByCall()
        # What calls have given to functions.
        self.handed = 0

    def begin(self, count: int) -> None:
        """Note from now on what taints of `count` options come from; what was noted is forgotten."""
        vars(self).update(vars(Flows()))
        self.options = (1 << count) - 1
        self._first = count
        self._outside = (1 << 2 * count) - 1
        for option in range(count):
            self._own((OUTSIDE, 0, option, 0), 1 << option)

    def forget_last(self) -> None:
        """Forget what went through last: the next is told to the steps again."""
        self.handed = 0
        # Other threads may run on meanwhile.
        for lately in [*self._by_call.values()]:
            lately.forget()

    def source(self, option: int) -> int:
        """Return the taint of an option where the program reads it."""
        return 1 << option if self.options < 0 else 1 << option | 1 << self._first + option

    def through(self, site: int, taint: int, lately: KnownLately = None) -> int:
        """Return `taint` as it leaves the step at `site`, and note what it comes from."""
        if not taint or self.options < 0:
            return taint
        if type(lately) is not Lately:
            lately = self._lately_at(_frame(1), lately)
        return lately.values[site].get(taint) or self.through_anew(lately, site, taint, lately.values[site])

    def lately(self, kind: type | None = None) -> Lately:
        """Return what went last through the steps of the function that asks, as it was called now, a method of an object of `kind`."""
        return self._lately_at(_frame(1), kind) if self.options >= 0 else self._by_call[_UNKNOWN]

    def lately_from(self, caller: FrameType | None, kind: type | None = None) -> Lately:
        """Return the same for a function that was called from the frame `caller`."""
        if self.options < 0:
            return self._by_call[_UNKNOWN]
        while caller is not None:
            code = _id(caller.f_code)
            if code in FUNCTIONS:
                if kind is None:
                    return self._by_call[code, caller.f_lasti, 0]
                self.kinds[_id(kind)] = kind
                return self._by_call[code, caller.f_lasti, _id(kind)]
            caller = caller.f_back
        return self._by_call[_UNKNOWN]

    def through_call(self, site: int, taints: tuple[int, ...], lately: KnownLately = None) -> tuple[int, ...]:
        """Return the `taints` of arguments as they leave the call at `site`, which may not be known (-1)."""
        if self.options < 0 or site < 0 or not _any(taints):
            return taints
        if type(lately) is not Lately:
            lately = self._lately_at(_frame(1), lately)
        made = lately.arguments[site].get(taints)
        if made is None:
            made = _tuple([self.through(site, taint, lately) for taint in taints])
            for taint in taints:
                self.handed |= taint & self.options
            keep(lately.arguments[site], taints, made)
        return made

    def note_control(self, site: int, control: int, lately: KnownLately = None) -> None:
        """Note the decisions that led to a site."""
        if control > self.options >= 0:
            if type(lately) is not Lately:
                lately = self._lately_at(_frame(1), lately)
            node, options = (site, *lately.call), control & self.options
            seen = self._led[node, options]
            joined = seen | control
            if joined != seen:
                self._note(self.under[node], node, options, self.told_of(node, joined ^ seen))
                self._led[node, options] = joined

    def before(self, node: Node, kept: dict[Node, dict[int, int]]) -> Iterator[Step]:
        """Yield what `kept`, `given` or `under`, has of a site and call; each option once from each."""
        told: dict[Node, int] = defaultdict(int)
        for number, options in sorted(kept.get(node, {}).items()):
            earlier, _ = self._steps[number]
            new = options & ~told[earlier]
            if new:
                told[earlier] |= new
                yield earlier[0], earlier[1:], new, self._calls.get((node, number), ())

    @property
    def between(self) -> set[Place]:
        """All lines that called something from a step to the one after it."""
        return {place for places in [*self._calls.values()] for place in places}

    @property
    def passed(self) -> dict[int, int]:
        """The options that went through each site since the process began."""
        found: dict[int, int] = defaultdict(int)
        for (site, *_), options in [*self._steps.values()]:
            found[site] |= options
        return found

    def _lately_at(self, frame: FrameType | None, kind: type | None = None) -> Lately:
        """Return what went last through the steps of the function that runs in a frame, as it was called there."""
        while frame is not None and _id(frame.f_code) not in FUNCTIONS:
            frame = frame.f_back
        return self.lately_from(frame and frame.f_back, kind)

    def through_anew(self, lately: Lately, site: int, taint: int, kept: dict[int, int]) -> int:
        """Return `taint` as it leaves the step at `site`, and keep that; it has not gone through it lately in a function called so."""
        if self.options < 0:
            return taint
        node, options = (site, *lately.call), taint & self.options
        key = node, options
        known = self._passed.get(key)
        if known is None:
            known = self._passed[key] = [0, self._own(node, options)]
        seen, made = known
        joined = seen | taint
        if joined != seen:
            self._note(self.given[node], node, options, joined ^ seen)
            self.read[node] |= self._uncovered(taint)
            known[0] = joined
        elif taint <= self._outside:
            self.read[node] |= options
        keep(kept, taint, made)
        return made

    def _own(self, node: Node, options: int) -> int:
        """Return a taint of `options` that come from a new step."""
        if not options:
            return 0
        number = _next(self._fresh)
        self._steps[number] = node, options
        self._alike[options] |= 1 << self._first + number
        frame = _next(_stack(), None)
        self._made_in[number] = _id(frame.f_code) if frame is not None else 0
        self._note_line(node)
        return options | 1 << self._first + number

    def told_of(self, node: Node, new: int) -> int:
        """Return those of the `new` bits of decisions that led to a site that are told: of steps with the same options so many."""
        told = self._decided[node]
        if (new | told).bit_count() > MOST_DECISIONS:
            chosen = new & told
            for bits in [*self._alike.values()]:
                found = new & bits & ~told
                if found:
                    room = MOST_DECISIONS - (told & bits).bit_count()
                    for number in islice(_numbers(found), _max(room, 0)):
                        chosen |= 1 << number
            new = chosen
        self._decided[node] |= new
        return new

    def _uncovered(self, taint: int) -> int:
        """Return the options of a taint that come from outside and from no step."""
        uncovered = taint >> self._first & self.options
        for number in _numbers(taint >> 2 * self._first if uncovered else 0):
            uncovered &= ~self._steps[number + self._first][1]
        return uncovered

    def _note_line(self, node: Node) -> None:
        """Keep the line of the call that the function of `node` runs in."""
        if node[1:] not in self.lines:
            self.lines[node[1:]] = _next((place_of(frame) for frame in islice(_stack(), 1, 2)), None)

    def _note(self, kept: dict[int, int], node: Node, options: int, new: int) -> None:
        """Keep the bits `new` that were not seen at a site with these `options` yet, and the calls between."""
        self._note_line(node)
        stack: list[FrameType] = []
        codes: list[int] = []
        for number in _numbers(new >> self._first & ~self.options):
            kept[number] = kept.get(number, 0) | options & self._steps[number][1]
            if (node, number) in self._calls:
                continue
            if not stack:
                stack = [*_stack()]
                codes = [_id(frame.f_code) for frame in stack]
            code = self._made_in[number]
            if code in codes:
                self._calls[node, number] = _tuple(
                    [place_of(one) for one in _reversed(stack[1 : codes.index(code) + 1])]
                )


def _numbers(bits: int) -> Iterator[int]:
    """Yield the numbers of bits that are set, the lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _stack() -> Iterator[FrameType]:
    """Yield the frames of the functions of the program that run, the innermost first."""
    frame: FrameType | None = _frame(1)
    while frame is not None:
        if _id(frame.f_code) in FUNCTIONS:
            yield frame
        frame = frame.f_back


# The line of an instruction of the program takes long to find.
_PLACES: dict[tuple[int, int], Place] = {}


def place_of(frame: FrameType) -> Place:
    """Return where the program is in a `frame` of its rewritten code."""
    at = _id(frame.f_code), frame.f_lasti
    found = _PLACES.get(at)
    if found is None:
        name = _str(frame.f_globals.get("__name__"))
        found = _PLACES[at] = name, frame.f_code.co_filename, frame.f_lineno
    return found


FLOWS = Flows()
