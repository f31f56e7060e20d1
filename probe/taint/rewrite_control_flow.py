"""Rewriting of control flow: decisions, and what stays under their taint."""

import ast
from collections.abc import Sequence

from .nodes import (
    ResultTaint,
    add,
    assign,
    constant,
    join,
    known,
    load,
    never_calls,
    read_names,
    stored,
    way_of,
    without_reset,
)
from .rewrite_expressions import holding, rewrite_test, tested
from .rewrite_targets import store, store_name, store_names
from .rewriter import Rewriter
from .weak_updates import INNER, guarded_weak_writes, weak_writes

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


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _reach(rewriter: Rewriter, node: ast.stmt) -> int:
    """Return the last line that `node` has a say in: its own, that of the loop that it may leave; 0 for the function's."""
    exits = _exits_of(node)
    if ast.Return in exits:
        return 0
    return rewriter.loops[-1][-1] if exits and rewriter.loops else _end(node)


def rewrite_if(rewriter: Rewriter, node: ast.If) -> list[ast.stmt]:
    """Both branches are under the taint of the test; what the other one would have written, too."""
    site = rewriter.decision(node, "if", node.test, _reach(rewriter, node))
    value, taint = rewrite_test(rewriter, node.test)
    if not rewriter.in_function:
        begun = rewriter.emit("blocks.begin_branch", *holding(rewriter, value, taint), site)
        node.test = ast.copy_location(begun, value)
        node.body, node.orelse = rewriter.block(node.body), rewriter.block(node.orelse)
        return [node, *rewriter.end_branch()]
    number = rewriter.number()
    held = load(f"_pD{number}")
    node.test = value
    tested = _kept_test(rewriter, site, number, value, taint)
    body, other, rest = node.body, node.orelse, rewriter.rest if rewriter.weak else []
    # Who leaves early misses what follows, too.
    unwritten_by_body = weak_writes(rewriter, [*other, *(rest if _exits(body) else [])], held)
    unwritten_by_other = weak_writes(rewriter, [*body, *(rest if _exits(other) else [])], held)
    rewriter.depth += 1
    sticky = [add(name, held) for name in _sticking(rewriter, _exits([*body, *other]))]
    outer = load(f"_pC{rewriter.depth - 1}")
    under = rewriter.code("_pCn = outer | held", n=rewriter.depth, outer=outer, held=held)

    def branch(statements: list[ast.stmt], unwritten: list[ast.stmt], way: str) -> list[ast.stmt]:
        decided = rewriter.decide(site, held, *sticky, *unwritten)
        return without_reset([*tested, *decided, *under, *rewriter.block(statements, way)])

    otherwise = _otherwise(node)
    node.body = branch(body, unwritten_by_body, way_of(node, "if"))
    node.orelse = branch(other, unwritten_by_other, otherwise)
    rewriter.depth -= 1
    return [node, rewriter.reset()]


def _otherwise(node: ast.If) -> str:
    """Return the way where the test fails; nothing counts that of an `elif`, whose own ways are counted."""
    follows = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
    return "" if follows else way_of(node, "else")


def _kept_test(
    rewriter: Rewriter, site: ast.expr, number: int, value: ast.expr, taint: ast.expr | None, *more: ast.expr
) -> list[ast.stmt]:
    """Return statements that keep the taint of the test at `site`, joined with `more`, right after it was evaluated."""
    kept = rewriter.code("_pDn = taint", n=number, taint=join(taint, *more))
    if not isinstance(taint, ResultTaint) and not never_calls(value):
        # A `__bool__` or `__len__` of the program may have been asked.
        template = """
            if state.ambient:
                _pDn = state.with_ambient(_pDn)
            """
        kept += rewriter.code(template, n=number)
    return kept + rewriter.step(site, f"_pD{number}")


def _sticking(rewriter: Rewriter, early: set[type[ast.stmt]]) -> list[str]:
    """Return the control taints that stay changed where a branch may leave the function or loop."""
    if ast.Return in early:
        names = [f"_pC{depth}" for depth in range(rewriter.depth)]
        return names + [f"_pL{number}" for _, number, *_ in rewriter.loops]
    if not early or not rewriter.loops:
        return []
    depth, number, ends_early, _ = rewriter.loops[-1]
    names = [f"_pC{inner}" for inner in range(depth + 1, rewriter.depth)]
    # Who skips the rest of a turn may skip what would have ended the loop.
    return names + ([f"_pL{number}"] if ast.Break in early or ends_early else [])


def rewrite_while(rewriter: Rewriter, node: ast.While) -> list[ast.stmt]:
    """The test is a decision at every turn; leaving early joins all further turns."""
    site = rewriter.decision(node, "while", node.test, _reach(rewriter, node))
    number = rewriter.number()
    if not rewriter.in_function:
        node.test = ast.copy_location(rewriter.emit("test", *tested(rewriter, node.test), site), node.test)
        node.body, node.orelse = rewriter.block(node.body), rewriter.block(node.orelse)
        return _in_branch(rewriter, node, site)
    value, taint = rewrite_test(rewriter, node.test)
    held = load(f"_pD{number}")
    unwritten = guarded_weak_writes(rewriter, node.body, held)
    node.test = ast.copy_location(value, node.test)
    # The taint is read before anything else is evaluated.
    kept = _kept_test(rewriter, site, number, value, taint, load(f"_pL{number}"))
    decided = [*kept, rewriter.reset(), *rewriter.decide(site, held)]
    node.body = [*decided, *_turn(rewriter, node, number, held)]
    node.orelse = [*decided, rewriter.reset(), *unwritten, *rewriter.block(node.orelse, "")]
    return [*rewriter.code("_pLn = 0", n=number), node, rewriter.reset()]


