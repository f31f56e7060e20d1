"""Rewriting of targets: giving values, and their taints, to names, attributes, items and what is taken apart."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import (
    SHADOW_PREFIX,
    TYPE,
    assign,
    attribute,
    call,
    constant,
    join,
    known,
    load,
    stored,
    tuple_of,
    untouched,
)
from .rewrite_expressions import key_and_taint

if TYPE_CHECKING:
    from .rewriter import Rewriter


def hold_value(rewriter: Rewriter, number: int, value: ast.expr, taint: ast.expr | None) -> list[ast.stmt]:
    """Return statements that keep a value and its taint for the statements that follow."""
    if rewriter.scope.function is rewriter.scope:
        return [assign(f"_pV{number}", value), assign(f"_pT{number}", known(taint))]
    return [ast.Expr(call(attribute(rewriter.field("held"), "append"), tuple_of(value, known(taint))))]


def held_value(rewriter: Rewriter, number: int) -> tuple[ast.expr, ast.expr]:
    """Return the value that `hold_value` keeps, and its taint."""
    if rewriter.scope.function is rewriter.scope:
        return load(f"_pV{number}"), load(f"_pT{number}")
    last = ast.Subscript(rewriter.field("held"), constant(-1), ast.Load())
    return ast.Subscript(last, constant(0), ast.Load()), ast.Subscript(last, constant(1), ast.Load())


def drop_value(rewriter: Rewriter, number: int) -> list[ast.stmt]:
    """Return statements that let go of such a value: a reference that stays would keep the object alive."""
    if rewriter.scope.function is rewriter.scope:
        return [assign(f"_pV{number}", constant(None))]
    return [ast.Expr(call(attribute(rewriter.field("held"), "pop")))]


def store_name(rewriter: Rewriter, name: str, taint: ast.expr | None, reads: ast.AST) -> list[ast.stmt]:
    """Keep the taint of a name; a write that leaves the function takes the whole control taint."""
    where = rewriter.scope.where(name)
    if where == "body":
        return [rewriter.emit_statement("blocks.store_in_class_body", constant(name), known(taint))]
    if where == "global":
        if not (rewriter.scope.kind == "module" or name in rewriter.written_globals):
            return []
        joined = known(join(taint, rewriter.field("control")))
        return [
            ast.Expr(
                rewriter.emit_plain("stores.store_global", constant(rewriter.module), constant(name), joined)
            )
        ]
    if where == "untracked":
        return []
    of_name = join(taint, rewriter.control() if where == "local" else rewriter.field("control"))
    shadow = SHADOW_PREFIX + name
    if of_name is None:
        return [assign(shadow, constant(0))]
    step = rewriter.step(reads, "assignment", f"{rewriter.function}:{name}", load(shadow))
    return [assign(shadow, of_name), step]


def store(
    rewriter: Rewriter, target: ast.expr, value: ast.expr, taint: ast.expr | None, reads: ast.AST
) -> list[ast.stmt]:
    """Give a value that can be evaluated again to any target."""
    if isinstance(target, ast.Name):
        return [
            ast.copy_location(ast.Assign([target], value), target),
            *store_name(rewriter, target.id, taint, reads),
        ]
    given = known(join(taint, rewriter.control()))
    if isinstance(target, ast.Attribute):
        of_self = isinstance(target.value, ast.Name) and target.value.id == "self"
        if of_self and rewriter.own_attributes is not None:
            rewriter.own_attributes[target.attr] = None
        step = rewriter.step(reads, "attribute", "." + target.attr, rewriter.field("result"))
        return [
            rewriter.emit_statement(
                "stores.store_attribute",
                *rewriter.pair(target.value),
                constant(rewriter.mangled(target.attr)),
                value,
                given,
            ),
            step,
        ]
    if isinstance(target, ast.Subscript):
        step = rewriter.step(reads, "item", container(rewriter, target.value), rewriter.field("result"))
        return [
            rewriter.emit_statement(
                "stores.store_item",
                *rewriter.pair(target.value),
                *key_and_taint(rewriter, target.slice),
                value,
                given,
            ),
            step,
        ]
    if isinstance(target, (ast.Tuple, ast.List)):
        return _unpack(rewriter, target, value, taint, reads)
    return [ast.copy_location(ast.Assign([target], value), target)]


def container(rewriter: Rewriter, node: ast.expr) -> str:
    """Return what a write into `node` changes, as a step names it."""
    if isinstance(node, ast.Name):
        return f"{rewriter.function}:{node.id}"
    return f".{node.attr}" if isinstance(node, ast.Attribute) else ""


def _unpack(
    rewriter: Rewriter, target: ast.Tuple | ast.List, value: ast.expr, taint: ast.expr | None, reads: ast.AST
) -> list[ast.stmt]:
    """Take a value apart into parts that are held, then give each to its own target."""
    if rewriter.scope.function is not rewriter.scope:
        # Outside of functions: the parts are taken apart natively, each name takes everything.
        names = [
            part.id
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        everything = rewriter.emit("stores.held_content")
        return [
            ast.copy_location(ast.Assign([target], value), target),
            *(statement for name in names for statement in store_name(rewriter, name, everything, reads)),
        ]
    numbers = [rewriter.number() for _ in target.elts]
    if target.elts and all(isinstance(part, ast.Name) for part in target.elts):
        return _unpack_names(rewriter, target, value, known(taint), numbers=numbers, reads=reads)
    stars = [at for at, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    parts = ast.Tuple(
        [
            ast.Starred(stored(f"_pV{number}"), ast.Store()) if at in stars else stored(f"_pV{number}")
            for at, number in enumerate(numbers)
        ],
        ast.Store(),
    )
    star = stars[0] if stars else None
    statements = _taken_apart(
        rewriter, ast.copy_location(parts, target), value, known(taint), numbers=numbers, star=star
    )
    for part, number in zip(target.elts, numbers, strict=False):
        inner = part.value if isinstance(part, ast.Starred) else part
        statements += store(rewriter, inner, load(f"_pV{number}"), load(f"_pT{number}"), reads)
        statements += drop_value(rewriter, number)
    return statements


def _taken_apart(
    rewriter: Rewriter,
    parts: ast.expr,
    value: ast.expr,
    taint: ast.expr,
    *,
    numbers: list[int],
    star: int | None = None,
) -> list[ast.stmt]:
    """Assign the parts of a value, and their taints to locals with these `numbers`."""
    whole = f"_pV{rewriter.number()}"
    most = len(numbers) + 1 if star is None else None
    return [
        assign(whole, rewriter.emit("stores.unpackable", value, taint, constant(most))),
        ast.copy_location(ast.Assign([parts], load(whole)), parts),
        ast.Assign(
            [ast.Tuple([stored(f"_pT{number}") for number in numbers], ast.Store())],
            rewriter.emit_plain(
                "stores.unpacked_taints",
                load(whole),
                rewriter.field("result"),
                constant(len(numbers)),
                constant(star),
            ),
        ),
        assign(whole, constant(None)),
    ]


def _unpack_names(
    rewriter: Rewriter,
    target: ast.Tuple | ast.List,
    value: ast.expr,
    taint: ast.expr,
    *,
    numbers: list[int],
    reads: ast.AST,
) -> list[ast.stmt]:
    """Take a value apart into names: natively, and without a call where it is a tuple without a shadow."""
    of_parts: list[ast.expr] = [stored(f"_pT{number}") for number in numbers]
    item_by_item: list[ast.stmt] = [
        ast.Assign(
            [ast.Tuple(of_parts, ast.Store())],
            rewriter.emit_plain("stores.item_taints", value, constant(len(numbers))),
        )
    ]
    if not isinstance(taint, ast.Constant):
        item_by_item += [ast.AugAssign(stored(f"_pT{number}"), ast.BitOr(), taint) for number in numbers]
    tuples: list[ast.stmt] = [
        ast.copy_location(ast.Assign([target], value), target),
        ast.If(untouched(value), [ast.Assign(of_parts, taint)], item_by_item),
    ]
    plain = ast.Compare(call(load(TYPE), value), [ast.Is()], [load("_pa_tuple")])
    statements: list[ast.stmt] = [
        ast.If(plain, tuples, _taken_apart(rewriter, target, value, taint, numbers=numbers))
    ]
    for part, number in zip(target.elts, numbers, strict=True):
        name = part.id if isinstance(part, ast.Name) else ""
        statements += store_name(rewriter, name, load(f"_pT{number}"), reads)
    return statements
