"""Rewriting of assignments and of what else gives values to names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import constant, in_place_name, join, known, load
from .rewrite_expressions import key_and_taint
from .rewrite_targets import container, drop_value, held_value, hold_value, store, store_name
from .rewriter import read_names

if TYPE_CHECKING:
    from .rewriter import Rewriter


def rewrite_assignment(rewriter: Rewriter, node: ast.Assign) -> list[ast.stmt]:
    """The value is evaluated once, then given to each target."""
    reads = node.value
    names = read_names(reads)
    value, taint = rewriter.expression(node.value)
    rewriter.reading = names
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        node.value = value
        return [node, *store_name(rewriter, node.targets[0].id, taint, node)]
    number = rewriter.number()
    return [
        *hold_value(rewriter, number, value, taint),
        *(
            statement
            for target in node.targets
            for statement in store(rewriter, target, *held_value(rewriter, number), node)
        ),
        *drop_value(rewriter, number),
    ]


def rewrite_annotated_assignment(rewriter: Rewriter, node: ast.AnnAssign) -> list[ast.stmt]:
    """As an assignment; the annotation stays."""
    if node.value is None:
        return [node]
    rewriter.reading = read_names(node.value)
    value, taint = rewriter.expression(node.value)
    if isinstance(node.target, ast.Name):
        node.value = value
        return [node, *store_name(rewriter, node.target.id, taint, node)]
    number = rewriter.number()
    held, of_held = held_value(rewriter, number)
    return [
        *hold_value(rewriter, number, value, taint),
        *store(rewriter, node.target, held, of_held, node),
        *drop_value(rewriter, number),
    ]


def rewrite_augmented_assignment(rewriter: Rewriter, node: ast.AugAssign) -> list[ast.stmt]:
    """The old value is read, changed in place where it can be, and written back."""
    rewriter.reading = (*read_names(node.value), *read_names(node.target))
    target = node.target
    function = in_place_name(node.op)
    if isinstance(target, ast.Name):
        value, taint = rewriter.expression(node.value)
        if isinstance(node.value, (ast.Name, ast.Constant)) and rewriter.in_function:
            node.value = value
            of_name = rewriter.shadow_of(target.id)
            joined = known(join(of_name, taint))
            of_changed = ast.IfExp(
                rewriter.all_atoms(load(target.id), node.value),
                rewriter.with_ambient(joined),
                rewriter.emit("stores.in_place_taint", load(target.id), node.value, joined),
            )
            return [node, *store_name(rewriter, target.id, of_changed, node)]
        of_old = rewriter.pair(ast.Name(target.id, ast.Load()))
        given = rewriter.emit("stores.change", function, *of_old, value, known(taint))
        return [
            ast.copy_location(ast.Assign([target], given), node),
            *store_name(rewriter, target.id, rewriter.result(), node),
        ]
    # Python reads the old value before it evaluates the new part: the call may change it.
    if isinstance(target, ast.Attribute):
        kind, writes, change = "attribute", f".{target.attr}", "stores.change_attribute"
        part = constant(rewriter.mangled(target.attr))
        old = rewriter.emit("stores.old_attribute", *rewriter.pair(target.value), part)
    else:
        kind, writes, change = "item", container(rewriter, target.value), "stores.change_item"
        old = rewriter.emit(
            "stores.old_item", *rewriter.pair(target.value), *key_and_taint(rewriter, target.slice)
        )
    written = rewriter.emit_statement(change, old, function, *rewriter.pair(node.value), rewriter.control())
    return [written, rewriter.step(node, kind, writes, rewriter.field("result"))]


def rewrite_delete(rewriter: Rewriter, node: ast.Delete) -> list[ast.stmt]:
    """Taints of items are deleted from the shadow of their container."""
    statements: list[ast.stmt] = []
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            statements.append(
                rewriter.emit_statement(
                    "stores.delete_item", *rewriter.pair(target.value), *key_and_taint(rewriter, target.slice)
                )
            )
        else:
            statements.append(ast.copy_location(ast.Delete([target]), target))
    return statements


def rewrite_import_from(rewriter: Rewriter, node: ast.ImportFrom) -> list[ast.stmt]:
    """A name of another module keeps the taint that it has there."""
    statements: list[ast.stmt] = [node]
    if node.module == "__future__" or rewriter.scope.kind == "class":
        return statements
    for alias in node.names:
        name = alias.asname or alias.name
        if alias.name == "*" or (rewriter.scope.where(name) == "global" and rewriter.scope.kind != "module"):
            continue
        taint = rewriter.emit_plain(
            "stores.imported_taint",
            constant(rewriter.module),
            constant(node.module or ""),
            constant(node.level),
            constant(alias.name),
        )
        if rewriter.scope.kind == "module":
            moved = store_name(rewriter, name, taint, node)
            statements.append(ast.If(load("_pa_globals"), moved, []))
        else:
            statements += store_name(rewriter, name, taint, node)
    return statements
