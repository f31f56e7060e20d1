"""Rewriting of expressions, calls and comprehensions apart."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .base import Base, Rewritten
from .nodes import (
    CLASS_NAMES_TABLE,
    NO_KEY,
    SHADOW_PREFIX,
    ResultTaint,
    again,
    attribute,
    call,
    constant,
    join,
    known,
    load,
    never_calls,
    operator_name,
    quiet,
    shadow_at,
    stored,
    tuple_of,
    untouched,
    volatile,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NATIVE = (ast.Is, ast.IsNot)
_ORDERED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Expressions(Base):
    """Names, operators, attributes, items, displays."""

    def expression(self, node: ast.expr) -> Rewritten:
        """Rewrite an expression; what is not known is left as it is."""
        method = self.visit("of", node)
        if method is None:
            return node, None
        value, taint = method(node)
        if not hasattr(value, "lineno"):
            ast.copy_location(value, node)
        return value, taint

    def test_of(self, node: ast.expr) -> Rewritten:
        """Rewrite an expression that is tested for truth: of a container it matters whether it is empty."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand, taint = self.test_of(node.operand)
            return node, taint
        if isinstance(node, ast.BoolOp):
            return self._all_or_any(node, self.tested)
        never_held = isinstance(node, (ast.Compare, ast.Constant)) or self.is_class_test(node)
        value, taint = self.expression(node)
        if never_held:
            return value, taint
        if isinstance(node, ast.Name):
            if taint is None:
                return value, None
            of_structure = attribute(shadow_at(node), "structure")
            return value, ast.IfExp(untouched(node), taint, ast.BinOp(taint, ast.BitOr(), of_structure))
        return self.ask("truth", value, known(taint)), self.field("t")

    def tested(self, node: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Rewrite a test into two arguments: whether it holds, which is asked for once, and its taint."""
        return self.holding(*self.test_of(node))

    def holding(self, value: ast.expr, taint: ast.expr | None) -> tuple[ast.expr, ast.expr]:
        """Return whether a rewritten test holds, and its taint after the program's own `__bool__` was asked."""
        if never_calls(value):
            return value, known(taint)
        holds = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), value))
        asked = taint if isinstance(taint, ResultTaint) else self.with_ambient(known(taint))
        return ast.copy_location(holds, value), asked

    def of_name(self, node: ast.Name) -> Rewritten:
        """A name has the taint of its shadow."""
        return node, self.shadow_of(node.id)

    def of_attribute(self, node: ast.Attribute) -> Rewritten:
        """An attribute has the taints of the object's name and of the field."""
        if not isinstance(node.value, ast.Name):
            value, taint = self.expression(node.value)
            return self.ask(
                "attribute", value, known(taint), constant(self.mangled(node.attr))
            ), self.result()
        owner, name = node.value, constant(self.mangled(node.attr))
        taint = self.shadow_of(owner.id)
        plain = ast.BoolOp(
            ast.And(),
            [
                ast.UnaryOp(ast.Not(), self.field("amb")),
                ast.Compare(name, [ast.NotIn()], [load(CLASS_NAMES_TABLE)]),
            ],
        )
        of_field = call(attribute(attribute(shadow_at(owner), "fields"), "get"), name, constant(0))
        found = ast.IfExp(untouched(owner), known(taint), known(join(taint, of_field)))
        return node, ast.IfExp(plain, found, self.ask("field", owner, name, known(taint)))

    def is_class_test(self, node: ast.expr) -> bool:
        """Whether `node` natively calls `isinstance`."""
        raise NotImplementedError

    def mangled(self, name: str) -> str:
        """Return the name of an attribute as the compiler writes it inside a class."""
        owner = self.class_name.lstrip("_")
        if owner and name.startswith("__") and not name.endswith("__"):
            return f"_{owner}{name}"
        return name

    class_name = ""

    def of_subscript(self, node: ast.Subscript) -> Rewritten:
        """An item has the taints of object and key, and its own."""
        key = self._key(node.slice)
        if again(node.value) and again(node.slice):
            taint = join(self.expression(node.value)[1], self.expression(node.slice)[1])
            return self.ask("item", node, node.value, key[0], known(taint)), self.result()
        return self.ask("subscript", *self.pair(node.value), *key), self.result()

    def _key(self, node: ast.expr) -> list[ast.expr]:
        if not isinstance(node, ast.Slice):
            return self.pair(node)
        parts = [part if part is not None else constant(None) for part in (node.lower, node.upper, node.step)]
        if all(quiet(part) for part in parts):
            rewritten = [self.expression(part) for part in parts]
            made = call(load("_pa_slice"), *(value for value, _ in rewritten))
            return [made, known(join(*(taint for _, taint in rewritten)))]
        pairs = tuple_of(*(part for one in parts for part in self.pair(one)))
        made = self.ask("sequence", load("_pa_list"), pairs)
        return [self.ask("slice_of", made), self.result()]

    def of_binop(self, node: ast.BinOp) -> Rewritten:
        """An operator's result has the taints of both sides; of containers, item by item."""
        left, right = node.left, node.right
        if again(left) and again(right):
            taint = join(self.expression(left)[1], self.expression(right)[1])
            if taint is None:
                return node, None
            return self._of_atoms(node, taint, self.ask("joined", node, left, right, taint), left, right)
        return self._operate(operator_name(node.op), left, right)

    def _of_atoms(self, value: ast.expr, taint: ast.expr, otherwise: ast.expr, *parts: ast.expr) -> Rewritten:
        """Return `value`, made of names and constants, that has just their `taint` if none can have a shadow."""
        atoms = self.all_atoms(*parts)
        return ast.IfExp(atoms, value, otherwise), ResultTaint(atoms, self.with_ambient(taint), self.result())

    def _operate(self, function: ast.expr, left: ast.expr, right: ast.expr) -> Rewritten:
        return self.ask("operate", function, *self.pair(left), *self.pair(right)), self.result()

    def of_unaryop(self, node: ast.UnaryOp) -> Rewritten:
        """As the operand; `not` of a container tells whether it is empty."""
        node.operand, taint = self.expression(node.operand)
        return node, None if isinstance(node.operand, ast.Constant) else self.with_ambient(known(taint))

    def of_compare(self, node: ast.Compare) -> Rewritten:
        """As both sides and what they hold; a chain is one expression."""
        if len(node.ops) > 1:
            joined = [self.pair(part) for part in (node.left, *node.comparators)]
            names = [self.ask("also", *part) for part in joined]
            compared = ast.Compare(names[0], node.ops, list(names[1:]))
            return self.ask("all_of", self.ask("gather"), ast.copy_location(compared, node)), self.result()
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], _NATIVE) or (
            isinstance(node.ops[0], _ORDERED)
            and (isinstance(left, ast.Constant) or isinstance(right, ast.Constant))
        ):
            new_left, of_left = self.expression(left)
            if not volatile(of_left) or quiet(right):
                new_right, of_right = self.expression(right)
                node.left, node.comparators = new_left, [new_right]
                taint = join(of_left, of_right)
                return node, taint if isinstance(node.ops[0], _NATIVE) else self.with_ambient(known(taint))
            node.left = left
        if again(left) and again(right):
            taint = join(self.expression(left)[1], self.expression(right)[1])
            if taint is not None:
                return self._of_atoms(
                    node, taint, self._operate(operator_name(node.ops[0]), left, right)[0], left, right
                )
        return self._operate(operator_name(node.ops[0]), left, right)

    def of_boolop(self, node: ast.BoolOp) -> Rewritten:
        """Each value but the last is a decision; what follows is under its taint."""
        return self._all_or_any(node, self.pair)

    def _all_or_any(self, node: ast.BoolOp, rewrite: Callable[[ast.expr], Sequence[ast.expr]]) -> Rewritten:
        sites = [self.decision(value, "and/or", value) for value in node.values[:-1]]
        parts: list[ast.expr] = [
            self.ask("either", *rewrite(value), site) for value, site in zip(node.values, sites, strict=False)
        ]
        parts.append(self.ask("also", *rewrite(node.values[-1])))
        whole = ast.copy_location(ast.BoolOp(node.op, parts), node)
        return self.ask("all_of", self.ask("gather"), whole), self.result()

    def of_ifexp(self, node: ast.IfExp) -> Rewritten:
        """The test is a decision."""
        site = self.decision(node.test, "ternary", node.test)
        node.test = self.ask("either", *self.tested(node.test), site)
        node.body = self.ask("also", *self.pair(node.body))
        node.orelse = self.ask("also", *self.pair(node.orelse))
        return self.ask("all_of", self.ask("gather"), node), self.result()

    def of_joinedstr(self, node: ast.JoinedStr) -> Rewritten:
        """A formatted string has the taints of all its parts."""
        self._format(node)
        return self.ask("all_of", self.ask("gather"), node), self.result()

    def _format(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = ast.copy_location(self.ask("also_shown", *self.pair(part.value)), part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    self._format(part.format_spec)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set, kind: str) -> Rewritten:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            parts = [
                tuple_of(
                    constant(isinstance(item, ast.Starred)),
                    *self.pair(item.value if isinstance(item, ast.Starred) else item),
                )
                for item in node.elts
            ]
            return self.ask("sequence_of", load(kind), tuple_of(*parts)), self.result()
        rewritten = [self.expression(item) for item in node.elts]
        if all(taint is None for _, taint in rewritten):
            node.elts = [value for value, _ in rewritten]
            return node, None
        if all(again(item) for item in node.elts):
            return self.ask(
                "filled", node, tuple_of(*(known(taint) for _, taint in rewritten))
            ), self.result()
        pairs = tuple_of(*(part for value, taint in rewritten for part in (value, known(taint))))
        return self.ask("sequence", load(kind), pairs), self.result()

    def of_list(self, node: ast.List) -> Rewritten:
        """A list knows the taint of each item."""
        return self._sequence(node, "_pa_list")

    def of_tuple(self, node: ast.Tuple) -> Rewritten:
        """A tuple knows the taint of each item."""
        return self._sequence(node, "_pa_tuple")

    def of_set(self, node: ast.Set) -> Rewritten:
        """A set knows the joined taint of its items."""
        return self._sequence(node, "_pa_set")

    def of_dict(self, node: ast.Dict) -> Rewritten:
        """A dict knows the taint of each value."""
        if not node.keys:
            return node, None
        parts: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=False):
            parts += [load(NO_KEY), constant(0)] if key is None else self.pair(key)
            parts += self.pair(value)
        return self.ask("mapping_of", tuple_of(*parts)), self.result()

    def of_namedexpr(self, node: ast.NamedExpr) -> Rewritten:
        """The name's shadow is assigned beside the name."""
        value, taint = self.expression(node.value)
        node.value = value
        where = self.scope.where(node.target.id)
        if where not in ("local", "free"):
            return node, taint
        shadowed = ast.NamedExpr(stored(SHADOW_PREFIX + node.target.id), known(join(taint, self.control())))
        return self.ask("first", node, shadowed), self.result()

    def of_starred(self, node: ast.Starred) -> Rewritten:
        """Starred items are rewritten where they stand."""
        node.value, taint = self.expression(node.value)
        return node, taint

    def of_await(self, node: ast.Await) -> Rewritten:
        """The awaited coroutine leaves the taint of its result; control taint is this frame's again."""
        node.value, _ = self.expression(node.value)
        return self.ask("resumed", node, self.all_control()), self.result()

    def of_yield(self, node: ast.Yield) -> Rewritten:
        """What is yielded leaves its taint; what was sent brings its own."""
        value, taint = self.expression(node.value) if node.value else (constant(None), None)
        node.value = self.ask("give", value, known(join(taint, self.control())), load("_pS"))
        again_ = ast.NamedExpr(stored("_pS"), self.field("c"))
        return self.ask("sent_to", node, again_, self.all_control()), self.result()

    def of_yieldfrom(self, node: ast.YieldFrom) -> Rewritten:
        """Items pass through; the sub-generator's result has the taint that it left."""
        value, taint = self.expression(node.value)
        node.value = self.ask("delegate", value, known(join(taint, self.control())))
        again_ = ast.NamedExpr(stored("_pS"), self.field("c"))
        return self.ask("delegated", node, again_, self.all_control()), self.result()
