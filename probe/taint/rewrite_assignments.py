"""Rewriting of assignments and of what else gives values to names."""

import ast

from .nodes import assign, constant, in_place_name, join, known, load, read_names
from .rewrite_expressions import all_atoms, key_and_taint
from .rewrite_targets import container, store, store_name
from .rewriter import Rewriter


def rewrite_assignment(rewriter: Rewriter, node: ast.Assign | ast.AnnAssign) -> list[ast.stmt]:
    """The value is evaluated once, then given to each target."""
    if node.value is None:
        # An annotation alone.
        return [node]
    names = read_names(node.value)
    value, taint = rewriter.expression(node.value)
    rewriter.reading = names
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        node.value = value
        name = targets[0].id
        return [node, *store_name(rewriter, name, taint, node)]
    number = rewriter.number()
    if rewriter.in_function:
        held, of_held, drop = "_pVn", "_pTn", "_pVn = None"
        statements: list[ast.stmt] = [assign(f"_pV{number}", value), assign(f"_pT{number}", known(taint))]
    else:
        held, of_held, drop = "state.held[-1][0]", "state.held[-1][1]", "state.held.pop()"
        statements = rewriter.code("state.held.append((value, taint))", value=value, taint=taint)
    for target in targets:
        given = rewriter.expr(held, n=number), rewriter.expr(of_held, n=number)
        statements += store(rewriter, target, *given, node)
    # A reference that stays would keep the object alive.
    return statements + rewriter.code(drop, n=number)


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
                all_atoms(rewriter, load(target.id), node.value),
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
        kind, writes = "attribute", f".{target.attr}"
        name = constant(rewriter.mangled(target.attr))
        old = rewriter.emit("stores.old_attribute", *rewriter.pair(target.value), name)
    else:
        kind, writes = "item", container(rewriter, target.value)
        old = rewriter.emit(
            "stores.old_item", *rewriter.pair(target.value), *key_and_taint(rewriter, target.slice)
        )
    part = rewriter.pair(node.value)
    site = rewriter.site(node, kind, writes, rewriter.reading)
    return [rewriter.emit_statement("stores.change_stored", old, function, *part, rewriter.control(), site)]


def rewrite_delete(rewriter: Rewriter, node: ast.Delete) -> list[ast.stmt]:
    """Taints of items are deleted from the shadow of their container."""
    statements: list[ast.stmt] = []
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            place = (*rewriter.pair(target.value), *key_and_taint(rewriter, target.slice))
            statements.append(rewriter.emit_statement("stores.delete_item", *place))
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
        imported = map(constant, (rewriter.module, node.module or "", node.level, alias.name))
        moved = store_name(rewriter, name, rewriter.emit_plain("stores.imported_taint", *imported), node)
        template = """
            if _pa_globals:
                moved
            """
        statements += rewriter.code(template, moved=moved) if rewriter.scope.kind == "module" else moved
    return statements
