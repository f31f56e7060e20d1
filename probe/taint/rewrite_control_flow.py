"""Rewriting of control flow: decisions, and what stays under their taint."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import (
    DEPTH,
    ENTRY,
    ControlReset,
    ResultTaint,
    assign,
    attribute,
    constant,
    join,
    known,
    load,
    never_calls,
    stored,
    without_reset,
)
from .rewrite_expressions import holding, rewrite_test, tested
from .rewrite_targets import store, store_name
from .rewriter import read_names
from .weak_updates import INNER, guarded_weak_writes, weak_writes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .rewriter import Rewriter

_LOOPS = (ast.For, ast.While, ast.AsyncFor)


def _exits(body: Sequence[ast.stmt]) -> set[type[ast.stmt]]:
    """Return how `body` may be left early: Return, and Break or Continue of a loop around it."""
    return {exit_ for statement in body for exit_ in _exits_of(statement)}


def _exits_of(node: ast.AST) -> set[type[ast.stmt]]:
    """Return how `node` may leave its function, or a loop around it; found once, before it is rewritten."""
    known: set[type[ast.stmt]] | None = getattr(node, "exits", None)
    if known is not None:
        return known
    found: set[type[ast.stmt]] = set()
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        found.add(type(node))
    elif not isinstance(node, INNER):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                found |= _exits_of(child)
    if isinstance(node, _LOOPS):
        found &= {ast.Return}
    node.exits = found  # type: ignore[attr-defined]
    return found


def rewrite_if(rewriter: Rewriter, node: ast.If) -> list[ast.stmt]:
    """Both branches are under the taint of the test; what the other one would have written, too."""
    site = rewriter.decision(node, "if", node.test)
    value, taint = rewrite_test(rewriter, node.test)
    if not rewriter.in_function:
        node.test = ast.copy_location(
            rewriter.emit("blocks.begin_branch", *holding(rewriter, value, taint), site), value
        )
        node.body, node.orelse = rewriter.block(node.body), rewriter.block(node.orelse)
        return [node, rewriter.end_branch()]
    number = rewriter.number()
    held = f"{DEPTH}{number}"
    node.test = value
    tested = _kept_test(rewriter, number, value, taint)
    body, other, rest = node.body, node.orelse, rewriter.rest if rewriter.weak else []
    # Who leaves early misses what follows, too.
    unwritten_by_body = weak_writes(rewriter, [*other, *(rest if _exits(body) else [])], load(held))
    unwritten_by_other = weak_writes(rewriter, [*body, *(rest if _exits(other) else [])], load(held))
    rewriter.depth += 1
    sticky = [
        ast.AugAssign(stored(name), ast.BitOr(), load(held))
        for name in _sticking(rewriter, _exits([*body, *other]))
    ]
    outer = load(f"_pC{rewriter.depth - 1}")
    under = assign(f"_pC{rewriter.depth}", ast.BinOp(outer, ast.BitOr(), load(held)))

    def begin(unwritten: list[ast.stmt]) -> list[ast.stmt]:
        decided = [*rewriter.decide(site, held), *sticky, *unwritten]
        return [*tested, ast.If(load(held), decided, [rewriter.decide_without(site)]), under]

    node.body = without_reset([*begin(unwritten_by_body), *rewriter.block(body)])
    node.orelse = without_reset([*begin(unwritten_by_other), *rewriter.block(other)])
    rewriter.depth -= 1
    return [node, rewriter.reset()]


def _kept_test(
    rewriter: Rewriter, number: int, value: ast.expr, taint: ast.expr | None, *more: ast.expr
) -> list[ast.stmt]:
    """Return statements that keep the taint of a test, joined with `more`, right after it was evaluated."""
    held = f"{DEPTH}{number}"
    keep = assign(held, known(join(taint, *more)))
    if isinstance(taint, ResultTaint) or never_calls(value):
        return [keep]
    # A `__bool__` or `__len__` of the program may have been asked.
    joined = assign(held, rewriter.emit("with_ambient", load(held)))
    return [keep, ast.If(rewriter.field("ambient"), [joined], [])]


def _sticking(rewriter: Rewriter, early: set[type[ast.stmt]]) -> list[str]:
    """Return the control taints that stay changed where a branch may leave the function or loop."""
    if ast.Return in early:
        names = [f"_pC{depth}" for depth in range(rewriter.depth)]
        return names + [f"_pL{number}" for _, number, _ in rewriter.loops]
    if not early or not rewriter.loops:
        return []
    depth, number, ends_early = rewriter.loops[-1]
    names = [f"_pC{inner}" for inner in range(depth + 1, rewriter.depth)]
    # Who skips the rest of a turn may skip what would have ended the loop.
    return names + ([f"_pL{number}"] if ast.Break in early or ends_early else [])


def rewrite_while(rewriter: Rewriter, node: ast.While) -> list[ast.stmt]:
    """The test is a decision at every turn; leaving early joins all further turns."""
    site = rewriter.decision(node, "while", node.test)
    number = rewriter.number()
    if not rewriter.in_function:
        node.test = ast.copy_location(rewriter.emit("test", *tested(rewriter, node.test), site), node.test)
        node.body, node.orelse = rewriter.block(node.body), rewriter.block(node.orelse)
        return [
            rewriter.emit_statement("blocks.begin_branch", constant(True), constant(0), site),
            node,
            rewriter.end_branch(),
        ]
    value, taint = rewrite_test(rewriter, node.test)
    sticky, held = f"_pL{number}", f"{DEPTH}{number}"
    unwritten = guarded_weak_writes(rewriter, node.body, load(f"{DEPTH}{number}"))
    node.test = ast.copy_location(value, node.test)
    # The taint is read before anything else is evaluated.
    decided = [
        *_kept_test(rewriter, number, value, taint, load(sticky)),
        rewriter.reset(),
        ast.If(load(held), rewriter.decide(site, held), [rewriter.decide_without(site)]),
    ]
    node.body = [*decided, *_turn(rewriter, number, load(held), node.body)]
    node.orelse = [*decided, rewriter.reset(), *unwritten, *rewriter.block(node.orelse)]
    return [assign(sticky, constant(0)), node, rewriter.reset()]


def _turn(
    rewriter: Rewriter, number: int, taint: ast.expr, body: list[ast.stmt], *before: ast.stmt
) -> list[ast.stmt]:
    """Return the body of a loop."""
    sticky = f"_pL{number}"
    outer = rewriter.control()
    rewriter.loops.append((rewriter.depth, number, bool(_exits(body) & {ast.Break, ast.Return})))
    rewriter.depth += 1
    begin = assign(f"_pC{rewriter.depth}", known(join(outer, taint, load(sticky))))
    rewritten = without_reset([begin, rewriter.reset(), *before, *rewriter.block(body)])
    rewriter.depth -= 1
    rewriter.loops.pop()
    return [*rewritten, _next_turn(rewriter, rewriter.depth, number)]


def _next_turn(rewriter: Rewriter, depth: int, number: int) -> ast.stmt:
    """Return a statement that sets the control taint of a loop's next turn: that of the loop, and of what may end it."""
    control = ast.BinOp(load(ENTRY), ast.BitOr(), load(f"_pC{depth}"))
    joined = ast.BinOp(control, ast.BitOr(), load(f"_pL{number}"))
    return ControlReset(rewriter.field("control"), [rewriter.set_field("control", joined)], [])


