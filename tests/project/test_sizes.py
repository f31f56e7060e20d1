"""Modules and functions stay small enough to be read at once."""

import ast

from tests.project.tracked import place, python_modules, syntax_tree

MODULE_LINES = 300
FUNCTION_LINES = 40
Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """Lines from `def` to the end, without the docstring."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_no_module_is_longer_than_300_lines() -> None:
    """Migrations apart."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_modules()}
    too_long = [f"{place(path)}: {lines} lines" for path, lines in lengths.items() if lines > MODULE_LINES]
    assert not too_long, "\n".join(too_long)


def test_no_function_is_longer_than_40_lines() -> None:
    """Without its docstring, and without its decorators, which may be a callback's long list of inputs."""
    too_long = [
        f"{place(path, node.lineno)} {node.name}: {body_lines(node)} lines"
        for path in python_modules()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, Function) and body_lines(node) > FUNCTION_LINES
    ]
    assert not too_long, "\n".join(too_long)


def test_a_docstring_does_not_count() -> None:
    """Three lines of a function with a docstring of two are left as two: `def` and `return`."""
    function = ast.parse('def f():\n    """One.\n    Two."""\n    return 1\n').body[0]
    assert isinstance(function, ast.FunctionDef)
    assert body_lines(function) == 2
