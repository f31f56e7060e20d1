"""Rewriting of `try`, `with` and `match`."""

from __future__ import annotations

import ast

from .missing import Missing
from .nodes import DEPTH, assign, constant, join, known, load, stored


class Protecting(Missing):
    """Blocks that catch, clean up or match."""

    def do_try(self, node: ast.Try) -> list[ast.stmt]:
        """A handler is under the taint of the raise; `finally` keeps what was about to be returned."""
        number = self.number()
        node.body = self.block(node.body)
        for handler in node.handlers:
            handler.type = self.expression(handler.type)[0] if handler.type is not None else None
            site = self.site(handler, "except")
            # The calls under way around a generator are other ones after each yield.
            depth = constant(None) if self.generator else load(f"_pN{number}")
            caught = self.ask("caught", self.all_control(), depth, site)
            if not self.in_function:
                handler.body = [
                    self.tell("caught", self.all_control(), constant(None), site),
                    *self.block(handler.body),
                ]
                continue
            outer = self.control()
            self.depth += 1
            begin: list[ast.stmt] = [
                assign(f"_pC{self.depth}", ast.BinOp(outer, ast.BitOr(), caught)),
                self.reset(),
            ]
            if handler.name:
                begin += self.store_name(handler.name, None, handler)
            handler.body = [*begin, *self.block(handler.body)]
            self.depth -= 1
        node.orelse = self.block(node.orelse)
        if node.finalbody:
            node.finalbody = self._finally(node.finalbody, number)
        if not self.in_function:
            return [node]
        begun = assign(f"_pN{number}", self.ask("depth"))
        return [begun, node, self.reset()]

    def _finally(self, body: list[ast.stmt], number: int) -> list[ast.stmt]:
        """What is about to be returned has left its taint, what is about to be raised that of its raise."""
        if not self.in_function:
            return self.block(body)
        kept, control = f"_pF{number}", f"_pG{number}"
        return [
            assign(kept, self.field("t")),
            assign(control, self.field("c")),
            ast.Assign([self.field("c", ast.Store())], self.all_control()),
            *self.block(body),
            ast.Assign([self.field("t", ast.Store())], load(kept)),
            ast.Assign([self.field("c", ast.Store())], load(control)),
        ]

    do_trystar = do_try

    def do_with(self, node: ast.With | ast.AsyncWith) -> list[ast.stmt]:
        """What is entered has the taint of its manager and of what `__enter__` left."""
        for at, item in enumerate(node.items[:-1]):
            if item.optional_vars is not None and not isinstance(item.optional_vars, ast.Name):
                # What is taken apart here may be used by the managers that follow.
                rest = ast.copy_location(type(node)(node.items[at + 1 :], node.body), node)
                node.items, node.body = node.items[: at + 1], [rest]
                break
        begin: list[ast.stmt] = []
        for item in node.items:
            item.context_expr, taint = self.expression(item.context_expr)
            if item.optional_vars is None:
                continue
            entered = known(join(taint, self.result()))
            if isinstance(item.optional_vars, ast.Name):
                begin += self.store_name(item.optional_vars.id, entered, item.context_expr)
            elif self.in_function:
                number = self.number()
                target = item.optional_vars
                item.optional_vars = ast.copy_location(stored(f"_pV{number}"), target)
                begin.append(assign(f"_pT{number}", entered))
                begin += self.store(target, load(f"_pV{number}"), load(f"_pT{number}"), node)
                begin.append(assign(f"_pV{number}", constant(None)))
        node.body = [self._without_our_frames([*begin, self.reset(), *self.block(node.body)])]
        return [node, self.reset()]

    do_asyncwith = do_with

    def _without_our_frames(self, body: list[ast.stmt]) -> ast.stmt:
        """Return `body` so that a manager is handed the program's own traceback."""
        handler = ast.ExceptHandler(load("_pa_any_error"), None, [self.tell("raised"), ast.Raise(None, None)])
        return ast.Try(body, [handler], [], [])

    def do_match(self, node: ast.Match) -> list[ast.stmt]:
        """Which case is taken is a decision about the subject; guards are decisions of their own."""
        site = self.decision(node, "match", node.subject)
        value, taint = self.expression(node.subject)
        number = self.number()
        if not self.in_function:
            node.subject = ast.copy_location(self.ask("match_outside", value, known(taint), site), value)
            for case in node.cases:
                case.guard = self.expression(case.guard)[0] if case.guard is not None else None
                case.body = self.block(case.body)
            return [node, self.tell("join")]
        subject, held = f"_pV{number}", f"{DEPTH}{number}"
        begin: list[ast.stmt] = [
            assign(subject, value),
            assign(held, known(taint)),
            assign(held, self.ask("matched", load(subject), load(held), site)),
        ]
        node.subject = ast.copy_location(load(subject), value)
        outer = self.control()
        missed = (
            self.missed([one for case in node.cases for one in case.body], load(held)) if self.weak else []
        )
        self.depth += 1
        # Guards run before a case has begun.
        begin.append(assign(f"_pC{self.depth}", outer))
        for case in node.cases:
            if case.guard is not None:
                guard = self.ask("note_into", *self.tested(case.guard), self.site(case.guard, "guard"))
                case.guard = ast.copy_location(guard, case.guard)
            names = [
                name
                for inner in ast.walk(case.pattern)
                for name in [getattr(inner, "name", None) or getattr(inner, "rest", None)]
                if isinstance(name, str)
            ]
            stores = [one for name in names for one in self.store_name(name, load(held), case.pattern)]
            under = assign(f"_pC{self.depth}", known(join(outer, load(held), self.field("which_case"))))
            case.body = [under, self.reset(), *stores, *self.block(case.body)]
        self.depth -= 1
        ended = [ast.If(load(held), missed, [])] if missed else []
        return [*begin, node, *ended, assign(subject, constant(None)), self.tell("matched_all"), self.reset()]