def _turn(
    rewriter: Rewriter,
    node: ast.For | ast.AsyncFor | ast.While,
    number: int,
    taint: ast.expr,
    *before: ast.stmt,
) -> list[ast.stmt]:
    """Return the body of a loop."""
    body, outer = node.body, rewriter.control()
    early = bool(_exits(body) & {ast.Break, ast.Return})
    rewriter.loops.append((rewriter.depth, number, early, max(_end(one) for one in body)))
    rewriter.depth += 1
    begin = assign(f"_pC{rewriter.depth}", known(join(outer, taint, load(f"_pL{number}"))))
    rewritten = without_reset([begin, rewriter.reset(), *before, *rewriter.block(body, way_of(node, "turn"))])
    rewriter.depth -= 1
    rewriter.loops.pop()
    return [*rewritten, _next_turn(rewriter, rewriter.depth, number)]


def _next_turn(rewriter: Rewriter, depth: int, number: int) -> ast.stmt:
    """Return a statement that sets the control taint of a loop's next turn: that of the loop, and of what may end it."""
    return rewriter.reset(rewriter.expr("_pE | outer | sticky", outer=f"_pC{depth}", sticky=f"_pL{number}"))


def rewrite_for(rewriter: Rewriter, node: ast.For | ast.AsyncFor) -> list[ast.stmt]:
    """Each turn is under the taint of its item; the end of the loop is a decision of its own."""
    site = rewriter.decision(node, "for", node.iter, _reach(rewriter, node))
    rewriter.reading = read_names(node.iter)
    value, taint = rewriter.expression(node.iter)
    number = rewriter.number()
    if not rewriter.in_function:
        given = value, known(taint), rewriter.site(node, "for")
        node.iter = ast.copy_location(rewriter.emit("iteration.items_outside", *given), value)
        stores = store_names(rewriter, node.target, rewriter.field("result"), node)
        node.body = [*stores, *rewriter.block(node.body)]
        node.orelse = rewriter.block(node.orelse)
        return _in_branch(rewriter, node, rewriter.site(node, "for"))
    template = """
        _pLn = 0
        _pOn = value
        _pBn = taint
        """
    if isinstance(node, ast.AsyncFor):
        names, taken = f"_pO{number}", "_pIn = _pa_iteration.ItemTaint(_pBn)"
    else:
        names, taken = f"_pV{number}", "_pVn, _pIn = _pa_iteration.loop(state, _pOn, _pBn)"
    begin = rewriter.code(template, n=number, value=value, taint=taint) + rewriter.code(taken, n=number)
    node.iter = ast.copy_location(load(names), node.iter)
    unwritten = guarded_weak_writes(rewriter, node.body, load(f"_pD{number}"))
    stores = _loop_target(rewriter, node, number)
    template = """
        _pTn = _pIn.result | _pBn
        if state.ambient:
            _pTn = _pa_iteration.loop_item_taint(state, _pIn, _pBn)
        """
    item = load(f"_pT{number}")
    step = rewriter.step(site, f"_pT{number}")
    got = [*rewriter.code(template, n=number), *step, *rewriter.decide(site, item)]
    node.body = [rewriter.reset(), *got, *_turn(rewriter, node, number, item, *stores)]
    template = "_pa_iteration.end_loop(state, _pOn, _pIn, _pBn | _pLn, site, lately)"
    ended = rewriter.code(template, n=number, site=site)
    if unwritten:
        ended += rewriter.code("_pDn = state.result", n=number)
    node.orelse = [rewriter.reset(), *ended, *unwritten, *rewriter.block(node.orelse, "")]
    free = [assign(name, constant(None)) for name in dict.fromkeys((f"_pO{number}", names))]
    return [*begin, node, *free, rewriter.reset()]


def _loop_target(rewriter: Rewriter, node: ast.For | ast.AsyncFor, number: int) -> list[ast.stmt]:
    """Have the loop assign what can be taken apart in its turns; returns the statements that do that."""
    target, item, before = node.target, load(f"_pT{number}"), rewriter.way
    rewriter.depth, rewriter.way = rewriter.depth + 1, way_of(node, "turn")
    if isinstance(target, ast.Name):
        stores = store_name(rewriter, target.id, item, target)
    else:
        stores = store(rewriter, target, load(f"_pW{number}"), item, target)
        stores.append(assign(f"_pW{number}", constant(None)))
        node.target = ast.copy_location(stored(f"_pW{number}"), target)
    rewriter.depth, rewriter.way = rewriter.depth - 1, before
    return stores


def _in_branch(rewriter: Rewriter, node: ast.stmt, site: ast.expr) -> list[ast.stmt]:
    """Return a loop outside of functions, which is a branch."""
    begin = rewriter.code("_pa_blocks.begin_branch(state, True, 0, site)", site=site)
    return [*begin, node, *rewriter.end_branch()]


def rewrite_jump(rewriter: Rewriter, node: ast.Break | ast.Continue) -> list[ast.stmt]:
    """After `break` and `continue` the control taint is as at the end of a turn."""
    if not rewriter.in_function or not rewriter.loops:
        return [node]
    depth, number, *_ = rewriter.loops[-1]
    return [_next_turn(rewriter, depth, number), node]


def rewrite_expression_statement(rewriter: Rewriter, node: ast.Expr) -> list[ast.stmt]:
    """The value is not used; what it left of code that is not rewritten is cleared away."""
    if isinstance(node.value, ast.Constant):
        return [node]
    rewriter.reading = read_names(node.value)
    node.value, taint = rewriter.expression(node.value)
    if taint is None:
        return [node]
    template = """
        if state.ambient:
            state.take()
        """
    return [node, *rewriter.code(template)]
