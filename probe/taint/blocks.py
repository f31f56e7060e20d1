"""Run-time half of exceptions, class bodies and code outside of functions."""

import os
import re
import sys
from types import TracebackType
from typing import Any

from .flows import FLOWS
from .records import RECORD
from .shadows import SHADOWS, content, set_fields
from .state import Before, TaintState

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
        one.__traceback__ = at = _next_theirs(one.__traceback__)
        while at is not None:
            at.tb_next = _next_theirs(at.tb_next)
            at = at.tb_next
        todo += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]


def _next_theirs(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_OURS):
        traceback = traceback.tb_next
    return traceback


def caught(state: TaintState, control: int, depth: int | None, site: int) -> int:
    """Begin a handler; returns the taint of the raise that is not in the handler's own `control` taint."""
    taint = FLOWS.through(site, state.control & ~control)
    # What the handler writes is under that taint, too.
    state.control = control | taint
    state.ambient = 0
    state.arguments = None
    if depth is not None:
        del state.pending[depth:]
    raised()
    if taint or control:
        RECORD.decide(site, taint, control)
    return taint


def raised() -> None:
    """Take our frames out of the traceback of the exception that is being handled."""
    error = sys.exc_info()[1]
    if error is not None:
        without_our_frames(error)


def closes() -> bool:
    """Whether what is being handled closes a generator or coroutine."""
    return isinstance(sys.exc_info()[1], GeneratorExit)


def note(state: TaintState, value: Any, taint: int, site: int) -> Any:
    """Note a decision that nothing is under the taint of."""
    state.note_decision(site, FLOWS.through(site, taint))
    return value


def matched(state: TaintState, subject: Any, taint: int, site: int) -> int:
    """Note the decision of a `match`; returns the taint of the subject and of what it holds."""
    taint |= content(subject) | state.ambient
    state.ambient = 0
    found = SHADOWS.get(id(type(subject)))
    if found is not None:
        taint |= found.content()
    state.guards = 0
    taint = FLOWS.through(site, taint)
    state.note_decision(site, taint)
    return taint


def match_outside(state: TaintState, subject: Any, taint: int, site: int) -> Any:
    """Begin a `match` outside of functions."""
    return begin_branch(state, subject, taint | content(subject), site)


def guard(state: TaintState, value: Any, taint: int, site: int) -> Any:
    """Note the decision of a guard: the cases after it are under its taint."""
    taint = FLOWS.through(site, taint)
    state.note_decision(site, taint)
    state.guards |= taint
    return value


def end_lambda(state: TaintState, before: Before | None, value: Any, taint: int, control: int) -> Any:
    """Return the value of a lambda and leave its taint."""
    state.control = control
    if before is None:
        state.result = taint
    else:
        state.leave(before, taint)
    return value


def own_names(names: Any) -> Any:
    """Return what `locals()`, `vars()` or `dir()` gives without the names that the rewriting put in."""
    if isinstance(names, dict):
        return {name: value for name, value in names.items() if not _PUT_IN.match(name)}
    return [name for name in names if not _PUT_IN.match(name)]


def begin_branch(state: TaintState, value: Any, taint: int, site: int) -> Any:
    """Begin a branch outside of functions, where there are no locals to keep control taint in."""
    state.branches.append(state.control)
    taint = FLOWS.through(site, taint)
    if taint or state.control:
        RECORD.decide(site, taint, state.control)
        state.control |= taint
    return value


def store_in_class_body(state: TaintState, name: str, taint: int) -> None:
    """Note the taint of a name of the class body under way."""
    if taint | state.control:
        state.class_bodies[-1][name] = taint | state.control


def load_in_class_body(state: TaintState, name: str) -> int:
    """Return the taint of a name of the class body under way."""
    # A generator of a class body may outlive it.
    return state.class_bodies[-1].get(name, 0) if state.class_bodies else 0


def made_class(state: TaintState, made: Any) -> None:
    """Give a new class the taints of its body's names."""
    if state.finished_body:
        set_fields(made, state.finished_body)
        state.finished_body = {}
    state.result = 0
    state.ambient = 0
