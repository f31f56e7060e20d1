"""What all parts of the rewriting share: where they are in the source, and how to get at the state."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .heap import ATOMS
from .nodes import (
    ATOMS_SET,
    DEFAULTS_TABLE,
    ENTRY,
    GLOBAL_TABLE,
    HERE,
    LAST,
    SHADOW_PREFIX,
    STATE,
    STEPS,
    TYPE,
    UNDER,
    ControlReset,
    ResultTaint,
    attribute,
    call,
    constant,
    join,
    known,
    load,
    tuple_of,
)
from .records import InstrumentedSite, new_site
from .scopes import NameScope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .signatures import FunctionSignature

Rewritten = tuple[ast.expr, "ast.expr | None"]


def read_names(node: ast.AST) -> tuple[str, ...]:
    """Return what a step may have its taint from: names, attributes (with a dot), calls (with parentheses)."""
    found: dict[str, None] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
            found[inner.id] = None
        elif isinstance(inner, ast.Attribute):
            found["." + inner.attr] = None
        elif isinstance(inner, ast.Call):
            called = inner.func
            if isinstance(called, (ast.Name, ast.Attribute)):
                found[(called.id if isinstance(called, ast.Name) else called.attr) + "()"] = None
        elif isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant):
            found[f"[{inner.slice.value!r}]"] = None
    return tuple(found)


class Base:
    """The rewriting of one module, at one place of it.

    Expressions are rewritten into one that has the same value and one that is its taint, None if it has none; the
    taint is evaluated after the value.
    """

    def __init__(self, module: str, file: str, lines: Sequence[str]) -> None:
        self.module = module
        self.file = file
        self.lines = lines
        self.scope = NameScope("module")
        # How many branches deep the place is in its function; the loops around it, as (depth, number).
        self.depth = 0
        self.loops: list[tuple[int, int]] = []
        self.generator = False
        self.function = "<module>"
        self.walrus = True
        self._number = 0

    def expression(self, node: ast.expr) -> Rewritten:
        """Rewrite an expression."""
        raise NotImplementedError

    def test_of(self, node: ast.expr) -> Rewritten:
        """Rewrite an expression that is tested for truth."""
        raise NotImplementedError

    def tested(self, node: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Rewrite a test into two arguments: whether it holds, which is asked for once, and its taint."""
        raise NotImplementedError

    def holding(self, value: ast.expr, taint: ast.expr | None) -> tuple[ast.expr, ast.expr]:
        """Return whether a rewritten test holds, and its taint after the program's own `__bool__` was asked."""
        raise NotImplementedError

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements."""
        raise NotImplementedError

    def store(
        self, target: ast.expr, value: ast.expr, taint: ast.expr | None, reads: ast.AST
    ) -> list[ast.stmt]:
        """Return statements that give a `value` of `taint` to `target`; `reads` is where it comes from."""
        raise NotImplementedError

    def store_name(self, name: str, taint: ast.expr | None, reads: ast.AST) -> list[ast.stmt]:
        """Return statements that keep the taint of a name that was given a value."""
        raise NotImplementedError

    def pair(self, node: ast.expr) -> list[ast.expr]:
        """Rewrite an expression into two arguments, its value and its taint."""
        value, taint = self.expression(node)
        return [value, known(taint)]

    def number(self) -> int:
        """Return a number that nothing else in this module has."""
        self._number += 1
        return self._number

    @property
    def in_function(self) -> bool:
        """Whether the place has locals to keep taints in."""
        return self.scope.kind == "function"

    def state(self) -> ast.expr:
        """Return the state of the running thread."""
        if self.scope.function is None:
            return attribute(load(HERE), "r")
        return load(STATE)

    def ask(self, method: str, *arguments: ast.expr) -> ast.Call:
        """Return a call of a method of the state."""
        return call(attribute(self.state(), method), *arguments)

    def tell(self, method: str, *arguments: ast.expr) -> ast.Expr:
        """Return a statement that calls a method of the state."""
        return ast.Expr(self.ask(method, *arguments))

    def field(self, name: str, context: ast.expr_context | None = None) -> ast.Attribute:
        """Return a field of the state."""
        return ast.Attribute(self.state(), name, context or ast.Load())

    def result(self) -> ast.expr:
        """Return the taint that the expression evaluated last has left."""
        return ResultTaint(ast.UnaryOp(ast.Not(), self.field("amb")), self.field("t"), self.ask("take"))

    def with_ambient(self, taint: ast.expr) -> ast.expr:
        """Return `taint`, joined with that of whatever ran in code that is not rewritten."""
        return ResultTaint(ast.UnaryOp(ast.Not(), self.field("amb")), taint, self.ask("with_ambient", taint))

    def all_atoms(self, *parts: ast.expr) -> ast.expr:
        """Return whether no name or constant of `parts` can have a shadow."""
        asked: list[ast.expr] = [
            ast.Compare(call(load(TYPE), part), [ast.In()], [load(ATOMS_SET)])
            for part in parts
            if not isinstance(part, ast.Constant) or type(part.value) not in ATOMS
        ]
        if not asked:
            return constant(True)
        return asked[0] if len(asked) == 1 else ast.BoolOp(ast.And(), asked)

    def control(self) -> ast.expr:
        """Return the part of the control taint that has come up in this function; elsewhere all of it."""
        return load(f"_pC{self.depth}") if self.in_function else self.field("c")

    def all_control(self) -> ast.expr:
        """Return the control taint of the place, as the function knows it."""
        if not self.in_function:
            return self.field("c")
        joined = join(load(ENTRY), self.control())
        return known(joined)

    def reset(self) -> ast.stmt:
        """Return a statement that gives the state this place's control taint again."""
        again = ast.Assign([self.field("c", ast.Store())], self.all_control())
        return ControlReset(self.field("c"), [again], [])

    def decide(self, site: ast.expr, held: str) -> list[ast.stmt]:
        """Return statements that note a decision by a local taint that is not 0; what follows is under it."""
        seen = tuple_of(load(held), self.field("c"))
        new = ast.Compare(ast.Subscript(load(LAST), site, ast.Load()), [ast.NotEq()], [seen])
        return [
            ast.If(new, [self.tell("note_here", site, load(held))], []),
            ast.AugAssign(self.field("c", ast.Store()), ast.BitOr(), load(held)),
        ]

    def decide_without(self, site: ast.expr) -> ast.stmt:
        """Return a statement that notes a decision that no option has a say in."""
        return ast.If(self.new_here(site), [self.tell("note_here", site, constant(0))], [])

    def site(self, node: ast.AST, kind: str, writes: str = "", reads: tuple[str, ...] = ()) -> ast.Constant:
        """Return the number of a new site at `node`."""
        line = getattr(node, "lineno", 0)
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        column = getattr(node, "col_offset", 0)
        return constant(
            new_site(InstrumentedSite(self.module, self.file, line, column, kind, text[:200], writes, reads))
        )

    def decision(self, node: ast.AST, kind: str, test: ast.expr) -> ast.Constant:
        """Return the number of a new site that decides by `test`, which is not rewritten yet."""
        return self.site(node, kind, "", read_names(test))

    def new_here(self, site: ast.expr) -> ast.expr:
        """Return whether a decision that no option has a say in is under other taints than the last time."""
        return ast.Compare(self.field("c"), [ast.NotEq()], [ast.Subscript(load(UNDER), site, ast.Load())])

    def step(self, node: ast.AST, kind: str, writes: str, taint: ast.expr) -> ast.stmt:
        """Return a statement that notes a step of propagation, where there is a taint to be propagated."""
        number = self.site(node, kind, writes, self.reading)
        into = ast.Subscript(load(STEPS), number, ast.Store())
        return ast.If(taint, [ast.AugAssign(into, ast.BitOr(), taint)], [])

    # The attributes that the function at hand gives to what it calls `self`.
    own_attributes: dict[str, None] | None = None

    # What the value of the assignment at hand is made of.
    reading: tuple[str, ...] = ()

    def shadow_of(self, name: str) -> ast.expr | None:
        """Return the taint of a name."""
        where = self.scope.where(name)
        if where in ("local", "free"):
            return load(SHADOW_PREFIX + name)
        if where == "untracked":
            return None
        key = constant(f"{self.module}:{name}")
        of_module = ast.IfExp(
            ast.Compare(key, [ast.In()], [load(GLOBAL_TABLE)]),
            ast.Subscript(load(GLOBAL_TABLE), key, ast.Load()),
            constant(0),
        )
        if where == "body":
            return join(self.ask("load_in_body", constant(name)), of_module)
        return of_module if name in self.written_globals else None

    def defaults(self, arguments: ast.arguments) -> dict[str, ast.expr]:
        """Rewrite the defaults of parameters; returns the taints that they may have, by parameter."""
        positional = [*arguments.posonlyargs, *arguments.args]
        last = positional[len(positional) - len(arguments.defaults) :]
        taints: dict[str, ast.expr] = {}
        for values, of_values in ((arguments.defaults, last), (arguments.kw_defaults, arguments.kwonlyargs)):
            for at, (one, parameter) in enumerate(zip(values, of_values, strict=True)):
                if one is not None:
                    values[at], taint = self.expression(one)
                    if taint is not None:
                        taints[parameter.arg] = taint
        return taints

    def keep_defaults(
        self, arguments: ast.arguments, signature: FunctionSignature, taints: dict[str, ast.expr]
    ) -> None:
        """Have the taints of defaults kept for the function when they are evaluated."""
        positional = [*arguments.posonlyargs, *arguments.args]
        last = positional[len(positional) - len(arguments.defaults) :]
        for values, of_values in ((arguments.defaults, last), (arguments.kw_defaults, arguments.kwonlyargs)):
            for at, (one, parameter) in enumerate(zip(values, of_values, strict=True)):
                if one is not None and parameter.arg in taints:
                    kept = (constant(signature.key), constant(parameter.arg), one, taints[parameter.arg])
                    values[at] = ast.copy_location(self.ask("keep_default", *kept), one)

    def default_of(self, signature: FunctionSignature, name: str) -> ast.expr:
        """Return the taint that the default of a parameter was seen to have."""
        key = tuple_of(constant(signature.key), constant(name))
        return call(attribute(load(DEFAULTS_TABLE), "get"), key, constant(0))

    written_globals: frozenset[str] = frozenset()

    def visit(self, kind: str, node: ast.AST) -> Any:
        """Return the method of this rewriting for nodes like `node`, None if there is none."""
        return getattr(self, f"{kind}_{type(node).__name__.lower()}", None)
