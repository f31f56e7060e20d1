"""What a branch that is not taken would have written: names, and attributes and items of objects that are at hand."""

import ast
from collections.abc import Sequence

from .nodes import add, constant, load, tuple_of
from .rewriter import Rewriter
from .signatures import SHADOW_PREFIX

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
# Methods of built-in containers that change which items there are.
_CHANGING = frozenset(
    {
        "append", "appendleft", "add", "update", "extend", "insert", "remove", "discard", "pop", "popitem", "popleft",
        "clear", "setdefault",
    }
)  # fmt: skip
# Name, attributes that lead from it to the object, attribute that is written (None: an item, or which items there are),
# key of the item if it is a constant.
Write = tuple[str, tuple[str, ...], "str | None", object]


_Written = tuple[dict[str, None], dict[Write, None]]


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


def weak_writes(rewriter: Rewriter, body: Sequence[ast.stmt], taint: ast.expr) -> list[ast.stmt]:
    """Return statements that join `taint`, a local, into all that `body` would have written."""
    names = dict.fromkeys(name for statement in body for name in _written(statement)[0])
    statements: list[ast.stmt] = [
        add(SHADOW_PREFIX + name, taint) for name in names if rewriter.scope.where(name) in ("local", "free")
    ]
    if not rewriter.weak:
        return statements
    for name, path, attribute, key in dict.fromkeys(one for part in body for one in _written(part)[1]):
        if name in names:
            # The object has no name outside of `body`.
            continue
        into = constant(rewriter.mangled(attribute) if attribute is not None else None)
        steps = tuple_of(*(constant(rewriter.mangled(step)) for step in path))
        if attribute is None and key is None and not path:
            write = rewriter.emit_statement("stores.weak_write_content", load(name), taint)
        else:
            given = load(name), steps, into, constant(key), taint
            write = rewriter.emit_statement("stores.weak_write", *given)
        # The name may have no value yet: then there is no object to know anything of.
        template = """
            try:
                write
            except NameError:
                pass
            """
        statements += rewriter.code(template, write=[write])
    statements += [
        rewriter.emit_statement("stores.weak_write_global", constant(f"{rewriter.module}:{name}"), taint)
        for name in names
        if rewriter.scope.where(name) == "global" and name in rewriter.written_globals
    ]
    return statements


def guarded_weak_writes(rewriter: Rewriter, body: Sequence[ast.stmt], taint: ast.expr) -> list[ast.stmt]:
    """Return such statements for what a loop's further turns, or the other cases of a `match`, would have written.

    They run only where there is a taint; there are none if weak updates are switched off.
    """
    writes = weak_writes(rewriter, body, taint) if rewriter.weak else []
    template = """
        if taint:
            writes
        """
    return rewriter.code(template, taint=taint, writes=writes) if writes else []
