"""Run-time half of calls: taints of arguments on their way in, the taint of the result on its way out.

The call itself stands in the program's own code, so that frames, tracebacks and what looks at the stack stay as they
are. What is here runs just before it and says to whom the taints are addressed: a callee takes them only if they
are its own.
"""

from types import FunctionType, MethodType
from typing import Any

from . import summaries
from .flows import FLOWS
from .lately import KnownLately
from .plain_calls import IDENTITY, OF_VALUES, SIZES, VALUES, is_native, is_untainted
from .records import RECORD
from .shadows import ATOMS, BUILTINS, MUTABLE, SHADOWS, content, shadow, structure, union
from .signatures import CODES, DEFAULTS, EAGER, FunctionSignature
from .state import NOTHING, TaintState
from .summarized import SummarizedCall


def call(
    state: TaintState,
    callee: Any,
    taint: int,
    values: tuple[Any, ...],
    taints: tuple[int, ...],
    site: int,
    lately: KnownLately = None,
) -> Any:
    """Return what to call in place of `callee`, given its arguments and their taints.

    The call stands at `site`, -1 where that is not known; `lately` is what `Flows.lately` tells of the function around it, where
    that is known.
    """
    kind = type(callee)
    key = None
    if kind is MethodType:
        function = callee.__func__
        if type(function) is FunctionType:
            key = EAGER.get(id(function.__code__))
            if key is not None:
                taints = (taint, *taints)
    elif kind is FunctionType:
        if not taint:
            key = EAGER.get(id(callee.__code__))
    elif kind in BUILTINS and type(callee.__self__) in VALUES:
        return _of_value(state, callee, taint, values, taints)
    if key is None:
        return _of_other(state, callee, taint, values, taints, site, lately)
    taints = FLOWS.through_call(site, taints, lately)
    state.arguments = (key, taints, ()) if any(taints) else NOTHING
    return callee


def _of_other(
    state: TaintState,
    callee: Any,
    taint: int,
    values: tuple[Any, ...],
    taints: tuple[int, ...],
    site: int,
    lately: KnownLately = None,
) -> Any:
    """Return what to call in place of a `callee` that is not a rewritten function or method."""
    if not taint and not any(taints) and is_untainted(callee, values, state.control):
        state.arguments = None
        state.result = 0
        return callee
    if callee is IDENTITY:
        state.arguments = None
        state.result = taint | union(FLOWS.through_call(site, taints, lately))
        return callee
    if values and id(callee) in OF_VALUES and is_native(callee, values):
        # Nothing of the program runs in between.
        state.arguments = None
        for of_value in taints:
            taint |= of_value
        if callee in SIZES:
            taint |= structure(values[0])
        state.result = taint
        return callee
    return call_named(state, callee, taint, (), values, taints, site, lately)


def _of_value(
    state: TaintState, callee: Any, taint: int, values: tuple[Any, ...], taints: tuple[int, ...]
) -> Any:
    """Leave the taint of a method call on an immutable value: its result depends on the arguments alone."""
    for of_value in taints:
        taint |= of_value
    state.arguments = None
    # If nothing of the program runs in between, the taint is that of the result.
    state.result = taint
    for value in values:
        if type(value) not in ATOMS:
            state.result = 0
            state.ambient |= taint | content(value)
    return callee


def call_named(
    state: TaintState,
    callee: Any,
    taint: int,
    names: tuple[str, ...],
    values: tuple[Any, ...],
    taints: tuple[int, ...],
    site: int,
    lately: KnownLately = None,
) -> Any:
    """Return what to call in place of `callee`; the last arguments are called `names`."""
    target = target_of(state, callee, taint)
    address(state, target, callee, taint, values, taints, names, site, lately)
    return target


def gather_call(
    state: TaintState,
    callee: Any,
    taint: int,
    parts: tuple[Any, ...],
    site: int,
    lately: KnownLately = None,
) -> Any:
    """As `call`, of arguments and their taints in turn; `positional` hands the arguments over."""
    values = parts[::2]
    target = call(state, callee, taint, values, parts[1::2], site, lately)
    state.given = values
    return target