def rewrite_for(rewriter: Rewriter, node: ast.For | ast.AsyncFor) -> list[ast.stmt]:
    """Each turn is under the taint of its item; the end of the loop is a decision of its own."""
    site = rewriter.decision(node, "for", node.iter)
    rewriter.reading = read_names(node.iter)
    value, taint = rewriter.expression(node.iter)
    number = rewriter.number()
    names, source, item = f"_pV{number}", f"_pI{number}", f"_pT{number}"
    if not rewriter.in_function:
        return _loop_outside(rewriter, node, value, taint)
    begin: list[ast.stmt] = [
        assign(f"_pL{number}", constant(0)),
        assign(f"_pO{number}", value),
        assign(f"_pB{number}", known(taint)),
    ]
    if isinstance(node, ast.AsyncFor):
        begin.append(assign(source, rewriter.emit_plain("iteration.ItemTaint", load(f"_pB{number}"))))
        node.iter = ast.copy_location(load(f"_pO{number}"), node.iter)
    else:
        pair = ast.Tuple([stored(names), stored(source)], ast.Store())
        begin.append(
            ast.Assign([pair], rewriter.emit("iteration.loop", load(f"_pO{number}"), load(f"_pB{number}")))
        )
        node.iter = ast.copy_location(load(names), node.iter)
    unwritten = guarded_weak_writes(rewriter, node.body, load(f"{DEPTH}{number}"))
    target, stores = _loop_target(rewriter, node.target, number)
    node.target = target
    node.body = [
        rewriter.reset(),
        *_loop_item(rewriter, number, site),
        *_turn(rewriter, number, load(item), node.body, *stores),
    ]
    joined = known(join(load(f"_pB{number}"), load(f"_pL{number}")))
    ended = rewriter.emit_statement("iteration.end_loop", load(f"_pO{number}"), load(source), joined, site)
    if unwritten:
        unwritten.insert(0, assign(f"{DEPTH}{number}", rewriter.field("result")))
    node.orelse = [rewriter.reset(), ended, *unwritten, *rewriter.block(node.orelse)]
    free = [assign(f"_pO{number}", constant(None))]
    if isinstance(node, ast.For):
        free.append(assign(names, constant(None)))
    return [*begin, node, *free, rewriter.reset()]


