"""Rewriting of comprehensions and generator expressions."""

from __future__ import annotations

import ast

from .base import Base, Rewritten
from .nodes import SHADOW_PREFIX, constant, known, stored, tuple_of
from .scopes import NameScope


def shape_of(target: ast.expr) -> ast.expr:
    """Return the form of a target: None for one whose value is kept whole, a tuple of such for the others."""
    if isinstance(target, (ast.Tuple, ast.List)) and not any(
        isinstance(part, ast.Starred) for part in target.elts
    ):
        return tuple_of(*(shape_of(part) for part in target.elts))
    return constant(None)


def shadow_target(target: ast.expr, spare: str) -> ast.expr:
    """Return a target of the same form for the taints; `spare` takes those of what is no name."""
    if isinstance(target, ast.Name):
        return stored(SHADOW_PREFIX + target.id)
    if isinstance(target, (ast.Tuple, ast.List)) and not any(
        isinstance(part, ast.Starred) for part in target.elts
    ):
        return ast.Tuple([shadow_target(part, spare) for part in target.elts], ast.Store())
    return stored(spare)


class Comprehending(Base):
    """Comprehensions: each item has the taint of what it came from and of the conditions that kept it."""

    def of_listcomp(self, node: ast.ListComp) -> Rewritten:
        """A list keeps a taint per item."""
        return self._collected(node, [node.elt])

    def of_setcomp(self, node: ast.SetComp) -> Rewritten:
        """A set joins the taints of its items."""
        return self._collected(node, [node.elt])

    def of_dictcomp(self, node: ast.DictComp) -> Rewritten:
        """A dict keeps a taint per value."""
        return self._collected(node, [node.key, node.value])

    def _collected(self, node: ast.ListComp | ast.SetComp | ast.DictComp, parts: list[ast.expr]) -> Rewritten:
        scope = self.scope
        if not self._generators(node.generators):
            self.scope = scope
            return node, None
        rewritten = [self.expression(part) for part in parts]
        last = ast.copy_location(self.ask("logged", rewritten[-1][0], known(rewritten[-1][1])), parts[-1])
        if isinstance(node, ast.DictComp):
            node.key, node.value = rewritten[0][0], last
        else:
            node.elt = last
        self.scope = scope
        return self.ask("end_log", self.ask("begin_log"), node), self.result()

    def of_generatorexp(self, node: ast.GeneratorExp) -> Rewritten:
        """A generator expression yields: its items leave their taints as those of generators do."""
        scope = self.scope
        if not self._generators(node.generators):
            self.scope = scope
            return node, None
        value, taint = self.expression(node.elt)
        node.elt = ast.copy_location(self.ask("hand_over", value, known(taint)), node.elt)
        self.scope = scope
        return node, None

    def _generators(self, generators: list[ast.comprehension]) -> bool:
        """Rewrite the loops; False where one is asynchronous: those are left as they are."""
        inner = NameScope("comprehension", self.scope)
        if any(one.is_async for one in generators):
            return False
        walrus = self.walrus
        for at, one in enumerate(generators):
            self.walrus = False
            value, taint = self.expression(one.iter)
            self.walrus = walrus
            if at == 0:
                self.scope = inner
            for target in ast.walk(one.target):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    inner.names.add(target.id)
            spare = f"_pN{self.number()}"
            one.iter = ast.copy_location(
                self.ask(
                    "pairs",
                    value,
                    known(taint),
                    self.site(one.iter, "comprehension"),
                    shape_of(one.target),
                    constant(sum(len(inner.ifs) for inner in generators)),
                ),
                one.iter,
            )
            self._starred(one.target, inner)
            one.target = ast.Tuple([one.target, shadow_target(one.target, spare)], ast.Store())
            one.ifs = [
                ast.copy_location(
                    self.ask("keep", *self.tested(test), self.site(test, "comprehension if")), test
                )
                for test in one.ifs
            ]
        return True

    def _starred(self, target: ast.expr, inner: NameScope) -> None:
        """Names inside of a target that is not taken apart have no shadow of their own."""
        if isinstance(target, (ast.Tuple, ast.List)):
            whole = any(isinstance(part, ast.Starred) for part in target.elts)
            for part in target.elts:
                if whole:
                    inner.untracked.update(one.id for one in ast.walk(part) if isinstance(one, ast.Name))
                else:
                    self._starred(part, inner)
