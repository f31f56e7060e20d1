"""Rewriting of functions, lambdas and classes."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from .nodes import (
    DEFAULTS_TABLE,
    ENTRY,
    HERE,
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
from .rewrite_parameters import bind_parameters, default_taint, keep_defaults, new_signature, rewrite_defaults
from .rewrite_targets import store_name
from .rewriter import read_names
from .scopes import inner_scope
from .signatures import MARK, FunctionSignature

if TYPE_CHECKING:
    from .rewriter import Rewriter, Rewritten
    from .scopes import NameScope

_YIELDS = (ast.Yield, ast.YieldFrom)
_SUSPENDING = (ast.Await, *_YIELDS)
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


def rewrite_function(rewriter: Rewriter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Decorators and defaults are evaluated in the scope around, the rest in that of the function."""
    node.decorator_list = [rewriter.expression(one)[0] for one in node.decorator_list]
    defaults = rewrite_defaults(rewriter, node.args)
    lazy = isinstance(node, ast.AsyncFunctionDef)
    generator = any(isinstance(inner, _YIELDS) for inner in own_nodes(node.body))
    scope = inner_scope(node, rewriter.scope)
    with rewriter.inside(scope, node.name):
        signature = new_signature(rewriter, node.args, lazy=lazy or generator, coroutine=lazy)
        rewriter.generator = lazy or generator
        node.body = _body(rewriter, node, signature, scope, defaults)
    keep_defaults(rewriter, node.args, signature, defaults)
    return [node, *store_name(rewriter, node.name, None, node)]


def _body(
    rewriter: Rewriter,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    signature: FunctionSignature,
    scope: NameScope,
    defaults: dict[str, ast.expr],
) -> list[ast.stmt]:
    body = node.body
    docstring = body[:1] if is_docstring(body[0]) else []
    declarations = [
        _with_shadows(inner)
        if isinstance(inner, ast.Nonlocal)
        else ast.copy_location(ast.Global(list(inner.names)), inner)
        for inner in own_nodes(body)
        if isinstance(inner, (ast.Global, ast.Nonlocal))
    ]
    begin = [assign(STATE, attribute(load(HERE), "state")), *bind_parameters(rewriter, signature)]
    if defaults:
        # Whether a default was taken is not known: its taint is joined into that of the parameter.
        joined: list[ast.stmt] = [
            ast.AugAssign(stored(SHADOW_PREFIX + name), ast.BitOr(), default_taint(signature, name))
            for name in defaults
        ]
        begin.append(ast.If(load(DEFAULTS_TABLE), joined, []))
    rest = sorted(scope.names - set(signature.order))
    if rest:
        begin.append(ast.Assign([stored(SHADOW_PREFIX + name) for name in rest], constant(0)))
    body = [one for one in body[len(docstring) :] if not isinstance(one, (ast.Global, ast.Nonlocal))]
    own = [one for one in body if not getattr(one, "counter", False)]
    if not any(isinstance(inner, _DECIDING) for inner in own_nodes(own)):
        # Called under decisions, its time is theirs.
        begin.append(rewriter.decide_without(rewriter.site(node, "entry")))
    rewriter.own_attributes = {}
    rewritten = rewriter.block(body)
    if sys.version_info >= (3, 13) and rewriter.own_attributes:
        # This never runs: the compiler tells a class which attributes `self` is given.
        of_self: list[ast.expr] = [
            ast.Attribute(load("self"), name, ast.Store()) for name in rewriter.own_attributes
        ]
        begin.append(ast.If(constant(False), [ast.Assign(of_self, constant(None))], []))
    end = [] if body and isinstance(body[-1], (ast.Return, ast.Raise)) else _leaving(rewriter, None)
    for statement in (*begin, *end):
        ast.copy_location(statement, node)
    return [*docstring, *declarations, *begin, *rewritten, *end]


def _with_shadows(node: ast.Nonlocal) -> ast.Nonlocal:
    # The class that surrounds a method is nobody's variable, so it has no shadow.
    shadows = [SHADOW_PREFIX + name for name in node.names if name != "__class__"]
    return ast.copy_location(ast.Nonlocal([*node.names, *shadows]), node)


def rewrite_global(rewriter: Rewriter, node: ast.Global) -> list[ast.stmt]:
    """Declared at the function's beginning."""
    return [node] if not rewriter.in_function else [ast.copy_location(ast.Pass(), node)]


def rewrite_nonlocal(rewriter: Rewriter, node: ast.Nonlocal) -> list[ast.stmt]:
    """Declared at the function's beginning, with the shadows; in a class body where it stands."""
    return [_with_shadows(node) if not rewriter.in_function else ast.copy_location(ast.Pass(), node)]


