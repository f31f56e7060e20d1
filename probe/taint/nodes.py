"""Short ways to build the syntax that the rewriting puts in, and the names that it uses."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from textwrap import dedent
from typing import Any

# Before the name of a module whose functions rewritten code calls.
RUNTIME_PREFIX = "_pa_"

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "or_", ast.BitXor: "xor",
    ast.BitAnd: "and_", ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is_", ast.IsNot: "is_not", ast.In: "isin", ast.NotIn: "notin",
}  # fmt: skip


class ResultTaint(ast.IfExp):
    """The taint of what was evaluated last: it must be read before anything else is evaluated."""


class ControlReset(ast.If):
    """Sets the control taint of the state to that of a point of the program."""


@cache
def _maker(template: str, mode: str, kinds: tuple[tuple[str, type], ...]) -> Callable[..., Any]:
    """Return a function that makes the syntax of `template`, given the parts that its names stand for.

    A tree is dumped as the calls that make it, so the template is parsed once and made as quickly as by hand.
    """
    tree = ast.parse(dedent(template).strip(), mode=mode).body  # type: ignore[attr-defined]
    made = ast.dump(tree) if mode == "eval" else f"[{', '.join(map(ast.dump, tree))}]"
    made = re.sub(r"'(_p[A-Z])n'", r"f'\1{n}'", made)
    for name, kind in kinds:
        use = rf"Name\(id='{name}'(?:, ctx=\w+\(\))?\)"
        if kind is str:
            made = made.replace(f"id='{name}'", f"id={name}")
        elif kind is list:
            made = re.sub(rf"Expr\(value={use}\)|{use}", f"*{name}", made)
        else:
            made = re.sub(use, f"Constant(value={name})" if kind is int else name, made)
    maker: Callable[..., Any] = eval(f"lambda {', '.join(name for name, _ in kinds)}: {made}", vars(ast))  # noqa: S307 - our own text
    return maker


def fill(template: str, mode: str, **parts: Any) -> Any:
    """Return the expression (`mode` "eval") or the statements ("exec") of `template`, Python with names for its parts.

    Each name of `parts` in it stands for an expression, for a list of expressions or statements, for another name
    (a text), for a number, or for no taint (None); in `_pVn` and its like, `n` is the number of a local.
    """
    parts = {name: 0 if part is None else part for name, part in parts.items()}
    kinds = [
        (name, kind if (kind := type(part)) in (str, list, int) else ast.AST) for name, part in parts.items()
    ]
    return _maker(template, mode, tuple(kinds))(**parts)


def without_reset(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a block without the last reset, for where another one follows it."""
    return body[:-1] if len(body) > 1 and isinstance(body[-1], ControlReset) else body


def load(name: str) -> ast.Name:
    """Return a use of `name`."""
    return ast.Name(name, ast.Load())


def stored(name: str) -> ast.Name:
    """Return `name` as a target."""
    return ast.Name(name, ast.Store())


def constant(value: object) -> ast.Constant:
    """Return a constant."""
    return ast.Constant(value)  # type: ignore[arg-type]


def attribute(value: ast.expr, name: str) -> ast.Attribute:
    """Return `value.name`."""
    return ast.Attribute(value, name, ast.Load())


def call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    """Return a call."""
    return ast.Call(function, list(arguments), [])


def assign(name: str, value: ast.expr) -> ast.Assign:
    """Return `name = value`."""
    return ast.Assign([stored(name)], value)


def tuple_of(*items: ast.expr) -> ast.Tuple:
    """Return a tuple display."""
    return ast.Tuple(list(items), ast.Load())


def operator_name(operator: ast.AST) -> ast.Attribute:
    """Return the function that does what `operator` does."""
    return attribute(load("_pa_operator"), _OPERATORS[type(operator)])


def in_place_name(operator: ast.AST) -> ast.Attribute:
    """Return the function that does what `operator` does as an assignment."""
    return attribute(load("_pa_operator"), "i" + _OPERATORS[type(operator)].rstrip("_"))


def join(*taints: ast.expr | None) -> ast.expr | None:
    """Return the union of `taints`; None stands for no taint."""
    known = [taint for taint in taints if taint is not None]
    if not known:
        return None
    joined = known[0]
    for taint in known[1:]:
        joined = ast.BinOp(joined, ast.BitOr(), taint)
    return joined


def known(taint: ast.expr | None) -> ast.expr:
    """Return `taint` as an expression."""
    return constant(0) if taint is None else taint


def volatile(taint: ast.expr | None) -> bool:
    """Whether `taint` has to be read before anything else is evaluated."""
    return taint is not None and any(isinstance(node, ResultTaint) for node in ast.walk(taint))


def quiet(node: ast.expr) -> bool:
    """Whether evaluating `node` of the program's own source leaves the taint of the last result alone."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return True
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name)
    if isinstance(node, ast.UnaryOp):
        return quiet(node.operand)
    return False


def never_calls(test: ast.expr) -> bool:
    """Whether the truth of `test` is native: no `__bool__` of the program can run."""
    native = (ast.Is, ast.IsNot)
    return isinstance(test, ast.Constant) or (
        isinstance(test, ast.Compare) and all(isinstance(one, native) for one in test.ops)
    )


def again(node: ast.expr) -> bool:
    """Whether `node` can be evaluated twice without anybody noticing."""
    return isinstance(node, (ast.Name, ast.Constant))


def add(name: str, taint: ast.expr) -> ast.stmt:
    """Return a statement that joins `taint` into the local `name`."""
    return ast.AugAssign(stored(name), ast.BitOr(), taint)


def stored_names(node: ast.AST) -> list[str]:
    """Return the names that `node` gives a value to."""
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a function's `body` that run in its own frame (comprehensions' parts apart)."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo.extend(node.decorator_list)
        elif isinstance(node, ast.Lambda):
            continue
        else:
            todo.extend(ast.iter_child_nodes(node))


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


def way_of(node: ast.stmt | ast.ExceptHandler | ast.pattern, kind: str) -> str:
    """Return the name of a way of a statement: the place and kind of its counter in `probe.counting`."""
    return f"{node.lineno}:{node.col_offset}:{kind}"
