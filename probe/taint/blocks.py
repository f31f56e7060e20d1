"""Run-time half of exceptions, class bodies and code outside of functions."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from .core import Core
from .heap import SHADOWS, content, set_fields
from .records import RECORD

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

_PUT_IN = re.compile(r"_p(t_|a_|[A-Z]\d*$)")
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120 - see driver


def without_our_frames(error: BaseException) -> None:
    """Take the frames of this package out of the traceback of `error` and of what it came from."""
    known = set()
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is None or id(one) in known:
            continue
        known.add(id(one))
        one.__traceback__ = _cleaned(one.__traceback__)
        todo += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]


def _cleaned(traceback: TracebackType | None) -> TracebackType | None:
    first = _next_theirs(traceback)
    at = first
    while at is not None:
        at.tb_next = _next_theirs(at.tb_next)
        at = at.tb_next
    return first


def _next_theirs(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_OURS):
        traceback = traceback.tb_next
    return traceback


class Blocks(Core):
    """The part of a thread's state that blocks need."""

    __slots__ = ()

    def caught(self, control: int, depth: int | None, site: int) -> int:
        """Begin a handler; returns the taint of the raise that is not in the handler's own `control` taint."""
        taint = self.c & ~control
        # What the handler writes is under that taint, too.
        self.c = control | taint
        self.amb = 0
        self.a = None
        if depth is not None:
            del self.stack[depth:]
        self.raised()
        if taint or control:
            RECORD.decisions.add((site, taint, control))
        return taint

    def raised(self) -> None:
        """Take our frames out of the traceback of the exception that is being handled."""
        error = sys.exc_info()[1]
        if error is not None:
            without_our_frames(error)

    def depth(self) -> int:
        """Return how many calls' arguments are being evaluated: a handler drops those begun since."""
        return len(self.stack)

    def note(self, value: Any, taint: int, site: int) -> Any:
        """Note a decision that nothing is under the taint of."""
        self.note_here(site, taint)
        return value

    def matched(self, subject: Any, taint: int, site: int) -> int:
        """Note the decision of a `match`; returns the taint of the subject and of what it holds."""
        taint |= content(subject) | self.amb
        self.amb = 0
        found = SHADOWS.get(id(type(subject)))
        if found is not None:
            taint |= found.content()
        self.which_case = 0
        self.note(subject, taint, site)
        return taint

    def match_outside(self, subject: Any, taint: int, site: int) -> Any:
        """Begin a `match` outside of functions."""
        return self.branch(subject, taint | content(subject), site)

    def note_into(self, value: Any, taint: int, site: int) -> Any:
        """Note the decision of a guard: the cases after it are under its taint."""
        self.note(value, taint, site)
        self.which_case |= taint
        return value

    def matched_all(self) -> None:
        """End a `match`."""
        self.which_case = 0

    def end_lambda(self, ambient: tuple[int, int] | None, value: Any, taint: int, control: int) -> Any:
        """Return the value of a lambda and leave its taint."""
        self.c = control
        if ambient is None:
            self.t = taint
        else:
            self.amb = ambient[0] | taint
            self.t = ambient[1]
        return value

    def unfollowed(self, before: tuple[int, int], value: Any, what: str) -> Any:
        """Return the `value` of something that is not followed; what went in is taken to come out."""
        self.t = self.parts | self.amb
        self.amb = 0
        if self.t or self.c:
            RECORD.miss(what)
        self.parts, self.c = before
        return value

    def own_names(self, names: Any) -> Any:
        """Return what `locals()`, `vars()` or `dir()` gives without the names that the rewriting put in."""
        if isinstance(names, dict):
            return {name: value for name, value in names.items() if not _PUT_IN.match(name)}
        return [name for name in names if not _PUT_IN.match(name)]

    def branch(self, value: Any, taint: int, site: int) -> Any:
        """Begin a branch outside of functions, where there are no locals to keep control taint in."""
        self.branches.append(self.c)
        if taint or self.c:
            RECORD.decisions.add((site, taint & ~self.c, self.c))
            self.c |= taint
        return value

    def join(self) -> None:
        """End a branch outside of functions."""
        self.c = self.branches.pop()

    def begin_body(self) -> None:
        """Begin a class body."""
        self.bodies.append({})

    def store_in_body(self, name: str, taint: int) -> None:
        """Note the taint of a name of the class body under way."""
        if taint | self.c:
            self.bodies[-1][name] = taint | self.c

    def load_in_body(self, name: str) -> int:
        """Return the taint of a name of the class body under way."""
        # A generator of a class body may outlive it.
        return self.bodies[-1].get(name, 0) if self.bodies else 0

    def end_body(self) -> None:
        """End a class body."""
        self.finished = self.bodies.pop()

    def made_class(self, made: Any) -> None:
        """Give a new class the taints of its body's names."""
        if self.finished:
            set_fields(made, self.finished)
            self.finished = {}
        self.t = 0
        self.amb = 0
