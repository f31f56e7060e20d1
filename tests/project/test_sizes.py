"""Modules and functions stay small enough to be read at once."""

import ast

from tests.project.tracked import place, python_modules, syntax_tree

MODULE_LINES = 300
FUNCTION_LINES = 40
Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """Lines from the first statement to the end: neither decorators, nor the signature, nor the docstring."""
    statements = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def test_no_module_is_longer_than_300_lines() -> None:
    """Migrations apart."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_modules()}
    too_long = [f"{place(path)}: {lines} lines" for path, lines in lengths.items() if lines > MODULE_LINES]
    assert not too_long, "\n".join(too_long)


def test_no_function_is_longer_than_40_lines() -> None:
    """What counts is the body: decorators and signature may be a callback's long list of inputs."""
    too_long = [
        f"{place(path, node.lineno)} {node.name}: {body_lines(node)} lines"
        for path in python_modules()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, Function) and body_lines(node) > FUNCTION_LINES
    ]
    assert not too_long, "\n".join(too_long)


def test_only_the_body_counts() -> None:
    """A signature of two lines and a docstring of two are left out; a function of a docstring alone is empty."""
    function = ast.parse('def f(\n  a):\n    """One.\n    Two."""\n    b = a\n    return b\n').body[0]
    assert isinstance(function, ast.FunctionDef)
    assert body_lines(function) == 2
    empty = ast.parse('def f():\n    """One."""\n').body[0]
    assert isinstance(empty, ast.FunctionDef)
    assert body_lines(empty) == 0
