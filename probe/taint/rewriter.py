"""The rewriting of whole modules."""

from __future__ import annotations

import ast
import builtins
import operator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..counting import CounterInserter  # noqa: TID252 - the probe runs under another name
from .assigning import Assigning
from .calling import Calling
from .calls import NOTHING
from .comprehending import Comprehending
from .controlling import Controlling
from .defining import Defining
from .expressions import Expressions
from .heap import ATOMS, CLASS_NAMES, SHADOWS
from .nodes import (
    ATOMS_SET,
    CLASS_NAMES_TABLE,
    DEFAULTS_TABLE,
    GLOBAL_TABLE,
    HERE,
    IDENTITY,
    LAST,
    LENGTH,
    NO_KEY,
    OPERATOR,
    SHADOW_TABLE,
    STEPS,
    TYPE,
    UNDER,
)
from .nodes import NOTHING as NOTHING_NAME
from .protecting import Protecting
from .records import RECORD
from .signatures import DEFAULTS, register
from .state import ThreadStates
from .stores import GLOBALS
from .values import NOT_A_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType

    from .scopes import NameScope

STATES = ThreadStates()


class Operators:
    """The functions of `operator`, and those for which it has no name."""

    def __getattr__(self, name: str) -> object:
        found = getattr(operator, name)
        setattr(self, name, found)
        return found

    @staticmethod
    def isin(item: object, container: object) -> bool:
        """Do `item in container`."""
        return item in container  # type: ignore[operator]

    @staticmethod
    def notin(item: object, container: object) -> bool:
        """Do `item not in container`."""
        return item not in container  # type: ignore[operator]


def install_names() -> None:
    """Make what rewritten code uses known to it, through the builtins: no module gets a new name."""
    for name, value in {
        HERE: STATES, SHADOW_TABLE: SHADOWS, IDENTITY: id, GLOBAL_TABLE: GLOBALS, CLASS_NAMES_TABLE: CLASS_NAMES, OPERATOR: Operators(),
        NOTHING_NAME: NOTHING, NO_KEY: NOT_A_KEY, STEPS: RECORD.steps, UNDER: RECORD.under, LAST: RECORD.last, ATOMS_SET: ATOMS, DEFAULTS_TABLE: DEFAULTS, "_pa_slice": slice, "_pa_list": list, "_pa_tuple": tuple,
        "_pa_set": set, "_pa_any_error": BaseException, TYPE: type, LENGTH: len,
    }.items():  # fmt: skip
        setattr(builtins, name, value)


class Rewriter(Defining, Calling, Expressions, Comprehending, Assigning, Controlling, Protecting):
    """Rewrites one module."""

    def module_body(self, tree: ast.Module) -> ast.Module:
        """Return `tree`, rewritten in place."""
        self.written_globals = frozenset(_written_globals(tree))
        self.own_isinstance = any(
            "isinstance" in (getattr(node, "name", None), getattr(node, "id", None))
            and not isinstance(getattr(node, "ctx", None), ast.Load)
            for node in ast.walk(tree)
        )
        tree.body = self.block(tree.body)
        return ast.fix_missing_locations(tree)

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements; those that are not known stay as they are."""
        rewritten: list[ast.stmt] = []
        for at, statement in enumerate(body):
            self.rest = body[at + 1 :]
            method = None if getattr(statement, "counter", False) else self.visit("do", statement)
            made: list[ast.stmt] = [statement] if method is None else method(statement)
            for one in made:
                if not hasattr(one, "lineno"):
                    ast.copy_location(one, statement)
            rewritten += made
        return rewritten

    @contextmanager
    def inside(self, scope: NameScope, name: str) -> Iterator[None]:
        """Rewrite the body of a function or class called `name`."""
        before = (
            self.scope, self.depth, self.loops, self.generator, self.function, self.first_parameter, self.walrus,
            getattr(self, "signature", None),
        )  # fmt: skip
        self.scope, self.depth, self.loops, self.walrus = scope, 0, [], True
        prefix = "" if self.function == "<module>" else f"{self.function.partition(':')[2]}."
        self.function = f"{self.module}:{prefix}{name}"
        try:
            yield
        finally:
            (
                self.scope, self.depth, self.loops, self.generator, self.function, self.first_parameter, self.walrus,
                self.signature,
            ) = before  # type: ignore[assignment]  # fmt: skip


def _written_globals(tree: ast.Module) -> set[str]:
    """Return the module's names whose taint is worth asking for: assigned there, imported, or declared global."""
    found: set[str] = set()
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in node.names)
        todo.extend(ast.iter_child_nodes(node))
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Global):
            found.update(inner.names)
    return found


def compiled(source: bytes, module: str, path: str, *, weak: bool = True) -> CodeType:
    """Return the code of a module's `source`, rewritten, with counters in it; its functions are registered.

    `weak`: what a path that is not taken would have written is followed, on the heap too.
    """
    tree = CounterInserter(module, source).counted(ast.parse(source, path))
    lines = source.decode("utf-8", errors="replace").splitlines()
    rewriter = Rewriter(module, path, lines)
    rewriter.weak = weak
    tree = rewriter.module_body(tree)
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    register(code)
    return code