def gather_named(
    state: TaintState,
    callee: Any,
    taint: int,
    names: tuple[str, ...],
    parts: tuple[Any, ...],
    site: int,
    lately: KnownLately = None,
) -> Any:
    """As `call_named`, of arguments that `positional` and `keywords` hand over."""
    values = parts[::2]
    target = call_named(state, callee, taint, names, values, parts[1::2], site, lately)
    split = len(values) - len(names)
    state.given = values[:split]
    state.named_given = dict(zip(names, values[split:], strict=True))
    return target


def positional(state: TaintState) -> tuple[Any, ...]:
    """Return the positional arguments of the call that was gathered."""
    given, state.given = state.given, ()
    return given


def keywords(state: TaintState) -> dict[str, Any]:
    """Return its keyword arguments."""
    given, state.named_given = state.named_given, {}
    return given


def keep_default(key: int, name: str, value: Any, taint: int) -> Any:
    """Keep the taint of the default `value` of a parameter called `name`."""
    if taint:
        DEFAULTS[key, name] = DEFAULTS.get((key, name), 0) | taint
    return value


def target_of(state: TaintState, callee: Any, taint: int) -> Any:
    """Return what to call: `callee` itself or a summary of it."""
    kind = type(callee)
    function = callee.__func__ if kind is MethodType else callee
    if type(function) is FunctionType:
        signature = CODES.get(id(function.__code__))
        if signature is not None:
            if signature.lazy:
                return SummarizedCall(state, summaries.start, callee, call)
            if taint and kind is FunctionType:
                return SummarizedCall(state, summaries.dispatch, (callee, taint), call)
            return callee
    summary = summaries.find(callee, kind)
    return callee if summary is None else SummarizedCall(state, summary, callee, call)


def address(
    state: TaintState,
    target: Any,
    callee: Any,
    taint: int,
    values: Any,
    taints: tuple[int, ...],
    names: tuple[str, ...],
    site: int,
    lately: KnownLately = None,
) -> None:
    """Leave the taints for the callee that takes them; where it takes none, join them into its result."""
    if type(target) is SummarizedCall:
        target.keeps = type(callee) in BUILTINS and type(callee.__self__) in MUTABLE
        taints = FLOWS.through_call(site, taints, lately)
        target.taints = (taint, *taints)
        target.names = names
        target.site = site
        target.lately = lately
        state.arguments = None
        state.result = 0
        return
    signature, receiver = _receiver(callee, taint)
    if signature is not None:
        state.arguments = NOTHING
        receiver = FLOWS.through_call(site, receiver, lately)
        taints = FLOWS.through_call(site, taints, lately)
        if any(taints) or any(receiver):
            state.arguments = (signature.key, receiver + taints, names)
        return
    state.arguments = None
    state.result = 0
    if type(callee) in BUILTINS and type(callee.__self__) in VALUES:
        _of_value(state, callee, taint, values, taints)
    else:
        _join(state, callee, taint, values, taints)


def _receiver(callee: Any, taint: int) -> tuple[FunctionSignature | None, tuple[int, ...]]:
    """Return the signature that binds the arguments, and the taints that go before them."""
    kind = type(callee)
    if kind is FunctionType:
        return CODES.get(id(callee.__code__)), ()
    if kind is MethodType:
        function, receiver = callee.__func__, (taint,)
    elif issubclass(kind, type):
        function, receiver = getattr(callee, "__init__", None), (0,)
    elif kind in BUILTINS:
        return None, ()
    else:
        function, receiver = getattr(kind, "__call__", None), (taint,)  # noqa: B004
    if type(function) is not FunctionType:
        return None, ()
    return CODES.get(id(function.__code__)), receiver


def _join(state: TaintState, callee: Any, taint: int, values: Any, taints: tuple[int, ...]) -> None:
    """Join the taints of a call into code that is not rewritten: its result may depend on any argument."""
    joined = taint | union(taints)
    if callee is type and len(taints) == 1:
        state.result = joined
        return
    if SHADOWS:
        for value in values:
            if type(value) not in ATOMS:
                joined |= content(value)
    owner = getattr(callee, "__self__", None) if type(callee) in BUILTINS else None
    if id(owner) in SHADOWS:
        joined |= content(owner, 0)
    if joined:
        RECORD.note_unfollowed(callee)
        state.ambient |= joined
        if owner is not None and id(owner) in SHADOWS:
            shadow(owner).structure |= joined