def _leaving(rewriter: Rewriter, taint: ast.expr | None) -> list[ast.stmt]:
    """Leave the taint of the result, and the control taint as it was at the beginning."""
    given = known(join(taint, rewriter.control()))
    set_taint = rewriter.set_field("result", given)
    set_control = rewriter.set_field("control", load(RESUMED if rewriter.generator else ENTRY))
    if rewriter.generator:
        return [set_taint, set_control]
    ambient = ast.Compare(load(rewriter.mark), [ast.Is()], [constant(None)])
    leave = rewriter.emit_statement("leave", load(rewriter.mark), given)
    return [ast.If(ambient, [set_taint], [leave]), set_control]


def rewrite_return(rewriter: Rewriter, node: ast.Return) -> list[ast.stmt]:
    """The value is evaluated, its taint left, then it is returned."""
    if not rewriter.in_function:
        return [node]
    rewriter.reading = read_names(node.value) if node.value is not None else ()
    value, taint = rewriter.expression(node.value) if node.value is not None else (constant(None), None)
    # An asynchronous generator returns nothing, not even None.
    node.value = load("_pX") if node.value is not None else None
    step = rewriter.step(node, "return", f"{rewriter.function}()", rewriter.field("result"))
    kept = ast.copy_location(assign("_pX", value), node)
    return [kept, *_leaving(rewriter, taint), step, node]


def rewrite_lambda(rewriter: Rewriter, node: ast.Lambda) -> Rewritten:
    """A lambda is a function of one expression: a tuple of assignments whose last item is the value."""
    defaults = rewrite_defaults(rewriter, node.args)
    yields = any(isinstance(inner, _SUSPENDING) for inner in own_nodes([ast.Expr(node.body)]))
    if not rewriter.walrus or yields:
        return node, None
    scope = inner_scope(node, rewriter.scope)
    with rewriter.inside(scope, "<lambda>"):
        signature = new_signature(rewriter, node.args, lazy=False)
        rewriter.generator = False
        mark = f"{MARK}{signature.key}"
        stars = [load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)]
        parts: list[ast.expr] = [
            ast.NamedExpr(stored(STATE), attribute(load(HERE), "state")),
            ast.NamedExpr(stored(ENTRY), rewriter.field("control")),
            ast.NamedExpr(stored("_pC0"), constant(0)),
            ast.NamedExpr(stored("_pB"), rewriter.emit("bind", constant(signature.key), *stars)),
            ast.NamedExpr(stored(mark), ast.Subscript(load("_pB"), constant(0), ast.Load())),
        ]
        parts += [
            ast.NamedExpr(stored(SHADOW_PREFIX + name), ast.Subscript(load("_pB"), constant(at), ast.Load()))
            for at, name in enumerate(signature.order, 1)
        ]
        parts += [
            ast.NamedExpr(
                stored(SHADOW_PREFIX + name),
                ast.BinOp(load(SHADOW_PREFIX + name), ast.BitOr(), default_taint(signature, name)),
            )
            for name in defaults
        ]
        inner = sorted(scope.names - set(signature.order))
        parts += [ast.NamedExpr(stored(SHADOW_PREFIX + name), constant(0)) for name in inner]
        parts.append(rewriter.emit("blocks.end_lambda", load(mark), *rewriter.pair(node.body), load(ENTRY)))
        node.body = ast.copy_location(
            ast.Subscript(ast.Tuple(parts, ast.Load()), constant(-1), ast.Load()), node.body
        )
    keep_defaults(rewriter, node.args, signature, defaults)
    return node, None


def rewrite_class(rewriter: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    """Names of the body become fields of the class."""
    node.decorator_list = [rewriter.expression(one)[0] for one in node.decorator_list]
    node.bases = [rewriter.expression(one)[0] for one in node.bases]
    for keyword in node.keywords:
        keyword.value = rewriter.expression(keyword.value)[0]
    docstring = node.body[:1] if is_docstring(node.body[0]) else []
    with rewriter.inside(inner_scope(node, rewriter.scope), node.name):
        rewriter.class_name = node.name
        bodies = rewriter.field("class_bodies")
        begin = ast.Expr(call(attribute(bodies, "append"), ast.Dict([], [])))
        end = rewriter.set_field("finished_body", call(attribute(bodies, "pop")))
        body = rewriter.block(node.body[len(docstring) :])
        node.body = [*docstring, begin, *body, end]
    made = rewriter.emit_statement("blocks.made_class", load(node.name))
    return [node, made, *store_name(rewriter, node.name, None, node)]
