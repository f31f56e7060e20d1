"""Parameters that functions of the product only hand on, and the longest chains of such functions."""

import ast
from functools import cache

from tests.project.structure import AnyFunction, ProductModule, functions_of, product

# A function and one of its parameters: "module:function" and the name.
Node = tuple[str, str]
# What stands for `self` in modules of functions over one object.
OWN = {"self", "cls", "rewriter", "state", "call"}


@cache
def _functions() -> dict[str, tuple[ProductModule, AnyFunction]]:
    return {
        f"{module.name}:{name}": (module, node)
        for module in product().values()
        for name, node in functions_of(module)
    }


def _parameters(node: AnyFunction) -> list[str]:
    return [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _resolved(module: ProductModule, inside: str, called: ast.expr) -> str | None:
    """Return the function of the product that a call names, None if it is none or not known."""
    if isinstance(called, ast.Name):
        if f"{module.name}:{called.id}" in _functions():
            return f"{module.name}:{called.id}"
        return _defined(module.imported.get(called.id, ""))
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        if called.value.id == "self":
            method = f"{module.name}:{inside.partition('.')[0]}.{called.attr}"
            return method if method in _functions() else None
        return _defined(f"{module.imported.get(called.value.id, '')}.{called.attr}")
    return None


def _defined(dotted: str) -> str | None:
    """Return where a dotted name is defined, also through the faces of packages."""
    for _ in range(5):
        owner, _, name = dotted.rpartition(".")
        if f"{owner}:{name}" in _functions():
            return f"{owner}:{name}"
        module = product().get(owner)
        if module is None or name not in module.imported:
            return None
        dotted = module.imported[name]
    return None


def _handed_to(key: str, parameter: str) -> list[Node] | None:
    """Return to whom a function hands a parameter; None if it does anything else with it."""
    module, node = _functions()[key]
    handed: list[Node] = []
    seen: set[int] = set()
    for call in (inner for inner in ast.walk(node) if isinstance(inner, ast.Call)):
        callee = _resolved(module, key.partition(":")[2], call.func)
        names = _parameters(_functions()[callee][1]) if callee is not None else []
        names = names[1:] if names[:1] in (["self"], ["cls"]) else names
        given = [
            *zip(names, call.args, strict=False),
            *((keyword.arg or "", keyword.value) for keyword in call.keywords),
        ]
        direct = {id(value) for value in (*call.args, *(keyword.value for keyword in call.keywords))}
        for name, value in given:
            if isinstance(value, ast.Name) and value.id == parameter and callee is not None and name in names:
                handed.append((callee, name))
        seen |= direct
    used = [
        inner
        for statement in node.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Name) and inner.id == parameter
    ]
    return handed if used and all(id(inner) in seen for inner in used) else None


@cache
def chains() -> dict[Node, tuple[str, ...]]:
    """For each parameter that is only handed on: the longest chain of functions that only hand it on, itself first."""
    edges: dict[Node, list[Node]] = {}
    for key, (_, node) in _functions().items():
        for parameter in _parameters(node):
            handed = None if parameter in OWN else _handed_to(key, parameter)
            if handed is not None:
                edges[key, parameter] = handed
    found: dict[Node, tuple[str, ...]] = {}

    def longest(node: Node, above: frozenset[Node]) -> tuple[str, ...]:
        if node not in edges or node in above:
            return ()
        if node not in found:
            further = [longest(following, above | {node}) for following in edges[node]]
            found[node] = (node[0], *max(further, key=len, default=()))
        return found[node]

    for begin in edges:
        longest(begin, frozenset())
    return found
