"""Rewriting of `try`, `raise`, `assert`, `with` and `match`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import DEPTH, LENGTH, assign, call, constant, join, known, load, stored
from .rewrite_expressions import tested
from .rewrite_targets import store, store_name
from .weak_updates import guarded_weak_writes

if TYPE_CHECKING:
    from .rewriter import Rewriter


def rewrite_try(rewriter: Rewriter, node: ast.Try) -> list[ast.stmt]:
    """A handler is under the taint of the raise; `finally` keeps what was about to be returned."""
    number = rewriter.number()
    node.body = rewriter.block(node.body)
    for handler in node.handlers:
        handler.type = rewriter.expression(handler.type)[0] if handler.type is not None else None
        site = rewriter.site(handler, "except")
        # The calls under way around a generator are other ones after each yield.
        depth = constant(None) if rewriter.generator else load(f"_pN{number}")
        caught = rewriter.emit("blocks.caught", rewriter.all_control(), depth, site)
        if not rewriter.in_function:
            handler.body = [
                rewriter.emit_statement("blocks.caught", rewriter.all_control(), constant(None), site),
                *rewriter.block(handler.body),
            ]
            continue
        outer = rewriter.control()
        rewriter.depth += 1
        begin: list[ast.stmt] = [
            assign(f"_pC{rewriter.depth}", ast.BinOp(outer, ast.BitOr(), caught)),
            rewriter.reset(),
        ]
        if handler.name:
            begin += store_name(rewriter, handler.name, None, handler)
        handler.body = [*begin, *rewriter.block(handler.body)]
        rewriter.depth -= 1
    node.orelse = rewriter.block(node.orelse)
    if node.finalbody:
        node.finalbody = _finally(rewriter, node.finalbody, number)
    if not rewriter.in_function:
        return [node]
    begun = assign(f"_pN{number}", call(load(LENGTH), rewriter.field("pending")))
    return [begun, node, rewriter.reset()]


def _finally(rewriter: Rewriter, body: list[ast.stmt], number: int) -> list[ast.stmt]:
    """What is about to be returned has left its taint, what is about to be raised that of its raise."""
    if not rewriter.in_function:
        return rewriter.block(body)
    kept, control = f"_pF{number}", f"_pG{number}"
    return [
        assign(kept, rewriter.field("result")),
        assign(control, rewriter.field("control")),
        rewriter.set_field("control", rewriter.all_control()),
        *rewriter.block(body),
        rewriter.set_field("result", load(kept)),
        rewriter.set_field("control", load(control)),
    ]


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
    cleaned = [ast.Expr(rewriter.emit_plain("blocks.raised")), ast.Raise(None, None)]
    handler = ast.ExceptHandler(load("_pa_any_error"), None, cleaned)
    node.body = [ast.Try([*begin, rewriter.reset(), *rewriter.block(node.body)], [handler], [], [])]
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
            case.guard = rewriter.expression(case.guard)[0] if case.guard is not None else None
            case.body = rewriter.block(case.body)
        return [node, rewriter.end_branch()]
    subject, held = f"_pV{number}", f"{DEPTH}{number}"
    begin: list[ast.stmt] = [
        assign(subject, value),
        assign(held, known(taint)),
        assign(held, rewriter.emit("blocks.matched", load(subject), load(held), site)),
    ]
    node.subject = ast.copy_location(load(subject), value)
    outer = rewriter.control()
    unwritten = guarded_weak_writes(rewriter, [one for case in node.cases for one in case.body], load(held))
    rewriter.depth += 1
    # Guards run before a case has begun.
    begin.append(assign(f"_pC{rewriter.depth}", outer))
    for case in node.cases:
        if case.guard is not None:
            guard = (*tested(rewriter, case.guard), rewriter.site(case.guard, "guard"))
            case.guard = ast.copy_location(rewriter.emit("blocks.guard", *guard), case.guard)
        stores: list[ast.stmt] = []
        for inner in ast.walk(case.pattern):
            name = getattr(inner, "name", None) or getattr(inner, "rest", None)
            if isinstance(name, str):
                stores += store_name(rewriter, name, load(held), case.pattern)
        under = assign(f"_pC{rewriter.depth}", known(join(outer, load(held), rewriter.field("guards"))))
        case.body = [under, rewriter.reset(), *stores, *rewriter.block(case.body)]
    rewriter.depth -= 1
    end = [assign(subject, constant(None)), rewriter.set_field("guards", constant(0)), rewriter.reset()]
    return [*begin, node, *unwritten, *end]


def rewrite_assert(rewriter: Rewriter, node: ast.Assert) -> list[ast.stmt]:
    """The test is a decision; its failure is a raise, which does not stick."""
    node.test = ast.copy_location(
        rewriter.emit("blocks.note", *tested(rewriter, node.test), rewriter.site(node, "assert")), node.test
    )
    return [node]


def rewrite_raise(rewriter: Rewriter, node: ast.Raise) -> list[ast.stmt]:
    """A raise does not stick: else every option that is validated would be in every region."""
    if node.exc is not None:
        node.exc = rewriter.expression(node.exc)[0]
    if node.cause is not None:
        node.cause = rewriter.expression(node.cause)[0]
    return [node]
