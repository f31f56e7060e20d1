"""Which summary takes the place of a callee, and the summaries of generators, parsers and the environment.

A summary is called in place of its callee and gets the call; see `summarized.SummarizedCall`.
"""

import os
from collections import Counter
from types import AsyncGeneratorType, FunctionType, GeneratorType, MethodType
from typing import Any

from .flows import FLOWS
from .records import RECORD
from .shadows import BUILTINS, SHADOWS, content, set_fields, taint_content, union
from .signatures import CODES
from .sources import ARGUMENTS, ENVIRON, variables
from .summarized import SummarizedCall, Summary
from .summary_builtins import FUNCTIONS, summary_of
from .summary_containers import METHODS, PURE
from .summary_iterators import GENERATOR
from .summary_objects import OF_NAMED_TUPLE, summary_of_class, summary_of_function
from .values import with_item_taint

# Methods of argparse's parser that return what was given.
_PARSING = frozenset(
    {"parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"}
)


def find(callee: Any, kind: type) -> Summary | None:
    """Return the summary of a `callee` that is not rewritten, None if it has none."""
    if kind in BUILTINS:
        owner = callee.__self__
        of_owner = METHODS.get(type(owner))
        if of_owner is not None:
            return of_owner.get(callee.__name__) or (None if callee.__name__ in PURE else mutate)
        if type(owner) in (GeneratorType, AsyncGeneratorType):
            return GENERATOR.get(callee.__name__)
        return FUNCTIONS.get(id(callee))
    if issubclass(kind, type):
        return FUNCTIONS.get(id(callee)) or summary_of_class(callee)
    if kind is FunctionType:
        return FUNCTIONS.get(id(callee)) or summary_of_function(callee)
    return _summary_of_method(callee) if kind is MethodType else None


def parsed(call: SummarizedCall) -> tuple[Any, int]:
    """Parse a command line with argparse: every argument that is a source has the taint of its option alone.

    The others have none of an option that has an argument.
    """
    joined = call.whole_taint()
    found = call.run()
    namespace = found[0] if isinstance(found, tuple) else found
    joined |= call.state.ambient
    call.state.ambient = 0
    others = joined & ~union(ARGUMENTS.values())
    set_fields(namespace, {name: ARGUMENTS.get(name, others) for name in vars(namespace)})
    return found, 0


def copied_environment(call: SummarizedCall) -> tuple[Any, int]:
    """Copy the environment: each variable keeps its own taint."""
    made = call.owner()
    set_fields(made, {name: taint for name, taint in variables().items() if name in made})
    return made, call.taints[0]


@summary_of(os.getenv)
def from_environment(call: SummarizedCall) -> tuple[Any, int]:
    """Read a variable with `get` or `getenv`; a default has its own taint."""
    value = call.run()
    key = call.args[0] if call.args else call.kwargs.get("key")
    with_item_taint(call.state, value, ENVIRON, key, 0)
    if key not in ENVIRON:
        return value, call.state.result | union(call.taints[2:])
    return value, call.state.result


_OF_ENVIRONMENT: dict[str, Summary] = {"get": from_environment, "copy": copied_environment}


def _summary_of_method(callee: Any) -> Summary | None:
    if callee.__self__ is ENVIRON:
        return _OF_ENVIRONMENT.get(callee.__name__)
    if callee.__func__.__module__ == "collections" and callee.__name__ in OF_NAMED_TUPLE:
        return OF_NAMED_TUPLE[callee.__name__]
    if type(callee.__self__) is Counter and callee.__name__ in ("update", "subtract"):
        return count_up
    if ARGUMENTS and callee.__func__.__module__ == "argparse" and callee.__name__ in _PARSING:
        return parsed
    return None


def start(call: SummarizedCall) -> tuple[Any, int]:
    """Make a generator or coroutine; its arguments' taints wait for its frame to begin."""
    made = call.run()
    is_method = type(call.owner) is MethodType
    given = FLOWS.through_call(call.site, call.taints if is_method else call.taints[1:], call.lately)
    if any(call.taints) or call.state.control:
        frames = (getattr(made, name, None) for name in ("gi_frame", "cr_frame", "ag_frame"))
        frame = next((one for one in frames if one is not None), None)
        if frame is not None:
            call.state.started[id(frame)] = (frame, given, call.names, call.state.control)
    return made, 0


def dispatch(call: SummarizedCall) -> tuple[Any, int]:
    """Call a rewritten function that an option has chosen: its body is under the taint of that choice."""
    callee, taint = call.owner
    control = call.state.control
    call.state.control = control | taint
    call.state.arguments = (CODES[id(callee.__code__)].key, call.taints[1:], call.names)
    RECORD.read_all(call.taints[1:])
    try:
        value = callee(*call.args, **call.kwargs)
    finally:
        call.state.control = control
    return value, call.state.result | taint


def mutate(call: SummarizedCall) -> tuple[Any, int]:
    """A method of a built-in container that has no summary of its own: what goes in may be anywhere in it."""
    held = call.owner.__self__
    taint = call.whole_taint()
    inside = content(held, 0)
    call.state.ambient = taint
    value = call.run()
    taint |= call.state.ambient
    call.state.ambient = 0
    control = call.state.control
    if taint | control:
        taint_content(held, taint | control | inside)
    return value, taint | inside


def count_up(call: SummarizedCall) -> tuple[Any, int]:
    """Counts of a `Counter` that were changed: any of them may depend on what went in."""
    held = call.owner.__self__
    mutated = mutate(call)
    found = SHADOWS.get(id(held))
    if found is not None:
        found.fields.update((key, found.fields.get(key, 0) | found.structure) for key in held)
    return mutated
