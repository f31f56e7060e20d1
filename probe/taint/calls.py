"""Run-time half of calls: taints of arguments on their way in, the taint of the result on its way out.

The call itself stands in the program's own code, so that frames, tracebacks and what looks at the stack stay as they
are. What is here runs just before it and says to whom the taints are addressed: a callee takes them only if they
are its own.
"""

from __future__ import annotations

import re
from types import FunctionType, MethodType
from typing import TYPE_CHECKING

from . import models
from .core import Core
from .heap import ATOMS, BUILTINS, SHADOWS, content, shadow
from .modelled import ModelledCall
from .pending import PendingCall
from .records import RECORD
from .signatures import CODES, DEFAULTS, EAGER

if TYPE_CHECKING:
    from typing import Any

    from .signatures import FunctionSignature

# What never changes, and whose methods are functions of what goes in.
VALUES = frozenset({str, bytes, int, float, bool, complex, re.Pattern, re.Match})
# What asks how many items there are.
SIZES = (len, bool)
# The identities of functions of what goes in alone, as long as that never changes.
OF_VALUES = frozenset(
    map(
        id,
        (
            *SIZES, abs, ascii, bin, bytes, chr, complex, divmod, float, format, hash, hex, int, isinstance, oct, ord,
            pow, range, re.compile, re.escape, repr, round, str,
        ),
    )
)  # fmt: skip
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
# The link of each function that was noted last; the same one again need not be.
LAST_LINKS = RECORD.last_links
# Addressed to nobody: arguments without taints.
NOTHING: tuple[int, tuple[int, ...], tuple[str, ...]] = (-1, (), ())


def _is_native(callee: Any, values: tuple[Any, ...]) -> bool:
    """Whether nothing of the program can run in a call of one of `OF_VALUES`, nor any of the `values` change."""
    if callee is isinstance:
        return len(values) == 2 and type(values[1]) is type
    if callee in SIZES and type(values[0]) in CONTAINERS:
        return len(values) == 1
    return all(type(value) in ATOMS or type(value) is re.RegexFlag for value in values)


