"""What the modules of the product define, import and use, read from their syntax trees."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.project.tracked import ROOT, python_modules, syntax_tree, tracked_files

PACKAGES = ("analytics", "dashboard", "probe", "runner", "studies")
AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class ProductModule:
    """A module of the product: its dotted name, tree and length, and what its names are bound to by imports.

    `imported` maps a local name to the dotted name of a module, or of a module and a name of it.
    """

    name: str
    path: Path
    tree: ast.Module
    lines: int
    imported: dict[str, str] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)

    @property
    def is_face(self) -> bool:
        """Whether it is the `__init__` of a package."""
        return self.path.name == "__init__.py"

    def definitions(self) -> Iterator[Definition]:
        """Yield its functions and classes, without those inside of others."""
        yield from (node for node in self.tree.body if isinstance(node, Definition))


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read_imports(module: ProductModule, names: set[str]) -> None:
    package = module.name if module.is_face else module.name.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module.imports |= {alias.name} & names
                module.imported[alias.asname or alias.name.partition(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            module.imports |= {base} & names
            for alias in node.names:
                module.imports |= {f"{base}.{alias.name}"} & names
                module.imported[alias.asname or alias.name] = f"{base}.{alias.name}"


@cache
def product() -> dict[str, ProductModule]:
    """Every module of the product by its dotted name, migrations apart."""
    found: dict[str, ProductModule] = {}
    for path in python_modules():
        if path.relative_to(ROOT).parts[0] in PACKAGES:
            lines = len(path.read_text(encoding="utf-8").splitlines())
            found[_dotted(path)] = ProductModule(_dotted(path), path, syntax_tree(path), lines)
    for module in found.values():
        _read_imports(module, set(found))
    return found


@cache
def importers() -> dict[str, set[str]]:
    """For each module of the product, the modules of the product that import it."""
    found: dict[str, set[str]] = {name: set() for name in product()}
    for module in product().values():
        for name in module.imports - {module.name}:
            found[name].add(module.name)
    return found


def words_of(tree: ast.AST) -> Iterator[str]:
    """Yield each name that `tree` uses: names, attributes, imported names, words of texts that are no docstring."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | Definition) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from node.value.replace(":", ".").split(".")
            # Templates of rewritten code are code: they call functions of the probe as `_pa_module.function`.
            yield from re.findall(r"\b_pa_\w+\.(\w+)", node.value)


@cache
def used_words(name: str) -> dict[str, int]:
    """How often the module called `name` uses each name."""
    counts: dict[str, int] = {}
    for word in words_of(product()[name].tree):
        counts[word] = counts.get(word, 0) + 1
    return counts


@cache
def words_outside() -> frozenset[str]:
    """The names used by what is neither product nor test: tools, benchmarks, subjects, settings, templates, documents."""
    found: set[str] = set()
    for path in tracked_files():
        first = path.relative_to(ROOT).parts[0]
        if first in {*PACKAGES, "tests"} and path.suffix == ".py":
            continue
        if path.suffix == ".py":
            found |= set(words_of(syntax_tree(path)))
        elif path.suffix in {".toml", ".html", ".sh", ".cfg", ".yml", ".yaml", ""}:
            text = path.read_text(encoding="utf-8", errors="ignore")
            found |= {
                word for part in text.split() for word in part.replace(":", ".").replace("=", ".").split(".")
            }
    return frozenset(found)


def functions_of(module: ProductModule) -> Iterator[tuple[str, AnyFunction]]:
    """Yield functions and methods with their qualified names; those inside of functions are part of these."""
    for node in module.tree.body:
        if isinstance(node, AnyFunction):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, AnyFunction))
