"""Rewriting of functions, lambdas and classes."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from .base import Base, read_names
from .nodes import (
    DEFAULTS_TABLE,
    ENTRY,
    HERE,
    LENGTH,
    NOTHING,
    RESUMED,
    SHADOW_PREFIX,
    STATE,
    assign,
    attribute,
    call,
    constant,
    join,
    known,
    load,
    own_nodes,
    stored,
)
from .scopes import class_scope, function_scope, parameters
from .signatures import MARK, SIGNATURES, FunctionSignature

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from .scopes import NameScope

_YIELDS = (ast.Yield, ast.YieldFrom)
# What notes a decision whenever it is reached under one.
_DECIDING = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.BoolOp, ast.Match, ast.Assert,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a first statement is a docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


class Defining(Base):
    """Functions bind taints as they bind arguments, and leave one with their result."""

    def do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        """Decorators and defaults belong to the place around, the rest to the function."""
        node.decorator_list = [self.expression(one)[0] for one in node.decorator_list]
        defaults = self.defaults(node.args)
        lazy = isinstance(node, ast.AsyncFunctionDef)
        generator = any(isinstance(inner, _YIELDS) for inner in own_nodes(node.body))
        scope = function_scope(node, self.scope)
        with self.inside(scope, node.name):
            signature = self._signature(node.args, lazy=lazy or generator, coroutine=lazy)
            self.generator = lazy or generator
            self.signature = signature
            node.body = self._body(node, signature, scope, defaults)
        self.keep_defaults(node.args, signature, defaults)
        return [node, *self.store_name(node.name, None, node)]

    do_asyncfunctiondef = do_functiondef

    signature: FunctionSignature

    def inside(self, scope: NameScope, name: str) -> AbstractContextManager[None]:
        """Rewrite the body of a function called `name`."""
        raise NotImplementedError

    def _signature(
        self, arguments: ast.arguments, *, lazy: bool, coroutine: bool = False
    ) -> FunctionSignature:
        positional, star, keywords, stars = parameters(arguments)
        self.first_parameter = positional[0] if positional else ""
        made = FunctionSignature(
            len(SIGNATURES), self.function, tuple(positional), star, tuple(keywords), stars, lazy, coroutine
        )
        SIGNATURES.append(made)
        return made

    first_parameter = ""

    def _body(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        signature: FunctionSignature,
        scope: NameScope,
        defaults: dict[str, ast.expr],
    ) -> list[ast.stmt]:
        body = node.body
        docstring = body[:1] if is_docstring(body[0]) else []
        declarations = list(self._declarations(body))
        begin: list[ast.stmt] = [assign(STATE, attribute(load(HERE), "r")), *self._binding(signature)]
        if defaults:
            begin.append(self._joining_defaults(signature, defaults))
        rest = sorted(scope.names - set(signature.order))
        if rest:
            begin.append(ast.Assign([stored(SHADOW_PREFIX + name) for name in rest], constant(0)))
        body = [one for one in body[len(docstring) :] if not isinstance(one, (ast.Global, ast.Nonlocal))]
        own = [one for one in body if not getattr(one, "counter", False)]
        if not any(isinstance(inner, _DECIDING) for inner in own_nodes(own)):
            site = self.site(node, "entry")
            begin.append(ast.If(self.new_here(site), [self.tell("enter", site)], []))
        outer, self.own_attributes = self.own_attributes, {}
        rewritten = self.block(body)
        begin += self._static_attributes()
        self.own_attributes = outer
        end = [] if body and isinstance(body[-1], (ast.Return, ast.Raise)) else self._leaving(None)
        for statement in (*begin, *end):
            ast.copy_location(statement, node)
        return [*docstring, *declarations, *begin, *rewritten, *end]

    def _static_attributes(self) -> list[ast.stmt]:
        """Return statements that never run: from 3.13 on the compiler tells a class which attributes `self` is given."""
        if sys.version_info < (3, 13) or not self.own_attributes:
            return []
        targets: list[ast.expr] = [
            ast.Attribute(load("self"), name, ast.Store()) for name in self.own_attributes
        ]
        return [ast.If(constant(False), [ast.Assign(targets, constant(None))], [])]

    def _joining_defaults(self, signature: FunctionSignature, defaults: dict[str, ast.expr]) -> ast.stmt:
        """Join the taint of a default into that of its parameter: whether it was given is not known."""
        joined: list[ast.stmt] = [
            ast.AugAssign(stored(SHADOW_PREFIX + name), ast.BitOr(), self.default_of(signature, name))
            for name in defaults
        ]
        return ast.If(load(DEFAULTS_TABLE), joined, [])

    def _declarations(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        for inner in own_nodes(body):
            if isinstance(inner, ast.Global):
                yield ast.copy_location(ast.Global(list(inner.names)), inner)
            elif isinstance(inner, ast.Nonlocal):
                yield self._with_shadows(inner)

    @staticmethod
    def _with_shadows(node: ast.Nonlocal) -> ast.Nonlocal:
        # The class that surrounds a method is nobody's variable, so it has no shadow.
        shadows = [SHADOW_PREFIX + name for name in node.names if name != "__class__"]
        return ast.copy_location(ast.Nonlocal([*node.names, *shadows]), node)

    def do_global(self, node: ast.Global) -> list[ast.stmt]:
        """Declared at the function's beginning."""
        return [node] if not self.in_function else [ast.copy_location(ast.Pass(), node)]

    def do_nonlocal(self, node: ast.Nonlocal) -> list[ast.stmt]:
        """Declared at the function's beginning, with the shadows; in a class body where it stands."""
        return [self._with_shadows(node) if not self.in_function else ast.copy_location(ast.Pass(), node)]

    def _binding(self, signature: FunctionSignature) -> list[ast.stmt]:
        """Take the taints of the arguments, and the control taint."""
        key = constant(signature.key)
        stars = [load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)]
        shadows = [stored(SHADOW_PREFIX + name) for name in signature.order]
        mark = f"{MARK}{signature.key}"
        targets = ast.Tuple([stored(mark), *shadows], ast.Store())
        if signature.lazy:
            return [
                assign(RESUMED, self.field("c")),
                ast.Assign([targets], self.ask("begin", key, *stars)),
                assign(ENTRY, self.field("c")),
                assign("_pC0", constant(0)),
            ]
        untainted: list[ast.stmt] = [
            ast.Assign([self.field("a", ast.Store()), stored(mark)], constant(None)),
        ]
        if signature.order:
            untainted.append(
                ast.Assign([stored(SHADOW_PREFIX + name) for name in signature.order], constant(0))
            )
        asked: list[ast.stmt] = [ast.Assign([targets], self.ask("bind", key, *stars))]
        if signature.parameters and signature.count == len(signature.parameters):
            asked = self._binding_directly(signature, shadows, asked)
        return [
            assign(ENTRY, self.field("c")),
            assign("_pC0", constant(0)),
            ast.If(ast.Compare(self.field("a"), [ast.Is()], [load(NOTHING)]), untainted, asked),
        ]

    def _binding_directly(
        self, signature: FunctionSignature, shadows: list[ast.Name], otherwise: list[ast.stmt]
    ) -> list[ast.stmt]:
        """Take the taints as they are if there is one for each parameter, none by name."""
        given = ast.Subscript(self.field("a"), constant(1), ast.Load())
        names = ast.Subscript(self.field("a"), constant(2), ast.Load())
        fits = [
            self.field("a"),
            ast.Compare(
                ast.Subscript(self.field("a"), constant(0), ast.Load()), [ast.Eq()], [constant(signature.key)]
            ),
            ast.UnaryOp(ast.Not(), names),
            ast.Compare(call(load(LENGTH), given), [ast.Eq()], [constant(signature.count)]),
        ]
        taken: list[ast.stmt] = [
            ast.Assign([ast.Tuple(list(shadows), ast.Store())], given),
            ast.Assign([self.field("a", ast.Store()), stored(f"{MARK}{signature.key}")], constant(None)),
        ]
        return [ast.If(ast.BoolOp(ast.And(), fits), taken, otherwise)]

    def _leaving(self, taint: ast.expr | None) -> list[ast.stmt]:
        """Leave the taint of the result, and the control taint as it was at the beginning."""
        given = known(join(taint, self.control()))
        set_taint = ast.Assign([self.field("t", ast.Store())], given)
        set_control = ast.Assign([self.field("c", ast.Store())], load(RESUMED if self.generator else ENTRY))
        mark = f"{MARK}{self.signature.key}"
        if self.generator:
            return [set_taint, set_control]
        ambient = ast.Compare(load(mark), [ast.Is()], [constant(None)])
        return [ast.If(ambient, [set_taint], [self.tell("leave", load(mark), given)]), set_control]

    def do_return(self, node: ast.Return) -> list[ast.stmt]:
        """The value is evaluated, its taint left, then it is returned."""
        if not self.in_function:
            return [node]
        self.reading = read_names(node.value) if node.value is not None else ()
        value, taint = self.expression(node.value) if node.value is not None else (constant(None), None)
        # An asynchronous generator returns nothing, not even None.
        node.value = load("_pX") if node.value is not None else None
        step = self.step(node, "return", f"{self.function}()", self.field("t"))
        kept = ast.copy_location(assign("_pX", value), node)
        return [kept, *self._leaving(taint), step, node]

    def lambda_function(self, node: ast.Lambda, defaults: dict[str, ast.expr]) -> ast.Lambda:
        """Rewrite a lambda: a tuple of assignments whose last item is the value."""
        scope = function_scope(node, self.scope)
        with self.inside(scope, "<lambda>"):
            signature = self._signature(node.args, lazy=False)
            self.generator = False
            self.signature = signature
            mark = f"{MARK}{signature.key}"
            stars = [load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)]
            parts: list[ast.expr] = [
                ast.NamedExpr(stored(STATE), attribute(load(HERE), "r")),
                ast.NamedExpr(stored(ENTRY), self.field("c")),
                ast.NamedExpr(stored("_pC0"), constant(0)),
                ast.NamedExpr(stored("_pB"), self.ask("bind", constant(signature.key), *stars)),
                ast.NamedExpr(stored(mark), ast.Subscript(load("_pB"), constant(0), ast.Load())),
            ]
            parts += [
                ast.NamedExpr(
                    stored(SHADOW_PREFIX + name), ast.Subscript(load("_pB"), constant(at), ast.Load())
                )
                for at, name in enumerate(signature.order, 1)
            ]
            parts += [
                ast.NamedExpr(
                    stored(SHADOW_PREFIX + name),
                    ast.BinOp(load(SHADOW_PREFIX + name), ast.BitOr(), self.default_of(signature, name)),
                )
                for name in defaults
            ]
            inner = sorted(scope.names - set(signature.order))
            parts += [ast.NamedExpr(stored(SHADOW_PREFIX + name), constant(0)) for name in inner]
            parts.append(self.ask("end_lambda", load(mark), *self.pair(node.body), load(ENTRY)))
            node.body = ast.copy_location(
                ast.Subscript(ast.Tuple(parts, ast.Load()), constant(-1), ast.Load()), node.body
            )
        self.keep_defaults(node.args, signature, defaults)
        return node

    def do_classdef(self, node: ast.ClassDef) -> list[ast.stmt]:
        """Names of the body become fields of the class."""
        node.decorator_list = [self.expression(one)[0] for one in node.decorator_list]
        node.bases = [self.expression(one)[0] for one in node.bases]
        for keyword in node.keywords:
            keyword.value = self.expression(keyword.value)[0]
        docstring = node.body[:1] if is_docstring(node.body[0]) else []
        outer = self.class_name
        with self.inside(class_scope(node, self.scope), node.name):
            self.class_name = node.name
            body = self.block(node.body[len(docstring) :])
            node.body = [*docstring, self.tell("begin_body"), *body, self.tell("end_body")]
        self.class_name = outer
        made = self.tell("made_class", load(node.name))
        return [node, made, *self.store_name(node.name, None, node)]

    class_name = ""
