"""What a branch that is not taken would have written: names, and attributes and items of objects that are at hand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .base import Base
from .nodes import SHADOW_PREFIX, constant, load, stored, tuple_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


def written(body: Sequence[ast.stmt]) -> list[str]:
    """Return the names that `body` may give a value to."""
    found: dict[str, None] = {}
    for node in _own(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
    return list(found)


def heap_writes(body: Sequence[ast.stmt]) -> list[Write]:
    """Return the attributes and items that `body` may write, of objects that names outside of it lead to."""
    own = set(written(body))
    found: dict[Write, None] = {}
    for node in _own(body):
        write = _write(node)
        if write is not None and write[0] not in own:
            found[write] = None
    return list(found)


def _own(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop(0)
        if not isinstance(node, INNER):
            yield node
            todo.extend(ast.iter_child_nodes(node))


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
