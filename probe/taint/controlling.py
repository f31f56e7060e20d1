"""Rewriting of control flow: decisions, and what stays under their taint."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .base import read_names
from .missing import INNER, Missing
from .nodes import (
    DEPTH,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOPS = (ast.For, ast.While, ast.AsyncFor)


def exits(body: Sequence[ast.stmt]) -> set[type[ast.stmt]]:
    """Return how `body` may be left early: Return, and Break or Continue of a loop around it."""
    return {way for statement in body for way in _exits(statement)}


def _exits(node: ast.AST) -> set[type[ast.stmt]]:
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
                found |= _exits(child)
    if isinstance(node, _LOOPS):
        found &= {ast.Return}
    node.exits = found  # type: ignore[attr-defined]
    return found


class Controlling(Missing):
    """`if`, loops, `assert`, `break`, `continue`."""

    def do_if(self, node: ast.If) -> list[ast.stmt]:
        """Both branches are under the taint of the test; what the other one would have written, too."""
        site = self.decision(node, "if", node.test)
        value, taint = self.test_of(node.test)
        if not self.in_function:
            node.test = ast.copy_location(self.ask("branch", *self.holding(value, taint), site), value)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [node, self.tell("join")]
        number = self.number()
        node.test = value
        tested = self._kept_test(number, value, taint)
        body, other, rest = node.body, node.orelse, self.rest if self.weak else []
        early = exits([*body, *other])
        held = load(f"{DEPTH}{number}")
        # Who leaves early misses what follows, too.
        by_body = self.missed([*other, *(rest if exits(body) else [])], held)
        by_other = self.missed([*body, *(rest if exits(other) else [])], held)
        self.depth += 1
        node.body = [*self._under(number, tested, site, early, by_body), *self.block(body)]
        node.orelse = self._under(number, tested, site, early, by_other) + (
            self.block(other) if other else []
        )
        self.depth -= 1
        node.body, node.orelse = without_reset(node.body), without_reset(node.orelse)
        return [node, self.reset()]

    def _under(
        self,
        number: int,
        tested: list[ast.stmt],
        site: ast.expr,
        early: set[type[ast.stmt]],
        missed: list[ast.stmt],
    ) -> list[ast.stmt]:
        """Return what a branch begins with; `self.depth` is already that of the branch."""
        held = f"{DEPTH}{number}"
        sticky: list[ast.stmt] = [
            ast.AugAssign(stored(name), ast.BitOr(), load(held)) for name in self._sticking(early)
        ]
        sticky += missed
        outer = load(f"_pC{self.depth - 1}")
        return [
            *tested,
            ast.If(load(held), [*self.decide(site, held), *sticky], [self.decide_without(site)]),
            assign(f"_pC{self.depth}", ast.BinOp(outer, ast.BitOr(), load(held))),
        ]

    def _kept_test(
        self, number: int, value: ast.expr, taint: ast.expr | None, *more: ast.expr
    ) -> list[ast.stmt]:
        """Return statements that keep the taint of a test, joined with `more`, right after it was evaluated."""
        held = f"{DEPTH}{number}"
        keep = assign(held, known(join(taint, *more)))
        if isinstance(taint, ResultTaint) or never_calls(value):
            return [keep]
        # A `__bool__` or `__len__` of the program may have been asked.
        joined = assign(held, self.ask("with_ambient", load(held)))
        return [keep, ast.If(self.field("amb"), [joined], [])]

    def _sticking(self, early: set[type[ast.stmt]]) -> list[str]:
        """Return the control taints that stay changed where a branch may leave the function or loop."""
        if ast.Return in early:
            names = [f"_pC{depth}" for depth in range(self.depth)]
            return names + [f"_pL{number}" for _, number in self.loops]
        if not early or not self.loops:
            return []
        depth, number = self.loops[-1]
        names = [f"_pC{inner}" for inner in range(depth + 1, self.depth)]
        return names + ([f"_pL{number}"] if ast.Break in early else [])

    def do_while(self, node: ast.While) -> list[ast.stmt]:
        """The test is a decision at every turn; leaving early joins all further turns."""
        site = self.decision(node, "while", node.test)
        number = self.number()
        if not self.in_function:
            node.test = ast.copy_location(self.ask("test", *self.tested(node.test), site), node.test)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            return [self.tell("branch", constant(True), constant(0), site), node, self.tell("join")]
        value, taint = self.test_of(node.test)
        sticky, held = f"_pL{number}", f"{DEPTH}{number}"
        missed = self._missed_by_ending(node.body, number)
        node.test = ast.copy_location(value, node.test)
        # The taint is read before anything else is evaluated.
        tested = [
            *self._kept_test(number, value, taint, load(sticky)),
            ast.If(load(held), self.decide(site, held), [self.decide_without(site)]),
        ]
        node.body = [*tested, *self._turn(number, load(held), node.body)]
        node.orelse = [*tested, self.reset(), *missed, *self.block(node.orelse)]
        return [assign(sticky, constant(0)), node, self.reset()]

    def _missed_by_ending(self, body: list[ast.stmt], number: int) -> list[ast.stmt]:
        """Return what a loop's end begins with: the turns that it does not take depend on what ended it."""
        held = load(f"{DEPTH}{number}")
        missed = self.missed(body, held) if self.weak else []
        return [ast.If(held, missed, [])] if missed else []

    def _turn(self, number: int, taint: ast.expr, body: list[ast.stmt], *before: ast.stmt) -> list[ast.stmt]:
        """Return the body of a loop."""
        sticky = f"_pL{number}"
        outer = self.control()
        self.loops.append((self.depth, number))
        self.depth += 1
        begin = assign(f"_pC{self.depth}", known(join(outer, taint, load(sticky))))
        rewritten = without_reset([begin, self.reset(), *before, *self.block(body)])
        self.depth -= 1
        self.loops.pop()
        return [*rewritten, self.reset()]

    def do_for(self, node: ast.For | ast.AsyncFor) -> list[ast.stmt]:
        """Each turn is under the taint of its item; the end of the loop is a decision of its own."""
        site = self.decision(node, "for", node.iter)
        self.reading = read_names(node.iter)
        value, taint = self.expression(node.iter)
        number = self.number()
        names, source, item = f"_pV{number}", f"_pI{number}", f"_pT{number}"
        if not self.in_function:
            return self._loop_outside(node, value, taint)
        begin: list[ast.stmt] = [
            assign(f"_pL{number}", constant(0)),
            assign(f"_pO{number}", value),
            assign(f"_pB{number}", known(taint)),
        ]
        if isinstance(node, ast.AsyncFor):
            begin.append(assign(source, self.ask("steady", load(f"_pB{number}"))))
            node.iter = ast.copy_location(load(f"_pO{number}"), node.iter)
        else:
            pair = ast.Tuple([stored(names), stored(source)], ast.Store())
            begin.append(ast.Assign([pair], self.ask("loop", load(f"_pO{number}"), load(f"_pB{number}"))))
            node.iter = ast.copy_location(load(names), node.iter)
        missed = self._missed_by_ending(node.body, number)
        target, stores = self._target(node.target, number)
        node.target = target
        node.body = [
            self.reset(),
            *self._item_of(number, site),
            *self._turn(number, load(item), node.body, *stores),
        ]
        joined = known(join(load(f"_pB{number}"), load(f"_pL{number}")))
        ended = self.tell("exhausted", load(f"_pO{number}"), load(source), joined, site)
        if missed:
            missed.insert(0, assign(f"{DEPTH}{number}", self.field("t")))
        node.orelse = [self.reset(), ended, *missed, *self.block(node.orelse)]
        free = [assign(f"_pO{number}", constant(None))]
        if isinstance(node, ast.For):
            free.append(assign(names, constant(None)))
        return [*begin, node, *free, self.reset()]

    def _item_of(self, number: int, site: ast.expr) -> list[ast.stmt]:
        """Return statements that keep the taint of the item that a loop has just got, and decide by it."""
        item, source, taint = f"_pT{number}", load(f"_pI{number}"), load(f"_pB{number}")
        return [
            assign(item, ast.BinOp(attribute(source, "t"), ast.BitOr(), taint)),
            ast.If(self.field("amb"), [assign(item, self.ask("item_of", source, taint))], []),
            ast.If(load(item), self.decide(site, item), [self.decide_without(site)]),
        ]

    def _target(self, target: ast.expr, number: int) -> tuple[ast.expr, list[ast.stmt]]:
        """Return what the loop itself assigns, and the statements that do the rest."""
        item = f"_pT{number}"
        self.depth += 1
        if isinstance(target, ast.Name):
            stores = self.store_name(target.id, load(item), target)
        else:
            stores = self.store(target, load(f"_pW{number}"), load(item), target)
            stores.append(assign(f"_pW{number}", constant(None)))
            target = ast.copy_location(stored(f"_pW{number}"), target)
        self.depth -= 1
        return target, stores

    def _loop_outside(
        self, node: ast.For | ast.AsyncFor, value: ast.expr, taint: ast.expr | None
    ) -> list[ast.stmt]:
        node.iter = ast.copy_location(
            self.ask("items_outside", value, known(taint), self.site(node, "for")), value
        )
        names = [
            one.id
            for one in ast.walk(node.target)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        ]
        stores = [statement for name in names for statement in self.store_name(name, self.field("t"), node)]
        node.body = [*stores, *self.block(node.body)]
        node.orelse = self.block(node.orelse)
        return [
            self.tell("branch", constant(True), constant(0), self.site(node, "for")),
            node,
            self.tell("join"),
        ]

    do_asyncfor = do_for

    def do_assert(self, node: ast.Assert) -> list[ast.stmt]:
        """The test is a decision; its failure is a raise, which does not stick."""
        node.test = ast.copy_location(
            self.ask("note", *self.tested(node.test), self.site(node, "assert")), node.test
        )
        return [node]

    def _leave_loop(self, node: ast.Break | ast.Continue) -> list[ast.stmt]:
        if not self.in_function or not self.loops:
            return [node]
        outer = ast.BinOp(load("_pE"), ast.BitOr(), load(f"_pC{self.loops[-1][0]}"))
        return [ast.If(self.field("c"), [ast.Assign([self.field("c", ast.Store())], outer)], []), node]

    do_Break = do_Continue = _leave_loop  # noqa: N815

    def do_raise(self, node: ast.Raise) -> list[ast.stmt]:
        """A raise does not stick: else every option that is validated would be in every region."""
        if node.exc is not None:
            node.exc = self.expression(node.exc)[0]
        if node.cause is not None:
            node.cause = self.expression(node.cause)[0]
        return [node]

    def do_expr(self, node: ast.Expr) -> list[ast.stmt]:
        """The value is not used; what it left of code that is not rewritten is cleared away."""
        if isinstance(node.value, ast.Constant):
            return [node]
        node.value, taint = self.expression(node.value)
        return [node] if taint is None else [node, ast.If(self.field("amb"), [self.tell("take")], [])]
