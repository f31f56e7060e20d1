"""Rewriting of expressions, calls and comprehensions apart."""

import ast
from collections.abc import Callable, Sequence

from .nodes import (
    ResultTaint,
    again,
    constant,
    join,
    known,
    load,
    never_calls,
    operator_name,
    quiet,
    stored,
    tuple_of,
    volatile,
)
from .rewrite_calls import is_class_test
from .rewriter import Rewriter, Rewritten
from .shadows import ATOMS
from .signatures import SHADOW_PREFIX

_NATIVE = (ast.Is, ast.IsNot)
_ORDERED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def rewrite_test(rewriter: Rewriter, node: ast.expr) -> Rewritten:
    """Rewrite an expression that is tested for truth: of a container it matters whether it is empty."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand, taint = rewrite_test(rewriter, node.operand)
        return node, taint
    if isinstance(node, ast.BoolOp):
        return _all_or_any(rewriter, node, lambda value: tested(rewriter, value))
    never_held = isinstance(node, (ast.Compare, ast.Constant)) or is_class_test(rewriter, node)
    value, taint = rewriter.expression(node)
    if never_held:
        return value, taint
    if isinstance(node, ast.Name):
        if taint is None:
            return value, None
        template = "taint if _pa_id(name) not in _pa_shadows else taint | _pa_values.structure(name)"
        return value, rewriter.expr(template, taint=taint, name=node)
    return rewriter.emit("values.truth", value, known(taint)), rewriter.field("result")


def tested(rewriter: Rewriter, node: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Rewrite a test into two arguments: its truth value, evaluated once, and its taint."""
    return holding(rewriter, *rewrite_test(rewriter, node))


def holding(rewriter: Rewriter, value: ast.expr, taint: ast.expr | None) -> tuple[ast.expr, ast.expr]:
    """Return the truth value of a rewritten test, and its taint after the program's own `__bool__` has run."""
    if never_calls(value):
        return value, known(taint)
    holds = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), value))
    asked = taint if isinstance(taint, ResultTaint) else rewriter.with_ambient(known(taint))
    return ast.copy_location(holds, value), asked


def rewrite_name(rewriter: Rewriter, node: ast.Name) -> Rewritten:
    """A name has the taint of its shadow."""
    return node, rewriter.shadow_of(node.id)


def rewrite_attribute(rewriter: Rewriter, node: ast.Attribute) -> Rewritten:
    """An attribute has the taints of the object's name and of the field."""
    if node.attr == "__dict__":
        return rewriter.emit_expression("values.get_own_attributes", *rewriter.pair(node.value))
    if not isinstance(node.value, ast.Name):
        name = constant(rewriter.mangled(node.attr))
        return rewriter.emit_expression("values.get_attribute", *rewriter.pair(node.value), name)
    owner, name = node.value, constant(rewriter.mangled(node.attr))
    taint = rewriter.shadow_of(owner.id)
    of_field = rewriter.expr("_pa_shadows[_pa_id(owner)].fields.get(name, 0)", owner=owner, name=name)
    template = """(
        (taint if _pa_id(owner) not in _pa_shadows else joined)
        if not state.ambient and name not in _pa_class_names
        else _pa_values.attribute_taint(state, owner, name, taint)
    )"""
    return node, rewriter.expr(template, owner=owner, name=name, taint=taint, joined=join(taint, of_field))


def rewrite_subscript(rewriter: Rewriter, node: ast.Subscript) -> Rewritten:
    """An item has the taints of object and key, and its own."""
    key = key_and_taint(rewriter, node.slice)
    if again(node.value) and again(node.slice):
        taint = join(rewriter.expression(node.value)[1], rewriter.expression(node.slice)[1])
        return rewriter.emit_expression("values.with_item_taint", node, node.value, key[0], known(taint))
    return rewriter.emit_expression("values.get_item", *rewriter.pair(node.value), *key)