def _loop_item(rewriter: Rewriter, number: int, site: ast.expr) -> list[ast.stmt]:
    """Return statements that keep the taint of the item that a loop has just got, and decide by it."""
    item, source, taint = f"_pT{number}", load(f"_pI{number}"), load(f"_pB{number}")
    return [
        assign(item, ast.BinOp(attribute(source, "result"), ast.BitOr(), taint)),
        ast.If(
            rewriter.field("ambient"),
            [assign(item, rewriter.emit("iteration.loop_item_taint", source, taint))],
            [],
        ),
        ast.If(load(item), rewriter.decide(site, item), [rewriter.decide_without(site)]),
    ]


def _loop_target(rewriter: Rewriter, target: ast.expr, number: int) -> tuple[ast.expr, list[ast.stmt]]:
    """Return what the loop itself assigns, and the statements that do the rest."""
    item = f"_pT{number}"
    rewriter.depth += 1
    if isinstance(target, ast.Name):
        stores = store_name(rewriter, target.id, load(item), target)
    else:
        stores = store(rewriter, target, load(f"_pW{number}"), load(item), target)
        stores.append(assign(f"_pW{number}", constant(None)))
        target = ast.copy_location(stored(f"_pW{number}"), target)
    rewriter.depth -= 1
    return target, stores


def _loop_outside(
    rewriter: Rewriter, node: ast.For | ast.AsyncFor, value: ast.expr, taint: ast.expr | None
) -> list[ast.stmt]:
    node.iter = ast.copy_location(
        rewriter.emit("iteration.items_outside", value, known(taint), rewriter.site(node, "for")), value
    )
    names = [
        one.id
        for one in ast.walk(node.target)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    stores = [
        statement
        for name in names
        for statement in store_name(rewriter, name, rewriter.field("result"), node)
    ]
    node.body = [*stores, *rewriter.block(node.body)]
    node.orelse = rewriter.block(node.orelse)
    return [
        rewriter.emit_statement(
            "blocks.begin_branch", constant(True), constant(0), rewriter.site(node, "for")
        ),
        node,
        rewriter.end_branch(),
    ]


def rewrite_jump(rewriter: Rewriter, node: ast.Break | ast.Continue) -> list[ast.stmt]:
    """After `break` and `continue` the control taint is as at the end of a turn."""
    if not rewriter.in_function or not rewriter.loops:
        return [node]
    depth, number, _ = rewriter.loops[-1]
    return [_next_turn(rewriter, depth, number), node]


def rewrite_expression_statement(rewriter: Rewriter, node: ast.Expr) -> list[ast.stmt]:
    """The value is not used; what it left of code that is not rewritten is cleared away."""
    if isinstance(node.value, ast.Constant):
        return [node]
    node.value, taint = rewriter.expression(node.value)
    return (
        [node]
        if taint is None
        else [node, ast.If(rewriter.field("ambient"), [rewriter.emit_statement("take")], [])]
    )
