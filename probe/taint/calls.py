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
from .modelled import Modelled
from .pending import Pending
from .records import RECORD
from .signatures import CODES

if TYPE_CHECKING:
    from typing import Any

    from .signatures import Signature

# What never changes, and whose methods are functions of what goes in.
VALUES = frozenset({str, bytes, int, float, bool, complex, re.Pattern, re.Match})
# The link of each function that was noted last; the same one again need not be.
LAST_LINKS = RECORD.last_links
# Addressed to nobody: arguments without taints.
NOTHING: tuple[int, tuple[int, ...], tuple[str, ...]] = (-1, (), ())


class Calls(Core):
    """The part of a thread's state that calls need."""

    __slots__ = ()

    def call(self, callee: Any, taint: int, *arguments: Any) -> Any:
        """Return what to call in place of `callee`, given its arguments and their taints in turn."""
        kind = type(callee)
        if kind is MethodType:
            signature = CODES.get(id(getattr(callee.__func__, "__code__", None)))
        elif kind is FunctionType and not taint:
            signature = CODES.get(id(callee.__code__))
        else:
            if kind in BUILTINS:
                if callee is isinstance and len(arguments) == 4 and type(arguments[2]) is type:
                    # Nothing of the program runs in between.
                    self.a = None
                    self.t = taint | arguments[1] | arguments[3]
                    return callee
                if type(callee.__self__) in VALUES:
                    return self._of_value(callee, taint, arguments)
            signature = None
        if signature is not None and not signature.lazy:
            taints = arguments[1::2]
            if kind is MethodType:
                taints = (taint, *taints)
            if any(taints):
                self.a = link = (signature.key, taints, ())
                if LAST_LINKS.get(signature.key) != link:
                    LAST_LINKS[signature.key] = link
                    RECORD.links.add(link)
            else:
                self.a = NOTHING
            return callee
        target = self.target(callee, taint)
        self.address(target, callee, taint, arguments[::2], arguments[1::2], ())
        return target

    def _of_value(self, callee: Any, taint: int, arguments: tuple[Any, ...]) -> Any:
        """A method of something that never changes: a function of what goes in, and nothing is missed."""
        plain = True
        parts = iter(arguments)
        for value in parts:
            taint |= next(parts)
            if type(value) not in ATOMS:
                plain = False
                taint |= content(value)
        self.a = None
        if plain:
            # Nothing of the program runs in between: the taint is that of the result.
            self.t = taint
            return callee
        self.t = 0
        self.amb |= taint
        return callee

    def call_named(self, callee: Any, taint: int, names: tuple[str, ...], *arguments: Any) -> Any:
        """Return what to call in place of `callee`; the last arguments are called `names`."""
        target = self.target(callee, taint)
        self.address(target, callee, taint, arguments[::2], arguments[1::2], names)
        return target

    def gather_call(self, callee: Any, taint: int, *arguments: Any) -> Any:
        """As `call`, of arguments that `positional` hands over."""
        target = self.call(callee, taint, *arguments)
        self.given = arguments[::2]
        return target

    def gather_named(self, callee: Any, taint: int, names: tuple[str, ...], *arguments: Any) -> Any:
        """As `call_named`, of arguments that `positional` and `keywords` hand over."""
        target = self.call_named(callee, taint, names, *arguments)
        values = arguments[::2]
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

    def open(self, callee: Any, taint: int) -> Pending:
        """Return a call whose arguments cannot be evaluated twice."""
        return Pending(self, callee, taint)

    def push(self, callee: Any, taint: int) -> Any:
        """Begin such a call on this thread's stack and return what to call."""
        pending = Pending(self, callee, taint)
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
                    return Modelled(self, models.start, callee)
                if taint and kind is FunctionType:
                    return Modelled(self, models.dispatch, (callee, taint))
                return callee
        model = models.find(callee, kind)
        return callee if model is None else Modelled(self, model, callee)

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
        if type(target) is Modelled:
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
            self._of_value(
                callee, taint, tuple(part for pair in zip(values, taints, strict=True) for part in pair)
            )
            return
        self._join(callee, taint, values, taints)

    def _receiver(self, callee: Any, taint: int) -> tuple[Signature | None, tuple[int, ...]]:
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