def key_and_taint(rewriter: Rewriter, node: ast.expr) -> list[ast.expr]:
    """Rewrite the key of an item, or a slice, into two arguments, its value and its taint."""
    if not isinstance(node, ast.Slice):
        return rewriter.pair(node)
    parts = [part if part is not None else constant(None) for part in (node.lower, node.upper, node.step)]
    if all(quiet(part) for part in parts):
        rewritten = [rewriter.expression(part) for part in parts]
        made = rewriter.expr("_pa_slice(values)", values=[value for value, _ in rewritten])
        return [made, known(join(*(taint for _, taint in rewritten)))]
    pairs = tuple_of(*(part for one in parts for part in rewriter.pair(one)))
    made = rewriter.emit("values.new_sequence", load("_pa_list"), pairs)
    return [rewriter.emit("values.new_slice", made), rewriter.result()]


def rewrite_binary_operator(rewriter: Rewriter, node: ast.BinOp) -> Rewritten:
    """An operator's result has the taints of both sides; of containers, item by item."""
    left, right = node.left, node.right
    if again(left) and again(right):
        taint = join(rewriter.expression(left)[1], rewriter.expression(right)[1])
        if taint is None:
            return node, None
        otherwise = rewriter.emit("values.with_operand_taints", node, left, right, taint)
        return _of_atoms(rewriter, node, taint, otherwise)
    return _operate(rewriter, operator_name(node.op), left, right)


def all_atoms(rewriter: Rewriter, *parts: ast.expr) -> ast.expr:
    """Return whether no name or constant of `parts` can have a shadow."""
    asked = [
        rewriter.expr("_pa_type(part) in _pa_atoms", part=part)
        for part in parts
        if not isinstance(part, ast.Constant) or type(part.value) not in ATOMS
    ]
    if not asked:
        return constant(True)
    return asked[0] if len(asked) == 1 else ast.BoolOp(ast.And(), asked)


def _of_atoms(
    rewriter: Rewriter, node: ast.BinOp | ast.Compare, taint: ast.expr, otherwise: ast.expr
) -> Rewritten:
    """Return an operation on names and constants natively, with just their `taint`, if none can have a shadow."""
    left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.left, node.comparators[0])
    atoms = all_atoms(rewriter, left, right)
    of_result = ResultTaint(atoms, rewriter.with_ambient(taint), rewriter.result())
    return ast.IfExp(atoms, node, otherwise), of_result


def _operate(rewriter: Rewriter, function: ast.expr, left: ast.expr, right: ast.expr) -> Rewritten:
    return rewriter.emit_expression("values.operate", function, *rewriter.pair(left), *rewriter.pair(right))


def rewrite_unary_operator(rewriter: Rewriter, node: ast.UnaryOp) -> Rewritten:
    """The taint of the operand; `not` of a container depends on whether it is empty."""
    node.operand, taint = rewriter.expression(node.operand)
    return node, None if isinstance(node.operand, ast.Constant) else rewriter.with_ambient(known(taint))


def rewrite_comparison(rewriter: Rewriter, node: ast.Compare) -> Rewritten:
    """As both sides and what they hold; a chain is one expression."""
    if len(node.ops) > 1:
        joined = [rewriter.pair(part) for part in (node.left, *node.comparators)]
        names = [rewriter.emit("values.part", *part) for part in joined]
        compared = ast.Compare(names[0], node.ops, list(names[1:]))
        return rewriter.of_parts(ast.copy_location(compared, node))
    left, right = node.left, node.comparators[0]
    if isinstance(node.ops[0], _NATIVE) or (
        isinstance(node.ops[0], _ORDERED)
        and (isinstance(left, ast.Constant) or isinstance(right, ast.Constant))
    ):
        new_left, of_left = rewriter.expression(left)
        if not volatile(of_left) or quiet(right):
            new_right, of_right = rewriter.expression(right)
            node.left, node.comparators = new_left, [new_right]
            taint = join(of_left, of_right)
            return node, taint if isinstance(node.ops[0], _NATIVE) else rewriter.with_ambient(known(taint))
        node.left = left
    if again(left) and again(right):
        taint = join(rewriter.expression(left)[1], rewriter.expression(right)[1])
        if taint is not None:
            otherwise, _ = _operate(rewriter, operator_name(node.ops[0]), left, right)
            return _of_atoms(rewriter, node, taint, otherwise)
    return _operate(rewriter, operator_name(node.ops[0]), left, right)


def rewrite_boolean_operator(rewriter: Rewriter, node: ast.BoolOp) -> Rewritten:
    """Each value but the last is a decision; what follows is under its taint."""
    return _all_or_any(rewriter, node, rewriter.pair)


