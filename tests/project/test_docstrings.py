"""What is public says what it is."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.project.tracked import ROOT, place, python_modules, syntax_tree

# Django and argparse say what these are; a command's own docstring is its `help`.
CONTRACTS_OF_LIBRARIES = {"add_arguments", "handle", "ready"}


def _public(tree: ast.Module) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and classes of a module and the methods of its classes, without a leading underscore."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
            yield node
            if isinstance(node, ast.ClassDef):
                methods = (child for child in node.body if isinstance(child, ast.FunctionDef))
                yield from (method for method in methods if method.name[0] != "_" and not _inherits(method))


def _inherits(method: ast.FunctionDef) -> bool:
    """Whether a base class documents the method already."""
    names = {node.id for node in method.decorator_list if isinstance(node, ast.Name)}
    return "override" in names or method.name in CONTRACTS_OF_LIBRARIES


def _is_command(path: Path, node: ast.AST) -> bool:
    return "commands" in path.parts and isinstance(node, ast.ClassDef) and node.name == "Command"


def test_public_functions_and_classes_have_docstrings() -> None:
    """Outside tests; the class of a command has its `help` instead."""
    modules = [path for path in python_modules() if (ROOT / "tests") not in path.parents]
    missing = [
        f"{place(path, node.lineno)} {node.name}"
        for path in modules
        for node in _public(syntax_tree(path))
        if ast.get_docstring(node) is None and not _is_command(path, node)
    ]
    assert not missing, "\n".join(missing)
