"""Modules and functions stay small enough to be read at once."""

import ast

from tests.project.tracked import place, python_modules, syntax_tree

MODULE_LINES = 300
FUNCTION_LINES = 40
# Modules that are one class and longer, each with the reason why the class is not made of parts.
LONG_CLASSES: dict[str, str] = {}
# How much of such a module its class takes up at least; the rest is imports, constants and small private functions.
SHARE_OF_CLASS = 2 / 3
Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """Lines from the first statement to the end: neither decorators, nor the signature, nor the docstring."""
    statements = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (function.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def is_one_class(tree: ast.Module, lines: int) -> bool:
    """Whether a module of `lines` lines is one public class, with nothing else that is public or large beside it."""
    definitions = [node for node in tree.body if isinstance(node, ast.ClassDef | Function)]
    public = [node for node in definitions if node.name[0] != "_"]
    if len(public) != 1 or not isinstance(public[0], ast.ClassDef):
        return False
    return (public[0].end_lineno or 0) - public[0].lineno + 1 >= SHARE_OF_CLASS * lines


def test_no_module_is_longer_than_300_lines() -> None:
    """Migrations apart; a module that is one class may be longer if `LONG_CLASSES` says why."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_modules()}
    too_long = {place(path): path for path, lines in lengths.items() if lines > MODULE_LINES}
    unlisted = [
        f"{name}: {lengths[path]} lines" for name, path in too_long.items() if name not in LONG_CLASSES
    ]
    assert not unlisted, "\n".join(unlisted)
    several = [name for name, path in too_long.items() if not is_one_class(syntax_tree(path), lengths[path])]
    assert not several, f"more than one class: {several}"
    short = sorted(LONG_CLASSES.keys() - too_long.keys())
    assert not short, f"no longer than {MODULE_LINES} lines, so they need no exception: {short}"


def test_one_class_with_a_constant_is_one_class() -> None:
    """A second public name, or a class that is less than two thirds of its module, is not."""
    source = (
        "A = 1\n\n\nclass B:\n    x = 1\n    y = 2\n    z = 3\n    w = 4\n    v = 5\n    u = 6\n    t = 7\n"
    )
    assert is_one_class(ast.parse(source), 11)
    assert not is_one_class(ast.parse(source), 13)
    assert not is_one_class(ast.parse(source + "def f(): ...\n"), 12)
    assert is_one_class(ast.parse(source + "def _f(): ...\n"), 12)


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
