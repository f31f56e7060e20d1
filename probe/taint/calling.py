"""Rewriting of calls: they stay where they are; taints are addressed to the callee just before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .base import Base, Rewritten, read_names
from .nodes import attribute, constant, join, known, load, own_nodes, quiet, stored, tuple_of

if TYPE_CHECKING:
    from collections.abc import Callable


# These look at the frame that calls them.
_NATIVE = frozenset({"super", "locals", "globals", "vars", "dir"})
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)


def _quiet_tuple(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) and all(quiet(one) for one in node.elts)


class Calling(Base):
    """Calls with arguments of every kind."""

    def of_call(self, node: ast.Call) -> Rewritten:
        """The callee is asked for first, then the arguments are noted one by one, the last one closes."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _NATIVE and not node.args and not node.keywords:
            return self._native(node)
        if name in ("exec", "eval"):
            return self._text(node)
        return self._class_test(node) if self.is_class_test(node) else self._followed(node)

    def _followed(self, node: ast.Call) -> Rewritten:
        """A call whose callee is told the taints of its arguments."""
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, (ast.Name, ast.Attribute)) and arguments:
            called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            reads = dict.fromkeys(name for one in arguments for name in read_names(one))
            self.site(node, "call", f"{called}()", tuple(reads))
        if all(isinstance(one, (ast.Name, ast.Constant)) for one in arguments) and all(
            keyword.arg is not None for keyword in node.keywords
        ):
            return self._simple(node, arguments)
        if not any(isinstance(one, ast.Starred) for one in node.args) and all(
            keyword.arg is not None for keyword in node.keywords
        ):
            return self._gathered(node, arguments)
        if any(isinstance(inner, _SUSPENDING) for one in arguments for inner in ast.walk(one)):
            # Inside the iterable of a comprehension nothing can be held: there the call is left as it is.
            return self._noted(node, held=True) if self.walrus else (node, None)
        return self._noted(node, held=False)

    # Whether the module has an `isinstance` of its own.
    own_isinstance = False

    def is_class_test(self, node: ast.expr) -> bool:
        """Whether `node` calls the built-in `isinstance` with what can be evaluated before its taints are asked for."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "isinstance"
            and len(node.args) == 2
            and not node.keywords
            and quiet(node.args[0])
            and (quiet(node.args[1]) or _quiet_tuple(node.args[1]))
            and not self.own_isinstance
            and self.scope.where("isinstance") == "global"
        )

    def _class_test(self, node: ast.Call) -> Rewritten:
        """Whether something is of a class is asked for natively; the answer has the taints of both."""
        node.args[0], taint = self.expression(node.args[0])
        if not isinstance(node.args[1], ast.Tuple):
            node.args[1], of_class = self.expression(node.args[1])
            taint = join(taint, of_class)
        # A `__class__` or `__instancecheck__` of the program may have been asked.
        return node, self.with_ambient(known(taint))

    def _native(self, node: ast.Call) -> Rewritten:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("locals", "vars", "dir") and self.scope.kind in ("function", "comprehension"):
            return self.ask("own_names", node), None
        if name == "super" and self.scope.function is not None:
            first = self.first_parameter
            return node, self.shadow_of(first) if first else None
        return node, None

    first_parameter = ""

    def _text(self, node: ast.Call) -> Rewritten:
        """Code in texts is not followed; that a taint went into it is counted."""
        for at, one in enumerate(node.args):
            if isinstance(one, ast.Starred):
                one.value = ast.copy_location(self.ask("also_inside", *self.pair(one.value)), one.value)
            else:
                node.args[at] = self.ask("also_inside", *self.pair(one))
        return self.ask("unfollowed", self.ask("gather"), node, constant("exec and eval")), self.result()

    def _callee(self, node: ast.expr) -> list[ast.expr]:
        return self.pair(node)

    def _simple(self, node: ast.Call, arguments: list[ast.expr]) -> Rewritten:
        """All arguments are names and constants: evaluated once to be noted, once to be passed."""
        given = [self.pair(one) for one in arguments]
        values = tuple_of(*(value for value, _ in given))
        taints = tuple_of(*(taint for _, taint in given))
        callee = self._callee(node.func)
        if node.keywords:
            names = tuple_of(*(constant(keyword.arg) for keyword in node.keywords))
            asked = self.ask("call_named", *callee, names, values, taints)
        else:
            asked = self.ask("call", *callee, values, taints)
        node.func = ast.copy_location(asked, node.func)
        return node, self.result()

    def _gathered(self, node: ast.Call, arguments: list[ast.expr]) -> Rewritten:
        """Arguments are evaluated once, on their way to the state, which hands them over to the call."""
        callee = self._callee(node.func)
        given = tuple_of(*(part for one in arguments for part in self.pair(one)))
        names = [keyword.arg for keyword in node.keywords]
        asked = (
            self.ask("gather_named", *callee, tuple_of(*(constant(name) for name in names)), given)
            if names
            else self.ask("gather_call", *callee, given)
        )
        node.func = ast.copy_location(asked, node.func)
        node.args = [ast.Starred(self.ask("positional"), ast.Load())]
        node.keywords = [ast.keyword(None, self.ask("keywords"))] if names else []
        return node, self.result()

    def _noted(self, node: ast.Call, *, held: bool) -> Rewritten:
        """Arguments that can be evaluated only once are noted as they come.

        Where a frame may be left in between, the call is `held` in a local; else on the thread's stack.
        """
        holder = f"_pP{self.number()}"
        callee = self._callee(node.func)
        if held:
            opened = ast.NamedExpr(stored(holder), self.ask("open", *callee))
            node.func = ast.copy_location(attribute(opened, "target"), node.func)
        else:
            node.func = ast.copy_location(self.ask("push", *callee), node.func)

        def noting(method: str, *parts: ast.expr) -> ast.expr:
            asked = self.ask(method, *parts)
            if held:
                asked.func = attribute(load(holder), method)
            return asked

        for at, one in enumerate(node.args):
            if isinstance(one, ast.Starred):
                one.value = ast.copy_location(noting("items", *self.pair(one.value)), one.value)
            else:
                node.args[at] = ast.copy_location(noting("argument", *self.pair(one)), one)
        for keyword in node.keywords:
            parts = self.pair(keyword.value)
            if keyword.arg is None:
                keyword.value = ast.copy_location(noting("mapping", *parts), keyword.value)
            else:
                keyword.value = ast.copy_location(
                    noting("named", constant(keyword.arg), *parts), keyword.value
                )
        self._close(node, noting)
        return node, self.result()

    def _close(self, node: ast.Call, noting: Callable[..., ast.expr]) -> None:
        """Let the argument that is evaluated last close the call; keywords come after what is positional."""
        last = node.args[-1] if node.args else None
        if node.keywords:
            keyword = node.keywords[-1]
            keyword.value = ast.copy_location(noting("close", keyword.value), keyword.value)
        elif isinstance(last, ast.Starred):
            last.value = ast.copy_location(noting("close", last.value), last.value)
        elif last is not None:
            node.args[-1] = ast.copy_location(noting("close", last), last)

    def of_lambda(self, node: ast.Lambda) -> Rewritten:
        """A lambda is a function of one expression; its locals are assigned inside it."""
        defaults = self.defaults(node.args)
        yields = any(isinstance(inner, _SUSPENDING) for inner in own_nodes([ast.Expr(node.body)]))
        if not self.walrus or yields:
            return node, None
        return self.lambda_function(node, defaults), None

    def lambda_function(self, node: ast.Lambda, defaults: dict[str, ast.expr]) -> ast.Lambda:
        """Rewrite the body of a lambda."""
        raise NotImplementedError
