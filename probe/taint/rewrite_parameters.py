"""Rewriting of parameters: how a function takes the taints of its arguments, and those of defaults."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import (
    DEFAULTS_TABLE,
    ENTRY,
    LENGTH,
    NOTHING,
    RESUMED,
    SHADOW_PREFIX,
    assign,
    attribute,
    call,
    constant,
    load,
    stored,
    tuple_of,
)
from .scopes import parameters
from .signatures import MARK, SIGNATURES, FunctionSignature

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .rewriter import Rewriter


def _defaults(arguments: ast.arguments) -> Iterator[tuple[list[Any], int, ast.expr, str]]:
    """Yield each default: the list that holds it, its position there, the default, the name of its parameter."""
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    lists: tuple[tuple[list[Any], list[ast.arg]], ...] = (
        (arguments.defaults, last),
        (arguments.kw_defaults, arguments.kwonlyargs),
    )
    for values, of_values in lists:
        for at, (default, parameter) in enumerate(zip(values, of_values, strict=True)):
            if default is not None:
                yield values, at, default, parameter.arg


def rewrite_defaults(rewriter: Rewriter, arguments: ast.arguments) -> dict[str, ast.expr]:
    """Rewrite the defaults of parameters; returns the taints that they may have, by parameter."""
    taints: dict[str, ast.expr] = {}
    for values, at, default, name in _defaults(arguments):
        values[at], taint = rewriter.expression(default)
        if taint is not None:
            taints[name] = taint
    return taints


def keep_defaults(
    rewriter: Rewriter, arguments: ast.arguments, signature: FunctionSignature, taints: dict[str, ast.expr]
) -> None:
    """Have the taints of defaults kept for the function when they are evaluated."""
    for values, at, default, name in _defaults(arguments):
        if name in taints:
            kept = (constant(signature.key), constant(name), default, taints[name])
            values[at] = ast.copy_location(rewriter.emit_plain("calls.keep_default", *kept), default)


def default_taint(signature: FunctionSignature, name: str) -> ast.expr:
    """Return the taint that the default of a parameter was seen to have."""
    key = tuple_of(constant(signature.key), constant(name))
    return call(attribute(load(DEFAULTS_TABLE), "get"), key, constant(0))


def new_signature(
    rewriter: Rewriter, arguments: ast.arguments, *, lazy: bool, coroutine: bool = False
) -> FunctionSignature:
    """Register the parameters of a new function, whose body is rewritten next."""
    positional, star, keywords, stars = parameters(arguments)
    rewriter.first_parameter = positional[0] if positional else ""
    made = FunctionSignature(
        len(SIGNATURES), rewriter.function, tuple(positional), star, tuple(keywords), stars, lazy, coroutine
    )
    SIGNATURES.append(made)
    rewriter.mark = f"{MARK}{made.key}"
    return made


def bind_parameters(rewriter: Rewriter, signature: FunctionSignature) -> list[ast.stmt]:
    """Take the taints of the arguments, and the control taint."""
    key = constant(signature.key)
    stars = [load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)]
    shadows = [stored(SHADOW_PREFIX + name) for name in signature.order]
    mark = f"{MARK}{signature.key}"
    targets = ast.Tuple([stored(mark), *shadows], ast.Store())
    if signature.lazy:
        return [
            assign(RESUMED, rewriter.field("control")),
            ast.Assign([targets], rewriter.emit("iteration.begin_generator", key, *stars)),
            assign(ENTRY, rewriter.field("control")),
            assign("_pC0", constant(0)),
        ]
    untainted: list[ast.stmt] = [
        ast.Assign([rewriter.field("arguments", ast.Store()), stored(mark)], constant(None))
    ]
    if signature.order:
        untainted.append(ast.Assign([stored(SHADOW_PREFIX + name) for name in signature.order], constant(0)))
    asked: list[ast.stmt] = [ast.Assign([targets], rewriter.emit("bind", key, *stars))]
    if signature.parameters and signature.count == len(signature.parameters):
        asked = _bind_directly(rewriter, signature, shadows, asked)
    return [
        assign(ENTRY, rewriter.field("control")),
        assign("_pC0", constant(0)),
        ast.If(ast.Compare(rewriter.field("arguments"), [ast.Is()], [load(NOTHING)]), untainted, asked),
    ]


def _bind_directly(
    rewriter: Rewriter, signature: FunctionSignature, shadows: list[ast.Name], otherwise: list[ast.stmt]
) -> list[ast.stmt]:
    """Take the taints as they are if there is one for each parameter, none by name."""
    given = ast.Subscript(rewriter.field("arguments"), constant(1), ast.Load())
    names = ast.Subscript(rewriter.field("arguments"), constant(2), ast.Load())
    fits = [
        rewriter.field("arguments"),
        ast.Compare(
            ast.Subscript(rewriter.field("arguments"), constant(0), ast.Load()),
            [ast.Eq()],
            [constant(signature.key)],
        ),
        ast.UnaryOp(ast.Not(), names),
        ast.Compare(call(load(LENGTH), given), [ast.Eq()], [constant(signature.count)]),
    ]
    taken: list[ast.stmt] = [
        ast.Assign([ast.Tuple(list(shadows), ast.Store())], given),
        ast.Assign(
            [rewriter.field("arguments", ast.Store()), stored(f"{MARK}{signature.key}")], constant(None)
        ),
    ]
    return [ast.If(ast.BoolOp(ast.And(), fits), taken, otherwise)]
