"""Which step gave a value to which: beside the bits of its options, a taint carries one for each step that these come from.

A step notes which steps the taint that goes through it comes from, and puts its own bits in their place. So what a taint
carries are always the last steps, whatever containers, attributes, calls or native code the value went through meanwhile. How the
program got from the one step to the other is read from the stack when that is first seen.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from types import FrameType

# The code objects of the program's rewritten modules, which are kept where they are registered.
REWRITTEN: set[int] = set()
# Those of them that are no comprehensions: one is part of the function that it stands in.
FUNCTIONS: set[int] = set()
# Module, file and line.
Place = tuple[str, str, int]
# Stands for the step by which the entry was given an option that has a source of its own.
ENTRY_SITE = -2
# A site, and the function that calls there with the position of the call: what a function does is told apart by who called it.
Node = tuple[int, int, int]
# A program may put something else in the place of what is built in.
_size = len
# So many taints are remembered at each site.
_LATELY = 64
# A number that stands for a step, its site, the line that called the function, the taint of its option.
Step = tuple[int, int, "Place | None", int]


class Flows:
    """What went from which step to which, and by which calls.

    A step is a site with an option, in a function that was called by a certain call. `given` are for each site and call, joined, the
    bits of the steps that its values come from, `under` those of the decisions that led there, `read` the options that came from no
    step. `calls` has by site, call and bit the lines that called one another from the function of the earlier step to that of the
    site, `lines` the line of each call. `options` is the mask of options in a taint; -1: nothing of this is noted.
    """

    def __init__(self) -> None:
        self.options = -1
        self.given: dict[Node, int] = defaultdict(int)
        self.under: dict[Node, int] = defaultdict(int)
        self.read: dict[Node, int] = defaultdict(int)
        self.calls: dict[tuple[Node, int], tuple[Place, ...]] = {}
        self.lines: dict[tuple[int, int], Place | None] = {}
        self._first = 0
        self._steps: list[tuple[Node, int]] = []
        # The function that each step was made in; the bits of each option, joined.
        self._made_in: list[int] = []
        self._of_option: list[int] = []
        self._made: dict[tuple[Node, int], int] = {}
        # What went through a step lately and what it was made, what last led to a site, and what a call was last given.
        self._lately: dict[Node, dict[int, int]] = defaultdict(dict)
        self._last_control: dict[Node, int] = {}
        self._last_call: dict[Node, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def begin(self, count: int) -> None:
        """Note from now on what taints of `count` options come from; what was noted is forgotten."""
        vars(self).update(vars(Flows()))
        self.options = (1 << count) - 1
        self._first = count
        self._of_option = [0] * count

    def through(self, site: int, taint: int) -> int:
        """Return `taint` as it leaves the step at `site`, and note what it comes from."""
        return self._through(self._node(site), taint) if taint and self.options >= 0 else taint

    def through_call(self, site: int, taints: tuple[int, ...]) -> tuple[int, ...]:
        """Return the `taints` of arguments as they leave the call at `site`, which may not be known (-1)."""
        if self.options < 0 or site < 0 or not any(taints):
            return taints
        node = self._node(site)
        last = self._last_call.get(node)
        if last is not None and last[0] == taints:
            return last[1]
        made = tuple(self._through(node, taint) if taint else 0 for taint in taints)
        self._last_call[node] = taints, made
        return made

    def note_control(self, site: int, control: int) -> None:
        """Note the decisions that led to a site."""
        if self.options >= 0 and control > self.options:
            node = self._node(site)
            if self._last_control.get(node) != control:
                self._last_control[node] = control
                self._note(self.under, node, control & ~self.options)

    def steps(self, joined: int) -> Iterator[Step]:
        """Yield the steps of joined bits."""
        rest = joined >> self._first << self._first
        while rest:
            lowest = rest & -rest
            bit = lowest.bit_length() - 1 - self._first
            (site, *call), option = self._steps[bit]
            yield bit, site, self.lines[call[0], call[1]], 1 << option
            rest ^= lowest

    @property
    def passed(self) -> dict[int, int]:
        """The options that went through each site since the process began."""
        found: dict[int, int] = defaultdict(int)
        for (site, *_), option in self._steps:
            found[site] |= 1 << option
        return found

    def _node(self, site: int) -> Node:
        """Return a site as it is reached now, with the call that called its function."""
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the stack is the evidence
        while frame is not None and id(frame.f_code) not in FUNCTIONS:
            frame = frame.f_back
        frame = frame and frame.f_back
        while frame is not None:
            code = id(frame.f_code)
            if code in FUNCTIONS:
                call = code, frame.f_lasti
                if call not in self.lines:
                    self.lines[call] = _place(frame)
                return site, *call
            frame = frame.f_back
        self.lines[0, 0] = None
        return site, 0, 0

    def _through(self, node: Node, taint: int) -> int:
        lately = self._lately[node]
        known = lately.get(taint)
        if known is not None:
            return known
        for option, steps in enumerate(self._of_option):
            if taint >> option & 1:
                if taint & steps:
                    self._note(self.given, node, taint & steps)
                else:
                    self.read[node] |= 1 << option
        key = node, taint & self.options
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._own(*key)
        if _size(lately) >= _LATELY:
            lately.clear()
        lately[taint] = made
        return made

    def _own(self, node: Node, options: int) -> int:
        """Return a taint of `options` that come from a step."""
        made = options
        for option in range(self._first):
            if options >> option & 1:
                known = self._made.get((node, 1 << option), 0)
                if not known:
                    known = 1 << option | 1 << self._first + _size(self._steps)
                    self._made[node, 1 << option] = known
                    self._steps.append((node, option))
                    self._made_in.append(next((id(frame.f_code) for frame in _stack()), 0))
                    self._of_option[option] |= known & ~self.options
                made |= known
        return made

    def _note(self, kept: dict[Node, int], node: Node, joined: int) -> None:
        """Keep the bits that were not seen at a site yet, and the calls between."""
        new = joined & ~kept[node]
        if not new:
            return
        kept[node] |= new
        stack = [*_stack()]
        codes = [id(frame.f_code) for frame in stack]
        for bit, *_ in self.steps(new):
            if self._made_in[bit] in codes:
                between = stack[1 : codes.index(self._made_in[bit]) + 1]
                self.calls.setdefault((node, bit), tuple(map(_place, reversed(between))))


def _stack() -> Iterator[FrameType]:
    """Yield the frames of the functions of the program that run, the innermost first."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the stack is the evidence
    while frame is not None:
        if id(frame.f_code) in FUNCTIONS:
            yield frame
        frame = frame.f_back


def _place(frame: FrameType) -> Place:
    return str(frame.f_globals.get("__name__")), frame.f_code.co_filename, frame.f_lineno


FLOWS = Flows()
