"""The rewriting of one module: where in the source it is, and how rewritten code gets at the state of its thread."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .nodes import (
    RUNTIME_PREFIX,
    ControlReset,
    ResultTaint,
    attribute,
    call,
    constant,
    fill,
    join,
    known,
    load,
    read_names,
)
from .records import InstrumentedSite, new_site
from .scopes import NameScope
from .signatures import SHADOW_PREFIX

Handlers = Mapping[type[ast.AST], Callable[["Rewriter", Any], Any]]

# What `Rewriter.inside` puts back at the end of a function or class.
_OF_FUNCTION = (
    "scope", "depth", "loops", "walrus", "function", "mark", "generator", "coroutine", "first_parameter", "in_method", "class_name", "own_attributes", "way"
)  # fmt: skip
Rewritten = tuple[ast.expr, "ast.expr | None"]


class Rewriter:
    """The rewriting of one module, at one point of it; the `rewrite_...` modules say what becomes of each kind of node.

    Expressions are rewritten into one that has the same value and one that is its taint, None if it has none; the
    taint is evaluated after the value.
    """

    def __init__(
        self,
        module: str,
        file: str,
        *,
        lines: Sequence[str],
        handlers: Handlers,
        written_globals: frozenset[str],
        own_isinstance: bool,
        weak: bool,
    ) -> None:
        self.module = module
        self.file = file
        self.weak = weak
        self._lines = lines
        self._handlers = handlers
        # Names of the module whose taint is kept; whether the module has an `isinstance` of its own.
        self.written_globals = written_globals
        self.own_isinstance = own_isinstance
        self.scope = NameScope("module")
        # How many branches deep the point is in its function; the loops around it, as (depth, number,
        # whether its body may end it).
        self.depth = 0
        self.loops: list[tuple[int, int, bool, int]] = []
        # The statements that follow in the same block.
        self.rest: Sequence[ast.stmt] = ()
        # The function around: its name, its local for the ambient taint, whether it is a generator or coroutine, its
        # first parameter, whether it stands in a class and keeps in a local what class its first argument has; and the class around.
        self.function = "<module>"
        self.mark = ""
        self.generator = self.coroutine = False
        self.first_parameter = ""
        self.in_method = False
        self.class_name = ""
        # The attributes that the function gives to what it calls `self`.
        self.own_attributes: dict[str, None] | None = None
        # The way of a statement that the point is on, see `InstrumentedSite`.
        self.way = ""
        # Whether a name may be assigned inside of an expression here.
        self.walrus = True
        # What the value of the assignment under way is made of.
        self.reading: tuple[str, ...] = ()
        # Of the comprehensions around: each of their names, with what the iterable reads that it is drawn from.
        self.drawn: dict[str, tuple[str, ...]] = {}
        self._number = 0

    def expression(self, node: ast.expr) -> Rewritten:
        """Rewrite an expression; one without a handler is left as it is."""
        handler = self._handlers.get(type(node))
        if handler is None:
            return node, None
        value, taint = handler(self, node)
        if not hasattr(value, "lineno"):
            ast.copy_location(value, node)
        return value, taint

    def block(self, body: Sequence[ast.stmt], way: str | None = None) -> list[ast.stmt]:
        """Rewrite statements, which are on this `way`, if one is given; those without a handler are left as they are."""
        rewritten: list[ast.stmt] = []
        before, self.way = self.way, self.way if way is None else way
        for at, statement in enumerate(body):
            self.rest = body[at + 1 :]
            handler = None if getattr(statement, "counter", False) else self._handlers.get(type(statement))
            made: list[ast.stmt] = [statement] if handler is None else handler(self, statement)
            for one in made:
                if not hasattr(one, "lineno"):
                    ast.copy_location(one, statement)
                    # What goes over several lines is told, where it calls a method, by its last one.
                    one.end_lineno, one.end_col_offset = one.lineno, one.col_offset
            rewritten += made
        self.way = before
        return rewritten

    @contextmanager
    def inside(self, scope: NameScope, name: str) -> Iterator[None]:
        """Rewrite the body of a function or class called `name`."""
        before = dict(vars(self))
        self.scope, self.depth, self.loops, self.walrus, self.way = scope, 0, [], True, ""
        self.in_method = False
        prefix = "" if self.function == "<module>" else f"{self.function.partition(':')[2]}."
        self.function = f"{self.module}:{prefix}{name}"
        try:
            yield
        finally:
            for field in _OF_FUNCTION:
                setattr(self, field, before[field])

    def value(self, node: ast.expr | None) -> ast.expr | None:
        """Rewrite an expression whose taint nobody asks for, where there is one."""
        return None if node is None else self.expression(node)[0]

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
        """Whether the point is in a function, which has locals to keep taints in."""
        return self.scope.kind == "function"

    def mangled(self, name: str) -> str:
        """Return the name of an attribute as the compiler writes it inside a class."""
        owner = self.class_name.lstrip("_")
        if owner and name.startswith("__") and not name.endswith("__"):
            return f"_{owner}{name}"
        return name

    def state(self) -> ast.expr:
        """Return the state of the running thread."""
        return load("_pR") if self.scope.function is not None else attribute(load("_pa_here"), "state")

    def lately(self) -> ast.expr:
        """Return what is known of `Flows.lately`, if anything; turns of a coroutine may be run by others unseen."""
        kept = self.in_function and not self.coroutine
        if self.in_method:
            made: ast.expr = fill("_pF or _pK" if kept else "_pK", "eval")
            return made
        return load("_pF") if kept else constant(None)

    def asking_lately(self) -> ast.expr:
        """Return a call of `Flows.lately`; a method tells the class of its object."""
        return self.expr("_pa_lately(_pK)" if self.in_method else "_pa_lately()")

    def expr(self, template: str, **parts: Any) -> ast.expr:
        """Return the expression of `template`; see `nodes.fill`. In it, `state` is that of the running thread, `lately` what `lately` returns."""
        made: ast.expr = fill(template, "eval", state=self.state(), lately=self.lately(), **parts)
        return made

    def code(self, template: str, **parts: Any) -> list[ast.stmt]:
        """Return the statements of `template`; see `expr`."""
        made: list[ast.stmt] = fill(template, "exec", state=self.state(), lately=self.lately(), **parts)
        return made

    def field(self, name: str) -> ast.Attribute:
        """Return a field of the state."""
        return attribute(self.state(), name)

    def emit(self, function: str, *arguments: ast.expr) -> ast.Call:
        """Return a call of a run-time function, "module.name", with the state, or of a method of the state."""
        if "." in function:
            return self.emit_plain(function, self.state(), *arguments)
        return call(self.field(function), *arguments)

    def emit_plain(self, function: str, *arguments: ast.expr) -> ast.Call:
        """Return a call of a run-time function that needs no state."""
        module, _, name = function.partition(".")
        return call(attribute(load(RUNTIME_PREFIX + module), name), *arguments)

    def emit_expression(self, function: str, *arguments: ast.expr) -> Rewritten:
        """Return `emit` of a function that leaves the taint of its result, and this taint."""
        return self.emit(function, *arguments), self.result()

    def of_parts(self, node: ast.expr) -> Rewritten:
        """Return an expression whose parts add their taints one by one, and their union."""
        return self.emit_expression("values.end_parts", self.emit("values.begin_parts"), node)

    def emit_statement(self, function: str, *arguments: ast.expr) -> ast.Expr:
        """Return `emit` as a statement."""
        return ast.Expr(self.emit(function, *arguments))

    def end_branch(self) -> list[ast.stmt]:
        """Return the statement that ends a branch outside of functions."""
        return self.code("state.control = state.branches.pop()")

    def result(self) -> ast.expr:
        """Return the taint that the expression evaluated last has left."""
        return ResultTaint(self.expr("not state.ambient"), self.field("result"), self.emit("take"))

    def with_ambient(self, taint: ast.expr) -> ast.expr:
        """Return `taint`, joined with that of whatever ran in code that is not rewritten."""
        return ResultTaint(self.expr("not state.ambient"), taint, self.emit("with_ambient", taint))

    def control(self) -> ast.expr:
        """Return the part of the control taint that has come up in this function; elsewhere all of it."""
        return load(f"_pC{self.depth}") if self.in_function else self.field("control")

    def all_control(self) -> ast.expr:
        """Return the control taint of this point, from the locals of the function."""
        return self.expr("_pE | control", control=self.control()) if self.in_function else self.control()

    def reset(self, control: ast.expr | None = None) -> ast.stmt:
        """Return a statement that sets the control taint of the state to `control`, else to that of this point."""
        again = self.code("state.control = control", control=control or self.all_control())
        return ControlReset(self.field("control"), again, [])

    def decide(self, site: ast.expr, held: ast.expr, *also: ast.stmt) -> list[ast.stmt]:
        """Return statements that record a decision; if its local taint `held` is not 0, what follows is under it.

        Then they do what is `also` to be done.
        """
        template = """
            if held:
                if _pa_last[site] != (held, state.control):
                    state.note_decision(site, held, lately)
                state.control |= held
                also
            else:
                without
            """
        return self.code(template, site=site, held=held, also=list(also), without=self.decide_without(site))

    def decide_without(self, site: ast.expr) -> list[ast.stmt]:
        """Return a statement that records a decision without data taint."""
        template = """
            if state.control != _pa_under[site]:
                state.note_decision(site, 0, lately)
            """
        return self.code(template, site=site)

    def site(
        self,
        node: ast.AST,
        kind: str,
        writes: str = "",
        reads: tuple[str, ...] = (),
        until: int | None = None,
    ) -> ast.Constant:
        """Return the number of a new site at `node`; a decision has a say in it to its end, or `until` this line."""
        line = getattr(node, "lineno", 0)
        text = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""
        last = (getattr(node, "end_lineno", None) or line) if until is None else until
        drawn = (name for read in reads for name in self.drawn.get(read, ()))
        reads = tuple(dict.fromkeys((*reads, *drawn)))
        place = self.module, self.file, line, getattr(node, "col_offset", 0)
        return constant(new_site(InstrumentedSite(*place, kind, text[:200], writes, reads, last, self.way)))

    def decision(self, node: ast.AST, kind: str, test: ast.expr, until: int | None = None) -> ast.Constant:
        """Return the number of a new site that decides by `test`, which is not rewritten yet."""
        return self.site(node, kind, "", read_names(test), until)

    def step(self, site: ast.expr, name: str) -> list[ast.stmt]:
        """Return a statement that lets the taint in the local `name` go through the step at `site`."""
        if self.in_function and not self.coroutine:
            template = (
                "if name: name = (_pF or (_pF := asked)).steps[site].get(name) or _pa_step(_pF, site, name)"
            )
            return self.code(template, site=site, name=name, asked=self.asking_lately())
        return self.code("if name: name = _pa_told(site, name, lately)", site=site, name=name)

    def shadow_of(self, name: str) -> ast.expr | None:
        """Return the taint of a name."""
        where = self.scope.where(name)
        if where in ("local", "free"):
            return load(SHADOW_PREFIX + name)
        if where == "untracked":
            return None
        key = constant(f"{self.module}:{name}")
        of_module = self.expr("_pa_globals[key] if key in _pa_globals else 0", key=key)
        if where == "body":
            return join(self.emit("blocks.load_in_class_body", constant(name)), of_module)
        return of_module if name in self.written_globals else None
