"""Rewriting of `try`, `raise`, `assert`, `with` and `match`."""

import ast

from .nodes import assign, constant, join, known, load, stored, way_of
from .rewrite_expressions import tested
from .rewrite_targets import store, store_name
from .rewriter import Rewriter
from .weak_updates import guarded_weak_writes

_CAUGHT = "_pCn = outer | caught"
# Whoever closes a generator goes on under decisions of its own.
_CAUGHT_IN_GENERATOR = f"if _pa_blocks.closes(): _pS = state.control\n{_CAUGHT}"


def rewrite_try(rewriter: Rewriter, node: ast.Try) -> list[ast.stmt]:
    """A handler is under the taint of the raise; `finally` keeps what was about to be returned."""
    number = rewriter.number()
    node.body = rewriter.block(node.body)
    for handler in node.handlers:
        handler.type = rewriter.value(handler.type)
        site = rewriter.site(handler, "except")
        # The calls under way around a generator are other ones after each yield.
        nowhere = rewriter.generator or not rewriter.in_function
        depth = constant(None) if nowhere else load(f"_pN{number}")
        caught = rewriter.emit("blocks.caught", rewriter.all_control(), depth, site)
        if not rewriter.in_function:
            handler.body = [ast.Expr(caught), *rewriter.block(handler.body)]
            continue
        outer, rewriter.depth = rewriter.control(), rewriter.depth + 1
        template = _CAUGHT_IN_GENERATOR if rewriter.generator else _CAUGHT
        inner = rewriter.code(template, n=rewriter.depth, outer=outer, caught=caught)
        named = store_name(rewriter, handler.name, None, handler) if handler.name else []
        handler.body = [
            *inner,
            rewriter.reset(),
            *named,
            *rewriter.block(handler.body, way_of(handler, "except")),
        ]
        rewriter.depth -= 1
    node.orelse = rewriter.block(node.orelse)
    node.finalbody = rewriter.block(node.finalbody)
    if not rewriter.in_function:
        return [node]
    if node.finalbody:
        # What is about to be returned has left its taint, what is about to be raised that of its raise.
        template = """
            _pFn = state.result
            _pGn = state.control
            state.control = control
            body
            state.result = _pFn
            state.control = _pGn
            """
        control = rewriter.all_control()
        node.finalbody = rewriter.code(template, n=number, control=control, body=node.finalbody)
    return [*rewriter.code("_pNn = _pa_len(state.pending)", n=number), node, rewriter.reset()]


def rewrite_with(rewriter: Rewriter, node: ast.With | ast.AsyncWith) -> list[ast.stmt]:
    """What is entered has the taint of its manager and of what `__enter__` left."""
    for at, item in enumerate(node.items[:-1]):
        if item.optional_vars is not None and not isinstance(item.optional_vars, ast.Name):
            # What is taken apart here may be used by the managers that follow.
            rest = ast.copy_location(type(node)(node.items[at + 1 :], node.body), node)
            node.items, node.body = node.items[: at + 1], [rest]
            break
    begin: list[ast.stmt] = []
    for item in node.items:
        item.context_expr, taint = rewriter.expression(item.context_expr)
        if item.optional_vars is None:
            continue
        entered = known(join(taint, rewriter.result()))
        if isinstance(item.optional_vars, ast.Name):
            begin += store_name(rewriter, item.optional_vars.id, entered, item.context_expr)
        elif rewriter.in_function:
            number = rewriter.number()
            target = item.optional_vars
            item.optional_vars = ast.copy_location(stored(f"_pV{number}"), target)
            begin.append(assign(f"_pT{number}", entered))
            begin += store(rewriter, target, load(f"_pV{number}"), load(f"_pT{number}"), node)
            begin.append(assign(f"_pV{number}", constant(None)))
    # A manager is handed the program's own traceback.
    template = """
        try:
            begin
            body
        except _pa_any_error:
            _pa_blocks.raised()
            raise
        """
    body = rewriter.block(node.body)
    node.body = rewriter.code(template, begin=[*begin, rewriter.reset()], body=body)
    return [node, rewriter.reset()]


def rewrite_match(rewriter: Rewriter, node: ast.Match) -> list[ast.stmt]:
    """Which case is taken is a decision about the subject; guards are decisions of their own."""
    site = rewriter.decision(node, "match", node.subject)
    value, taint = rewriter.expression(node.subject)
    number = rewriter.number()
    if not rewriter.in_function:
        outside = rewriter.emit("blocks.match_outside", value, known(taint), site)
        node.subject = ast.copy_location(outside, value)
        for case in node.cases:
            case.guard = rewriter.value(case.guard)
            case.body = rewriter.block(case.body)
        return [node, *rewriter.end_branch()]
    held = load(f"_pD{number}")
    template = """
        _pVn = value
        _pDn = taint
        _pDn = _pa_blocks.matched(state, _pVn, _pDn, site)
        """
    begin = rewriter.code(template, n=number, value=value, taint=taint, site=site)
    node.subject = ast.copy_location(load(f"_pV{number}"), value)
    outer = rewriter.control()
    unwritten = guarded_weak_writes(rewriter, [one for case in node.cases for one in case.body], held)
    rewriter.depth += 1
    # Guards run before a case has begun.
    begin.append(assign(f"_pC{rewriter.depth}", outer))
    for case in node.cases:
        if case.guard is not None:
            case.guard = _guard(rewriter, case.guard)
        stores: list[ast.stmt] = []
        for inner in ast.walk(case.pattern):
            name = getattr(inner, "name", None) or getattr(inner, "rest", None)
            if isinstance(name, str):
                stores += store_name(rewriter, name, held, case.pattern)
        under = assign(f"_pC{rewriter.depth}", known(join(outer, held, rewriter.field("guards"))))
        body = rewriter.block(case.body, way_of(case.pattern, "case"))
        case.body = [under, rewriter.reset(), *stores, *body]
    rewriter.depth -= 1
    template = """
        _pVn = None
        state.guards = 0
        """
    return [*begin, node, *unwritten, *rewriter.code(template, n=number), rewriter.reset()]


def _guard(rewriter: Rewriter, guard: ast.expr) -> ast.expr:
    site = rewriter.decision(guard, "guard", guard)
    return ast.copy_location(rewriter.emit("blocks.guard", *tested(rewriter, guard), site), guard)


def rewrite_assert(rewriter: Rewriter, node: ast.Assert) -> list[ast.stmt]:
    """The test is a decision; its failure is a raise, which does not stick."""
    decided = rewriter.decision(node, "assert", node.test)
    noted = (*tested(rewriter, node.test), decided)
    node.test = ast.copy_location(rewriter.emit("blocks.note", *noted), node.test)
    return [node]


def rewrite_raise(rewriter: Rewriter, node: ast.Raise) -> list[ast.stmt]:
    """A raise does not stick: else every option that is validated would be in every region."""
    node.exc, node.cause = rewriter.value(node.exc), rewriter.value(node.cause)
    if node.exc is None and rewriter.generator and rewriter.in_function:
        # Nor does what closes a generator, handed on: it may come from the collector, anywhere in the program.
        return [*rewriter.code("if _pa_blocks.closes(): state.control = _pS"), node]
    return [node]
