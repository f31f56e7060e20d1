"""Rewriting of parameters: how a function takes the taints of its arguments, and those of defaults."""

import ast
from collections.abc import Iterator
from typing import Any

from .nodes import constant, load, stored
from .rewriter import Rewriter
from .scopes import parameters
from .signatures import MARK, SHADOW_PREFIX, SIGNATURES, FunctionSignature

_BOUND = "mark, shadows = state.bind(key, stars)"
# The taints of arguments are taken as they are if there is one for each parameter, none by name.
_TAKEN = f"""
if (state.arguments and state.arguments[0] == key and not state.arguments[2]
        and _pa_len(state.arguments[1]) == count):
    (shadows,) = state.arguments[1]
    state.arguments = mark = None
else:
    {_BOUND}
"""


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


def default_taint(rewriter: Rewriter, signature: FunctionSignature, name: str) -> ast.expr:
    """Return the taint that the default of a parameter was seen to have."""
    return rewriter.expr("_pa_defaults.get((key, name), 0)", key=signature.key, name=constant(name))


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
    """Take the state of the thread, the class of a method's object, the taints of the arguments, and the control taint."""
    template = "_pR = _pa_here.state; _pF = None" + "; _pK = _pa_type(own)" * rewriter.in_method
    begin = rewriter.code(template, own=rewriter.first_parameter)
    shadows = [stored(SHADOW_PREFIX + name) for name in signature.order]
    of_function = {
        "key": signature.key,
        "mark": f"{MARK}{signature.key}",
        "shadows": shadows,
        "stars": [load(name) if name else constant(None) for name in (signature.vararg, signature.kwarg)],
        "noted": rewriter.code("if _pE: _pF = asked", asked=rewriter.asking_lately()),
    }
    if signature.lazy:
        template = """
            _pS = state.control
            mark, shadows = _pa_generators.begin_generator(state, key, stars)
            _pE, _pC0 = state.control, 0
            noted
            """
        return begin + rewriter.code(template, **of_function)
    fits = signature.parameters and signature.count == len(signature.parameters)
    asked = rewriter.code(_TAKEN if fits else _BOUND, **of_function, count=signature.count)
    template = """
        _pE, _pC0 = state.control, 0
        noted
        if state.arguments is _pa_nothing:
            state.arguments = mark = None
            untainted
        else:
            asked
        """
    of_function["untainted"] = rewriter.code("shadows = 0", shadows=shadows) if shadows else []
    return begin + rewriter.code(template, **of_function, asked=asked)
