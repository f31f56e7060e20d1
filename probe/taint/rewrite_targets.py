"""Rewriting of targets: giving values, and their taints, to names, attributes, items and what is taken apart."""

import ast

from .nodes import add, assign, constant, join, known, load, stored, stored_names
from .rewrite_expressions import key_and_taint
from .rewriter import Rewriter
from .signatures import SHADOW_PREFIX


def store_name(rewriter: Rewriter, name: str, taint: ast.expr | None, reads: ast.AST) -> list[ast.stmt]:
    """Keep the taint of a name; a write that leaves the function takes the whole control taint."""
    where = rewriter.scope.where(name)
    if where == "body":
        return [rewriter.emit_statement("blocks.store_in_class_body", constant(name), known(taint))]
    if where == "global":
        of_global = rewriter.shadow_of(name)
        if of_global is None and rewriter.scope.kind != "module":
            return []
        joined = known(join(taint, rewriter.field("control")))
        site = rewriter.site(reads, "assignment", place_of(rewriter, name), rewriter.reading)
        key = constant(rewriter.module), constant(name)
        kept = ast.Expr(rewriter.emit_plain("stores.store_global", *key, joined, site))
        return [kept]
    if where == "untracked":
        return []
    of_name = join(taint, rewriter.control() if where == "local" else rewriter.field("control"))
    shadow = SHADOW_PREFIX + name
    place = place_of(rewriter, name)
    if of_name is None:
        return [assign(shadow, known(of_name))]
    site = rewriter.site(reads, "assignment", place, rewriter.reading)
    return [assign(shadow, known(of_name)), *rewriter.step(site, shadow)]


def store_names(rewriter: Rewriter, target: ast.AST, taint: ast.expr, reads: ast.AST) -> list[ast.stmt]:
    """Keep one taint for each name in `target`."""
    return [
        statement for name in stored_names(target) for statement in store_name(rewriter, name, taint, reads)
    ]


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
        site = rewriter.site(reads, "attribute", "." + target.attr, rewriter.reading)
        place = [*rewriter.pair(target.value), constant(rewriter.mangled(target.attr))]
        written = value, given, site, rewriter.lately()
        stored_there = rewriter.emit_statement("stores.store_attribute", *place, *written)
        return [stored_there]
    if isinstance(target, ast.Subscript):
        site = rewriter.site(reads, "item", container(rewriter, target.value), rewriter.reading)
        place = [*rewriter.pair(target.value), *key_and_taint(rewriter, target.slice)]
        written = value, given, site, rewriter.lately()
        stored_there = rewriter.emit_statement("stores.store_item", *place, *written)
        return [stored_there]
    if isinstance(target, (ast.Tuple, ast.List)):
        return _unpack(rewriter, target, value, taint, reads)
    return [ast.copy_location(ast.Assign([target], value), target)]


def place_of(rewriter: Rewriter, name: str) -> str:
    """Return what a write to a name changes, as a step names it: a local of its function, or a name of the module."""
    owner = rewriter.module if rewriter.scope.where(name) == "global" else rewriter.function
    return f"{owner}:{name}"


def container(rewriter: Rewriter, node: ast.expr) -> str:
    """Return what a write into `node` changes, as a step names it."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        return place_of(rewriter, node.id)
    return f".{node.attr}" if isinstance(node, ast.Attribute) else ""


def _unpack(
    rewriter: Rewriter, target: ast.Tuple | ast.List, value: ast.expr, taint: ast.expr | None, reads: ast.AST
) -> list[ast.stmt]:
    """Take a value apart into parts that are held, then give each to its own target."""
    if not rewriter.in_function:
        # Outside of functions: the parts are taken apart natively, each name takes everything.
        everything = rewriter.emit("stores.held_content")
        stores = store_names(rewriter, target, everything, reads)
        return [ast.copy_location(ast.Assign([target], value), target), *stores]
    numbers = [rewriter.number() for _ in target.elts]
    if target.elts and all(isinstance(part, ast.Name) for part in target.elts):
        return _unpack_names(rewriter, target, value, known(taint), numbers=numbers, reads=reads)
    stars = [at for at, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    names: list[ast.expr] = [stored(f"_pV{number}") for number in numbers]
    for at in stars:
        names[at] = ast.Starred(names[at], ast.Store())
    parts = ast.Tuple(names, ast.Store())
    star = stars[0] if stars else None
    statements = _taken_apart(
        rewriter, ast.copy_location(parts, target), value, known(taint), numbers=numbers, star=star
    )
    for part, number in zip(target.elts, numbers, strict=False):
        inner = part.value if isinstance(part, ast.Starred) else part
        statements += store(rewriter, inner, load(f"_pV{number}"), load(f"_pT{number}"), reads)
        statements.append(assign(f"_pV{number}", constant(None)))
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
    template = """
        _pVn = _pa_iteration.unpackable(state, value, taint, most)
        given
        (taints,) = _pa_iteration.unpacked_taints(_pVn, state.result, count, star)
        _pVn = None
        """
    whole = rewriter.number()
    return rewriter.code(
        template,
        n=whole,
        value=value,
        taint=taint,
        most=constant(len(numbers) + 1 if star is None else None),
        given=[ast.copy_location(ast.Assign([parts], load(f"_pV{whole}")), parts)],
        taints=[stored(f"_pT{number}") for number in numbers],
        count=len(numbers),
        star=constant(star),
    )


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
    names = [f"_pT{number}" for number in numbers]
    added = [] if isinstance(taint, ast.Constant) else [add(name, taint) for name in names]
    template = """
        if _pa_type(value) is _pa_tuple:
            given
            if _pa_id(value) not in _pa_shadows:
                taints = taint
            else:
                (taints,) = _pa_stores.item_taints(value, count)
                added
        else:
            taken
        """
    statements = rewriter.code(
        template,
        value=value,
        given=[ast.copy_location(ast.Assign([target], value), target)],
        taints=[stored(name) for name in names],
        taint=taint,
        count=len(numbers),
        added=added,
        taken=_taken_apart(rewriter, target, value, taint, numbers=numbers),
    )
    for part, number in zip(target.elts, numbers, strict=True):
        name = part.id if isinstance(part, ast.Name) else ""
        statements += store_name(rewriter, name, load(f"_pT{number}"), reads)
    return statements
