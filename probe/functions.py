"""Functions as they stand in source files: where they begin and end, their text, a hash of their body."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import sys
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    _Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# Longer texts than this are not carried along; tables of data written as code are the usual case.
LONGEST_SOURCE = 64 * 1024
MODULE = "<module>"

_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_BLOCKS = {tokenize.INDENT, tokenize.DEDENT}


@dataclass(frozen=True)
class SourceRegion:
    """A function or method as it stands in its file; nested functions and comprehensions are part of it.

    `key` is stable between revisions: "package.module:Class.method". `file` is relative to where modules are
    imported from; lines count from 1, decorators included. `body_hash` ignores name, comments, docstring,
    indentation and blank lines. `source` is empty where the text is missing or longer than `LONGEST_SOURCE`.
    """

    key: str
    module: str
    qualified_name: str
    file: str
    first_line: int
    last_line: int
    body_hash: str
    source: str


class RegionIndex:
    """The outermost functions of one parsed module, by line."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self._module = module
        self._spans = _outermost(tree)

    def find(self, line: int) -> tuple[str, int, int, _Definition] | None:
        """Return qualified name, first and last line and node of the function around `line`, None outside of all."""
        for (first, last), (name, node) in self._spans.items():
            if first <= line <= last:
                return name, first, last, node
        return None

    def key_at(self, line: int) -> str:
        """Return the key of the region that `line` belongs to: a function, else the module's own."""
        found = self.find(line)
        return f"{self._module}:{MODULE if found is None else found[0]}"


class SourceFile:
    """One source file, parsed once; answers which function a line belongs to."""

    def __init__(self, module: str, path: str) -> None:
        self._module = module
        self._file = relative_to_path(path)
        try:
            with tokenize.open(path) as source:
                self._lines = source.read().splitlines(keepends=True)
            tree = ast.parse("".join(self._lines))
        except (OSError, SyntaxError, UnicodeDecodeError, ValueError):
            self._lines = []
            tree = ast.Module(body=[], type_ignores=[])
        self._index = RegionIndex(module, tree)
        self._made: dict[str, SourceRegion] = {}

    def region_at(self, line: int, name: str) -> SourceRegion:
        """Return the outermost function around `line`, else the module's own region.

        Without a readable source the code object's own `name` is all there is, on that one line.
        """
        found = self._index.find(line)
        if found is not None:
            return self._region(*found)
        if self._lines:
            return self._region(MODULE, 1, len(self._lines), None)
        return self._region(name.split(".<", 1)[0], line, line, None)

    def _region(self, qualified: str, first: int, last: int, node: _Definition | None) -> SourceRegion:
        made = self._made.get(qualified)
        if made is None:
            text = "".join(self._lines[first - 1 : last])
            made = self._made[qualified] = SourceRegion(
                key=f"{self._module}:{qualified}",
                module=self._module,
                qualified_name=qualified,
                file=self._file,
                first_line=first,
                last_line=last,
                body_hash=_body_hash(self._lines, node, text),
                source=text if len(text) <= LONGEST_SOURCE else "",
            )
        return made


class SourceFiles:
    """Source files, each parsed once; `functions` has all that were asked for, as plain JSON values by key."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, str], SourceFile] = {}
        self.functions: dict[str, dict[str, Any]] = {}

    def region_at(self, module: str, path: str, line: int, name: str = "") -> SourceRegion:
        """Return the region of a line; see `SourceFile.region_at`."""
        if (module, path) not in self._files:
            self._files[module, path] = SourceFile(module, path)
        found = self._files[module, path].region_at(line, name)
        self.functions[found.key] = vars(found)
        return found


def relative_to_path(path: str) -> str:
    """Return `path` relative to the longest entry of sys.path above it, else its last part."""
    above = [entry for entry in sys.path if entry and path.startswith(entry.rstrip(os.sep) + os.sep)]
    return os.path.relpath(path, max(above, key=len)) if above else os.path.split(path)[1]


def function_hashes(text: str) -> dict[str, str]:
    """Return a hash of each function by its qualified name, and of what is outside of all functions under `MODULE`.

    Comments, docstrings and layout do not count. Raises `SyntaxError` and `ValueError` for what is no Python.
    """
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    found: dict[str, str] = {}
    for name, node in _outermost(tree).values():
        found[name] = _body_hash(lines, node, "")
        node.body = []
    for outer in ast.walk(tree):
        if (
            isinstance(outer, (ast.Module, ast.ClassDef))
            and ast.get_docstring(outer, clean=False) is not None
        ):
            del outer.body[0]
    found[MODULE] = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return found


def _outermost(tree: ast.Module) -> dict[tuple[int, int], tuple[str, _Definition]]:
    """Return first and last line of every function that is in no other function, with its qualified name.

    A name that is defined again (property setters, overloads, branches) gets "#2", "#3", ... in file order.
    """
    spans: dict[tuple[int, int], tuple[str, _Definition]] = {}
    seen: dict[str, int] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = prefix + child.name
                seen[name] = seen.get(name, 0) + 1
                if seen[name] > 1:
                    name = f"{name}#{seen[name]}"
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                spans[first, child.end_lineno or child.lineno] = (name, child)
            else:
                visit(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)

    visit(tree, "")
    return spans


def _body_hash(lines: list[str], node: _Definition | None, text: str) -> str:
    """Return a hash of the tokens of parameters and body: a moved, renamed or re-commented function keeps it."""
    name, docstring = None, (0, 0)
    if node is not None:
        text = "".join(lines[node.lineno - 1 : node.end_lineno])
        name = node.name
        head = node.body[0]
        if isinstance(head, ast.Expr) and ast.get_docstring(node, clean=False) is not None:
            docstring = (head.lineno - node.lineno + 1, (head.end_lineno or head.lineno) - node.lineno + 1)
    try:
        words = list(_words(text, name, docstring))
    except (tokenize.TokenError, IndentationError):
        words = text.split()
    if words[:1] == ["INDENT"]:
        # A method stands one block deeper than a function.
        words = words[1:-1]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _words(text: str, name: str | None, docstring: tuple[int, int]) -> Iterator[str]:
    """Yield the tokens of `text` without comments, blank lines, the lines of the docstring and the `name`."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _BLOCKS:
            yield tokenize.tok_name[token.type]
        elif token.type in _LAYOUT or docstring[0] <= token.start[0] <= docstring[1]:
            continue
        elif token.type == tokenize.NEWLINE:
            yield "NEWLINE"
        elif token.string == name:
            # Only the first one is the definition; a recursive call is part of the body.
            name = None
        else:
            yield token.string
