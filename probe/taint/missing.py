"""What a branch that is not taken would have written: names, and attributes and items of objects that are at hand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .base import Base
from .nodes import SHADOW_PREFIX, constant, load, stored, tuple_of

if TYPE_CHECKING:
    from collections.abc import Sequence

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
# Methods of built-in containers that change which items there are.
_CHANGING = frozenset(
    [
        "append",
        "appendleft",
        "add",
        "update",
        "extend",
        "insert",
        "remove",
        "discard",
        "pop",
        "popitem",
        "popleft",
        "clear",
        "setdefault",
    ]
)
# Name, attributes that lead from it to the object, attribute that is written (None: an item, or which items there are),
# key of the item if it is a constant.
Write = tuple[str, tuple[str, ...], "str | None", object]


_Written = tuple[dict[str, None], dict[Write, None]]


def written(body: Sequence[ast.stmt]) -> list[str]:
    """Return the names that `body` may give a value to."""
    return list(dict.fromkeys(name for statement in body for name in _written(statement)[0]))


def heap_writes(body: Sequence[ast.stmt]) -> list[Write]:
    """Return the attributes and items that `body` may write, of objects that names outside of it lead to."""
    own = set(written(body))
    writes = dict.fromkeys(write for statement in body for write in _written(statement)[1])
    return [write for write in writes if write[0] not in own]


def _written(node: ast.AST) -> _Written:
    """Return the names that `node` gives a value to and what else it writes; found once, before it is rewritten."""
    known: _Written | None = getattr(node, "written", None)
    if known is not None:
        return known
    names: dict[str, None] = {}
    writes: dict[Write, None] = {}
    if not isinstance(node, INNER):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
        write = _write(node)
        if write is not None:
            writes[write] = None
        for child in ast.iter_child_nodes(node):
            more_names, more_writes = _written(child)
            names.update(more_names)
            writes.update(more_writes)
    if isinstance(node, ast.stmt):
        node.written = names, writes  # type: ignore[attr-defined]
    return names, writes


def _write(node: ast.AST) -> Write | None:
    attribute: str | None = None
    key: object = None
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        owner, attribute = node.value, node.attr
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        owner = node.value
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        owner = node.func.value
    else:
        return None
    path: list[str] = []
    while isinstance(owner, ast.Attribute):
        path.insert(0, owner.attr)
        owner = owner.value
    return (owner.id, tuple(path), attribute, key) if isinstance(owner, ast.Name) else None


class Missing(Base):
    """Weak updates: what was not written, because of a decision, depends on that decision all the same."""

    weak = True
    # The statements that follow the one at hand in its block.
    rest: Sequence[ast.stmt] = ()

    def missed(self, body: Sequence[ast.stmt], taint: ast.expr) -> list[ast.stmt]:
        """Return statements that join `taint`, a local, into all that `body` would have written."""
        statements: list[ast.stmt] = [
            ast.AugAssign(stored(SHADOW_PREFIX + name), ast.BitOr(), taint)
            for name in written(body)
            if self.scope.where(name) in ("local", "free")
        ]
        return [*statements, *self._missed_on_heap(body, taint)] if self.weak else statements

    def _missed_on_heap(self, body: Sequence[ast.stmt], taint: ast.expr) -> list[ast.stmt]:
        calls: list[ast.stmt] = []
        for name, path, attribute, key in heap_writes(body):
            into = constant(self.mangled(attribute) if attribute is not None else None)
            steps = tuple_of(*(constant(self.mangled(step)) for step in path))
            if attribute is None and key is None and not path:
                told = self.tell("missed_inside", load(name), taint)
            else:
                told = self.tell("missed", load(name), steps, into, constant(key), taint)
            # The name may have no value yet: then there is no object to know anything of.
            unknown = ast.ExceptHandler(load("NameError"), None, [ast.Pass()])
            calls.append(ast.Try([told], [unknown], [], []))
        calls += [
            self.tell("missed_global", constant(f"{self.module}:{name}"), taint)
            for name in written(body)
            if self.scope.where(name) == "global" and name in self.written_globals
        ]
        return calls

    def mangled(self, name: str) -> str:
        """Return the name of an attribute as the compiler writes it inside a class."""
        raise NotImplementedError
