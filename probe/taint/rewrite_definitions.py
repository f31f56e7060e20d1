"""Rewriting of functions, lambdas and classes."""

import ast
import sys

from .nodes import add, assign, constant, join, load, own_nodes, read_names, stored
from .rewrite_parameters import bind_parameters, default_taint, keep_defaults, new_signature, rewrite_defaults
from .rewrite_targets import store_name
from .rewriter import Rewriter, Rewritten
from .scopes import NameScope, inner_scope
from .signatures import SHADOW_PREFIX, FunctionSignature

_YIELDS = (ast.Yield, ast.YieldFrom)
_SUSPENDING = (ast.Await, *_YIELDS)
# What notes a decision whenever it is reached under one.
_DECIDING = (
    ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.BoolOp, ast.Match, ast.Assert,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def _docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the docstring that a body begins with."""
    value = body[0].value if isinstance(body[0], ast.Expr) else None
    return body[:1] if isinstance(value, ast.Constant) and isinstance(value.value, str) else []


def rewrite_function(rewriter: Rewriter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Decorators and defaults are evaluated in the scope around, the rest in that of the function."""
    node.decorator_list = [rewriter.expression(one)[0] for one in node.decorator_list]
    defaults = rewrite_defaults(rewriter, node.args)
    lazy = isinstance(node, ast.AsyncFunctionDef)
    generator = any(isinstance(inner, _YIELDS) for inner in own_nodes(node.body))
    scope = inner_scope(node, rewriter.scope)
    with rewriter.inside(scope, node.name):
        signature = new_signature(rewriter, node.args, lazy=lazy or generator, coroutine=lazy)
        rewriter.generator, rewriter.coroutine = lazy or generator, lazy
        in_class = scope.parent is not None and scope.parent.kind == "class"
        rewriter.in_method = in_class and bool(rewriter.first_parameter)
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
    docstring = _docstring(body)
    declarations = [
        _with_shadows(inner)
        if isinstance(inner, ast.Nonlocal)
        else ast.copy_location(ast.Global(list(inner.names)), inner)
        for inner in own_nodes(body)
        if isinstance(inner, (ast.Global, ast.Nonlocal))
    ]
    begin = bind_parameters(rewriter, signature)
    if defaults:
        # Whether a default was taken is not known: its taint is joined into that of the parameter.
        joined = [add(SHADOW_PREFIX + name, default_taint(rewriter, signature, name)) for name in defaults]
        template = """
            if _pa_defaults:
                joined
            """
        begin += rewriter.code(template, joined=joined)
    rest = [stored(SHADOW_PREFIX + name) for name in sorted(scope.names - set(signature.order))]
    if rest:
        begin += rewriter.code("rest = 0", rest=rest)
    body = [one for one in body[len(docstring) :] if not isinstance(one, (ast.Global, ast.Nonlocal))]
    own = [one for one in body if not getattr(one, "counter", False)]
    if not any(isinstance(inner, _DECIDING) for inner in own_nodes(own)):
        # Called under decisions, its time is theirs.
        begin += rewriter.decide_without(rewriter.site(node, "entry"))
    rewriter.own_attributes = {}
    rewritten = rewriter.block(body)
    if sys.version_info >= (3, 13) and rewriter.own_attributes:
        # This never runs: the compiler tells a class which attributes `self` is given.
        of_self = [ast.Attribute(load("self"), name, ast.Store()) for name in rewriter.own_attributes]
        template = """
            if False:
                of_self = None
            """
        begin += rewriter.code(template, of_self=of_self)
    end = [] if body and isinstance(body[-1], (ast.Return, ast.Raise)) else _leaving(rewriter, None)
    for statement in (*begin, *end):
        ast.copy_location(statement, node)
    return [*docstring, *declarations, *begin, *rewritten, *end]


def _with_shadows(node: ast.Nonlocal) -> ast.Nonlocal:
    # The class that surrounds a method is nobody's variable, so it has no shadow.
    shadows = [SHADOW_PREFIX + name for name in node.names if name != "__class__"]
    return ast.copy_location(ast.Nonlocal([*node.names, *shadows]), node)


def rewrite_declaration(rewriter: Rewriter, node: ast.Global | ast.Nonlocal) -> list[ast.stmt]:
    """Declared at the function's beginning, with the shadows; in a class body where it stands."""
    if rewriter.in_function:
        return [ast.copy_location(ast.Pass(), node)]
    return [_with_shadows(node) if isinstance(node, ast.Nonlocal) else node]


def _leaving(rewriter: Rewriter, taint: ast.expr | None, site: ast.expr | None = None) -> list[ast.stmt]:
    """Leave the taint of the result, which goes through the `return` at `site`, and the control taint as it was at the beginning."""
    given = join(taint, rewriter.control())
    begin = []
    if site is not None and given is not None:
        begin = [assign("_pG", given), *rewriter.step(site, "_pG")]
        given = load("_pG")
    if rewriter.generator:
        template = """
            state.result = given
            state.control = _pS
            """
    else:
        template = """
            if mark is None:
                state.result = given
            else:
                state.leave(mark, given)
            state.control = _pE
            """
    return [*begin, *rewriter.code(template, given=given, mark=rewriter.mark)]


def rewrite_return(rewriter: Rewriter, node: ast.Return) -> list[ast.stmt]:
    """The value is evaluated, its taint left, then it is returned."""
    if not rewriter.in_function:
        return [node]
    rewriter.reading = read_names(node.value) if node.value is not None else ()
    value, taint = rewriter.expression(node.value) if node.value is not None else (constant(None), None)
    # An asynchronous generator returns nothing, not even None.
    node.value = load("_pX") if node.value is not None else None
    site = rewriter.site(node, "return", f"{rewriter.function}()", rewriter.reading)
    (kept,) = rewriter.code("_pX = value", value=value)
    return [ast.copy_location(kept, node), *_leaving(rewriter, taint, site), node]


def rewrite_lambda(rewriter: Rewriter, node: ast.Lambda) -> Rewritten:
    """A lambda is a function of one expression: a tuple of assignments whose last item is the value."""
    defaults = rewrite_defaults(rewriter, node.args)
    yields = any(isinstance(inner, _SUSPENDING) for inner in own_nodes([ast.Expr(node.body)]))
    if not rewriter.walrus or yields:
        return node, None
    scope = inner_scope(node, rewriter.scope)
    with rewriter.inside(scope, "<lambda>"):
        signature = new_signature(rewriter, node.args, lazy=False)
        rewriter.generator = rewriter.coroutine = False
        template = """(
            _pR := _pa_here.state, _pE := state.control, _pF := _pa_lately() if _pE else None, _pC0 := 0, _pB := state.bind(key, stars),
            mark := _pB[0], shadows, _pa_blocks.end_lambda(state, mark, body, _pE),
        )[-1]"""
        named = [(name, rewriter.expr("_pB[at]", at=at)) for at, name in enumerate(signature.order, 1)]
        for name in defaults:
            of_default = default_taint(rewriter, signature, name)
            named.append(
                (name, rewriter.expr("shadow | taint", shadow=SHADOW_PREFIX + name, taint=of_default))
            )
        named += [(name, constant(0)) for name in sorted(scope.names - set(signature.order))]
        made = rewriter.expr(
            template,
            key=signature.key,
            stars=[load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)],
            mark=rewriter.mark,
            shadows=[ast.NamedExpr(stored(SHADOW_PREFIX + name), taint) for name, taint in named],
            body=rewriter.pair(node.body),
        )
        node.body = ast.copy_location(made, node.body)
    keep_defaults(rewriter, node.args, signature, defaults)
    return node, None


def rewrite_class(rewriter: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    """Names of the body become fields of the class."""
    node.decorator_list = [rewriter.expression(one)[0] for one in node.decorator_list]
    node.bases = [rewriter.expression(one)[0] for one in node.bases]
    for keyword in node.keywords:
        keyword.value = rewriter.expression(keyword.value)[0]
    docstring = _docstring(node.body)
    with rewriter.inside(inner_scope(node, rewriter.scope), node.name):
        rewriter.class_name = node.name
        template = """
            docstring
            state.class_bodies.append({})
            body
            state.finished_body = state.class_bodies.pop()
            """
        body = rewriter.block(node.body[len(docstring) :])
        node.body = rewriter.code(template, docstring=docstring, body=body)
    made = rewriter.emit_statement("blocks.made_class", load(node.name))
    return [node, made, *store_name(rewriter, node.name, None, node)]