class Calls(Core):
    """The part of a thread's state that calls need."""

    __slots__ = ()

    def call(self, callee: Any, taint: int, values: tuple[Any, ...], taints: tuple[int, ...]) -> Any:
        """Return what to call in place of `callee`, given its arguments and their taints."""
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
            return self._of_value(callee, taint, values, taints)
        if key is None:
            return self._of_other(callee, taint, values, taints)
        if any(taints):
            self.a = link = (key, taints, ())
            if LAST_LINKS.get(key) != link:
                LAST_LINKS[key] = link
                RECORD.links.add(link)
        else:
            self.a = NOTHING
        return callee

    def _of_other(self, callee: Any, taint: int, values: tuple[Any, ...], taints: tuple[int, ...]) -> Any:
        """What is no plain call of a rewritten function or method."""
        if values and id(callee) in OF_VALUES and _is_native(callee, values):
            # Nothing of the program runs in between.
            self.a = None
            for of_value in taints:
                taint |= of_value
            if callee in SIZES and id(values[0]) in SHADOWS:
                taint |= SHADOWS[id(values[0])].structure
            self.t = taint
            return callee
        target = self.target(callee, taint)
        self.address(target, callee, taint, values, taints, ())
        return target

    def _of_value(self, callee: Any, taint: int, values: tuple[Any, ...], taints: tuple[int, ...]) -> Any:
        """A method of something that never changes: a function of what goes in, and nothing is missed."""
        for of_value in taints:
            taint |= of_value
        self.a = None
        # If nothing of the program runs in between, the taint is that of the result.
        self.t = taint
        for value in values:
            if type(value) not in ATOMS:
                self.t = 0
                self.amb |= taint | content(value)
        return callee

    def call_named(
        self,
        callee: Any,
        taint: int,
        names: tuple[str, ...],
        values: tuple[Any, ...],
        taints: tuple[int, ...],
    ) -> Any:
        """Return what to call in place of `callee`; the last arguments are called `names`."""
        target = self.target(callee, taint)
        self.address(target, callee, taint, values, taints, names)
        return target

    def gather_call(self, callee: Any, taint: int, parts: tuple[Any, ...]) -> Any:
        """As `call`, of arguments and their taints in turn; `positional` hands the arguments over."""
        values = parts[::2]
        target = self.call(callee, taint, values, parts[1::2])
        self.given = values
        return target

    def gather_named(self, callee: Any, taint: int, names: tuple[str, ...], parts: tuple[Any, ...]) -> Any:
        """As `call_named`, of arguments that `positional` and `keywords` hand over."""
        values = parts[::2]
        target = self.call_named(callee, taint, names, values, parts[1::2])
        split = len(values) - len(names)
        self.given = values[:split]
        self.named_given = dict(zip(names, values[split:], strict=True))
        return target

    def positional(self) -> tuple[Any, ...]:
        """Return the positional arguments of the call that was gathered."""
        given, self.given = self.given, ()
        return given

    def keywords(self) -> dict[str, Any]:
        """Return its keyword arguments."""
        given, self.named_given = self.named_given, {}
        return given

    def keep_default(self, key: int, name: str, value: Any, taint: int) -> Any:
        """Keep the taint of the default `value` of a parameter called `name`."""
        if taint:
            DEFAULTS[key, name] = DEFAULTS.get((key, name), 0) | taint
        return value

    def open(self, callee: Any, taint: int) -> PendingCall:
        """Return a call whose arguments cannot be evaluated twice."""
        return PendingCall(self, callee, taint)

    def push(self, callee: Any, taint: int) -> Any:
        """Begin such a call on this thread's stack and return what to call."""
        pending = PendingCall(self, callee, taint)
        self.stack.append(pending)
        return pending.target

    def argument(self, value: Any, taint: int) -> Any:
        """Note a positional argument of the innermost call."""
        return self.stack[-1].argument(value, taint)

    def named(self, name: str, value: Any, taint: int) -> Any:
        """Note a keyword argument of the innermost call."""
        return self.stack[-1].named(name, value, taint)

    def items(self, value: Any, taint: int) -> Any:
        """Note the arguments of `*value` of the innermost call."""
        return self.stack[-1].items(value, taint)

    def mapping(self, value: Any, taint: int) -> Any:
        """Note the arguments of `**value` of the innermost call."""
        return self.stack[-1].mapping(value, taint)

    def close(self, last: Any) -> Any:
        """End the innermost call's arguments."""
        return self.stack.pop().close(last)

    def target(self, callee: Any, taint: int) -> Any:
        """Return what to call: `callee` itself or a model of it."""
        kind = type(callee)
        function = callee.__func__ if kind is MethodType else callee
        if type(function) is FunctionType:
            signature = CODES.get(id(function.__code__))
            if signature is not None:
                if signature.lazy:
                    return ModelledCall(self, models.start, callee)
                if taint and kind is FunctionType:
                    return ModelledCall(self, models.dispatch, (callee, taint))
                return callee
        model = models.find(callee, kind)
        return callee if model is None else ModelledCall(self, model, callee)

    def address(  # noqa: PLR0917 - asked at every call: keywords would cost
        self,
        target: Any,
        callee: Any,
        taint: int,
        values: Any,
        taints: tuple[int, ...],
        names: tuple[str, ...],
    ) -> None:
        """Leave the taints where the callee finds them, or join them where there is nobody to take them."""
        if type(target) is ModelledCall:
            target.taints = (taint, *taints)
            target.names = names
            self.a = None
            self.t = 0
            return
        signature, receiver = self._receiver(callee, taint)
        if signature is not None:
            if any(taints) or any(receiver):
                self.a = (signature.key, receiver + taints, names)
                RECORD.links.add((signature.key, receiver + taints, names))
            else:
                self.a = NOTHING
            return
        self.a = None
        self.t = 0
        if type(callee) in BUILTINS and type(callee.__self__) in VALUES:
            self._of_value(callee, taint, values, taints)
            return
        self._join(callee, taint, values, taints)

    def _receiver(self, callee: Any, taint: int) -> tuple[FunctionSignature | None, tuple[int, ...]]:
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

    def _join(self, callee: Any, taint: int, values: Any, taints: tuple[int, ...]) -> None:
        """A call into code that is not rewritten: whatever goes in may come out."""
        joined = taint
        for of_value in taints:
            joined |= of_value
        if callee is type and len(taints) == 1:
            self.t = joined
            return
        if SHADOWS:
            for value in values:
                if type(value) not in ATOMS:
                    joined |= content(value)
        owner = getattr(callee, "__self__", None) if type(callee) in BUILTINS else None
        if id(owner) in SHADOWS:
            joined |= content(owner, 0)
        if joined:
            RECORD.miss(callee)
            self.amb |= joined
            if owner is not None and id(owner) in SHADOWS:
                shadow(owner).structure |= joined
