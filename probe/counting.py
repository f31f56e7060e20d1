"""Counts how often functions are entered, branches taken and loops turned, by rewriting counters in.

A counter is an iterator with very many empty tuples, and to count is to take one of them: `for () in counter: break`.
That is half the price of adding to a number wherever it is kept, binds no name, and no thread can come between. What
it says has no noise: the same program with the same options and the same workload gives the same counts.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import sys
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from .functions import RegionIndex
from .instrumented import InstrumentedCode
from .rewriting import RewritingHook

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType
    from typing import TypeAlias

    _Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
    _Site: TypeAlias = tuple[int, int, str, str]

COUNTS_VERSION = 1
# Found through the builtins. Two leading underscores would be mangled inside classes.
_PREFIX = "_pa_counts_"

_FULL = sys.maxsize


class ModuleCounters:
    """The counters of one rewritten module; `sites` has line, column, kind and region of each."""

    def __init__(self, name: str, source: bytes) -> None:
        # The same in every process, for code is kept, and another one for another module or source.
        self._prefix = f"{_PREFIX}{hashlib.sha256(name.encode() + source).hexdigest()[:24]}_"
        self.sites: list[_Site] = []
        self._counters: list[repeat[tuple[()]]] = []
        self._before: list[int] = []

    def counter(self, site: _Site) -> str:
        """Return the name under which code finds a new counter."""
        name = f"{self._prefix}{len(self.sites)}"
        self.sites.append(site)
        self._counters.append(repeat((), _FULL))
        self._before.append(_FULL)
        setattr(builtins, name, self._counters[-1])
        return name

    def clear(self) -> None:
        """Begin to count from 0."""
        self._before = [counter.__length_hint__() for counter in self._counters]

    def counts(self) -> list[int]:
        """Return the count of each counter, in the order of `sites`."""
        now = (counter.__length_hint__() for counter in self._counters)
        return [before - left for before, left in zip(self._before, now, strict=True)]


_modules: list[ModuleCounters] = []
# The files that these are of.
FILES: set[str] = set()


class CounterInserter(ast.NodeTransformer):
    """Puts counters into the functions of one module; statements that count have the attribute `counter`."""

    def __init__(self, module: str, source: bytes) -> None:
        self.module = ModuleCounters(module, source)
        self._name = module
        self._inside = 0

    def counted(self, tree: ast.Module) -> ast.Module:
        """Return `tree` with counters, which the compiled code finds in the builtins."""
        self._regions = RegionIndex(self._name, tree)
        tree = self.visit(tree)
        _modules.append(self.module)
        return tree

    def _increment(self, node: ast.AST, kind: str, beside: ast.stmt) -> ast.stmt:
        line: int = node.lineno  # type: ignore[attr-defined]
        name = self.module.counter((line, node.col_offset, kind, self._regions.key_at(line)))  # type: ignore[attr-defined]
        statement = ast.For(
            target=ast.Tuple([], ast.Store()),
            iter=ast.Name(name, ast.Load()),
            body=[ast.Break()],
            orelse=[],
        )
        statement.counter = True  # type: ignore[attr-defined]
        return ast.fix_missing_locations(ast.copy_location(statement, beside))

    def _counted(self, node: ast.AST, kind: str, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self._increment(node, kind, body[0]), *body] if body and self._inside else body

    def visit_FunctionDef(self, node: _Definition) -> ast.AST:
        """Count entries."""
        self._inside += 1
        self.generic_visit(node)
        at = 1 if ast.get_docstring(node, clean=False) is not None else 0
        rest = node.body[at:]
        entry = self._increment(node, "call", rest[0] if rest else node.body[0])
        node.body = [*node.body[:at], entry, *rest]
        self._inside -= 1
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

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

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        """Count turns."""
        self.generic_visit(node)
        node.body = self._counted(node, "turn", node.body)
        return node

    visit_AsyncFor = visit_While = visit_For  # noqa: N815

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


def install(packages: Sequence[str], kept: str | None = None, made: str | None = None) -> RewritingHook:
    """Have counters put into the modules of `packages` from now on; returns the hook. See `compiled`."""
    hook = RewritingHook(packages, partial(compiled, kept=kept, made=made))
    hook.install()
    return hook


def compiled(
    source: bytes, module: str, path: str, kept: str | None = None, made: str | None = None
) -> CodeType:
    """Return the code of a module's `source` with counters in it.

    `kept` and `made`: see `instrumented.InstrumentedCode`.
    """
    folders = InstrumentedCode(kept, made)
    name = folders.name(f"{module} {path}", source)
    found = folders.read(name, parts=2)
    code: CodeType
    if found is not None:
        sites, code = found
        note_counters(module, source, sites)
    else:
        inserter = CounterInserter(module, source)
        code = compile(inserter.counted(ast.parse(source, path)), path, "exec", dont_inherit=True)
        folders.leave(name, (inserter.module.sites, code))
    FILES.add(path)
    return code


def note_counters(module: str, source: bytes, sites: Iterable[_Site]) -> None:
    """Make the counters of code that was kept, as they were made with it."""
    known = ModuleCounters(module, source)
    for site in sites:
        known.counter(site)
    _modules.append(known)


def clear() -> None:
    """Begin to count from 0."""
    for module in _modules:
        module.clear()


def counted() -> dict[str, Any]:
    """Return what was counted as plain JSON values: for each region [line, column, kind, count] of its counters.

    Counters at 0 are left out. Lines and columns are those of the statement that is counted.
    """
    regions: dict[str, list[list[Any]]] = {}
    for module in _modules:
        for (line, column, kind, region), count in zip(module.sites, module.counts(), strict=True):
            if count:
                regions.setdefault(region, []).append([line, column, kind, count])
    return {"version": COUNTS_VERSION, "regions": {key: sorted(regions[key]) for key in sorted(regions)}}
