"""Counts how often functions are entered, branches taken and loops turned, by rewriting counters in.

A counter is a slot of an object, one object per module: adding to it is cheaper than to an element of a list. What
it says has no noise: the same program with the same options and the same workload gives the same counts. Counts of
threads that run at the same time may be short of a few.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Any

from .functions import SourceFile
from .rewriting import Hook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import TypeAlias

    _Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

COUNTS_VERSION = 1
# Found through the builtins. Two leading underscores would be mangled inside classes.
_PREFIX = "_pa_counts_"

# For each rewritten module the object that holds its counters, and line, column and kind of each.
_modules: list[tuple[str, str, Any, list[tuple[int, int, str]]]] = []


class Counters(ast.NodeTransformer):
    """Puts counters into the functions of one module; statements that count have the attribute `counter`."""

    def __init__(self, module: str, path: str) -> None:
        self._module = module
        self._path = path
        self._inside = 0
        self._name = f"{_PREFIX}{len(_modules)}"
        self._sites: list[tuple[int, int, str]] = []

    def counted(self, tree: ast.Module) -> ast.Module:
        """Return `tree` with counters, and make them known to the code that will have them."""
        tree = self.visit(tree)
        slots = tuple(f"n{at}" for at in range(len(self._sites)))
        holder = type("Counts", (), {"__slots__": slots})()
        _modules.append((self._module, self._path, holder, self._sites))
        _reset(holder, len(slots))
        setattr(builtins, self._name, holder)
        return tree

    def _increment(self, node: ast.AST, kind: str, beside: ast.stmt) -> ast.stmt:
        self._sites.append((node.lineno, node.col_offset, kind))  # type: ignore[attr-defined]
        slot = ast.Attribute(ast.Name(self._name, ast.Load()), f"n{len(self._sites) - 1}", ast.Store())
        statement = ast.AugAssign(slot, ast.Add(), ast.Constant(1))
        statement.counter = True  # type: ignore[attr-defined]
        return ast.fix_missing_locations(ast.copy_location(statement, beside))

    def _counted(self, node: ast.AST, kind: str, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self._increment(node, kind, body[0]), *body] if body and self._inside else body

    def _function(self, node: _Definition) -> ast.AST:
        self._inside += 1
        self.generic_visit(node)
        at = 1 if ast.get_docstring(node, clean=False) is not None else 0
        rest = node.body[at:]
        entry = self._increment(node, "call", rest[0] if rest else node.body[0])
        node.body = [*node.body[:at], entry, *rest]
        self._inside -= 1
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Count entries."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Count entries."""
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Count in methods only: a class body runs once."""
        inside, self._inside = self._inside, 0
        self.generic_visit(node)
        self._inside = inside
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """Count each branch that is there; an `elif` counts as the `if` that it is."""
        self.generic_visit(node)
        follows = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        if node.orelse and not follows:
            node.orelse = self._counted(node, "else", node.orelse)
        node.body = self._counted(node, "if", node.body)
        return node

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body = self._counted(node, "turn", node.body)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """Count turns."""
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        """Count turns."""
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Count turns."""
        return self._loop(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """Count what is caught."""
        self.generic_visit(node)
        node.body = self._counted(node, "except", node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """Count the case that is taken."""
        self.generic_visit(node)
        node.body = self._counted(node.pattern, "case", node.body)
        return node


def _reset(holder: object, count: int) -> None:
    for at in range(count):
        setattr(holder, f"n{at}", 0)


def install(packages: Sequence[str]) -> Hook:
    """Have counters put into the modules of `packages` from now on; returns the hook."""
    hook = Hook(packages, compiled)
    hook.install()
    return hook


def compiled(source: bytes, module: str, path: str) -> CodeType:
    """Return the code of a module's `source` with counters in it."""
    tree = Counters(module, path).counted(ast.parse(source, path))
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def clear() -> None:
    """Begin to count from 0."""
    for _, _, holder, sites in _modules:
        _reset(holder, len(sites))


def counted() -> dict[str, Any]:
    """Return what was counted as plain JSON values: for each region [line, column, kind, count] of its counters.

    Counters at 0 are left out. Lines and columns are those of the statement that is counted.
    """
    regions: dict[str, list[list[Any]]] = {}
    for module, path, holder, sites in _modules:
        file: SourceFile | None = None
        for at, (line, column, kind) in enumerate(sites):
            count = getattr(holder, f"n{at}")
            if count:
                file = file or SourceFile(module, path)
                regions.setdefault(file.function_at(line, "").key, []).append([line, column, kind, count])
    return {"version": COUNTS_VERSION, "regions": {key: sorted(regions[key]) for key in sorted(regions)}}