def _all_or_any(
    rewriter: Rewriter, node: ast.BoolOp, rewrite: Callable[[ast.expr], Sequence[ast.expr]]
) -> Rewritten:
    sites = [rewriter.decision(value, "and/or", value, node.end_lineno) for value in node.values[:-1]]
    parts: list[ast.expr] = [
        rewriter.emit("values.deciding_part", *rewrite(value), site, rewriter.lately())
        for value, site in zip(node.values, sites, strict=False)
    ]
    parts.append(rewriter.emit("values.part", *rewrite(node.values[-1])))
    whole = ast.copy_location(ast.BoolOp(node.op, parts), node)
    return rewriter.of_parts(whole)


def rewrite_conditional_expression(rewriter: Rewriter, node: ast.IfExp) -> Rewritten:
    """The test is a decision."""
    site = rewriter.decision(node.test, "ternary", node.test, node.end_lineno)
    node.test = rewriter.emit("values.deciding_part", *tested(rewriter, node.test), site, rewriter.lately())
    node.body = rewriter.emit("values.part", *rewriter.pair(node.body))
    node.orelse = rewriter.emit("values.part", *rewriter.pair(node.orelse))
    return rewriter.of_parts(node)


def rewrite_formatted_string(rewriter: Rewriter, node: ast.JoinedStr) -> Rewritten:
    """A formatted string has the taints of all its parts."""
    _format(rewriter, node)
    return rewriter.of_parts(node)


def _format(rewriter: Rewriter, node: ast.JoinedStr) -> None:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            made = rewriter.emit("values.formatted_part", *rewriter.pair(part.value))
            part.value = ast.copy_location(made, part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                _format(rewriter, part.format_spec)


def rewrite_sequence(rewriter: Rewriter, node: ast.List | ast.Tuple | ast.Set) -> Rewritten:
    """A list or tuple knows the taint of each item, a set the joined taint of its items."""
    kind = f"_pa_{type(node).__name__.lower()}"
    if any(isinstance(item, ast.Starred) for item in node.elts):
        stars = [isinstance(item, ast.Starred) for item in node.elts]
        values = [item.value if isinstance(item, ast.Starred) else item for item in node.elts]
        parts = [
            tuple_of(constant(star), *rewriter.pair(value)) for star, value in zip(stars, values, strict=True)
        ]
        return rewriter.emit_expression("values.new_starred_sequence", load(kind), tuple_of(*parts))
    rewritten = [rewriter.expression(item) for item in node.elts]
    if all(taint is None for _, taint in rewritten):
        node.elts = [value for value, _ in rewritten]
        return node, None
    if all(again(item) for item in node.elts):
        taints = tuple_of(*(known(taint) for _, taint in rewritten))
        return rewriter.emit_expression("values.with_item_taints", node, taints)
    pairs = tuple_of(*(part for value, taint in rewritten for part in (value, known(taint))))
    return rewriter.emit_expression("values.new_sequence", load(kind), pairs)


def rewrite_dict(rewriter: Rewriter, node: ast.Dict) -> Rewritten:
    """A dict knows the taint of each value."""
    if not node.keys:
        return node, None
    parts: list[ast.expr] = []
    for key, value in zip(node.keys, node.values, strict=False):
        parts += [load("_pa_no_key"), constant(0)] if key is None else rewriter.pair(key)
        parts += rewriter.pair(value)
    return rewriter.emit_expression("values.new_dict", tuple_of(*parts))


def rewrite_named_expression(rewriter: Rewriter, node: ast.NamedExpr) -> Rewritten:
    """The name's shadow is assigned beside the name."""
    value, taint = rewriter.expression(node.value)
    node.value = value
    where = rewriter.scope.where(node.target.id)
    if where not in ("local", "free"):
        return node, taint
    shadowed = ast.NamedExpr(stored(SHADOW_PREFIX + node.target.id), known(join(taint, rewriter.control())))
    return rewriter.emit_expression("values.with_taint", node, shadowed)


def rewrite_starred(rewriter: Rewriter, node: ast.Starred) -> Rewritten:
    """Starred items are rewritten where they stand."""
    node.value, taint = rewriter.expression(node.value)
    return node, taint
