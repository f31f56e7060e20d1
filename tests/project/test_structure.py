"""The house stays small: no crumbs, no name twice, no logic in faces, no types and parameters that carry nothing."""

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from tests.project.handed_on import chains
from tests.project.structure import (
    AnyFunction,
    Definition,
    ProductModule,
    importers,
    product,
    used_words,
    words_of,
    words_outside,
)

FLOOR_LINES = 40
# Modules under the floor with a single importer, each with the reason why it is not merged.
SMALL_MODULES: dict[str, str] = {
    "dashboard.figures.badges": "a picture is a pure function, apart from who may see it",
    "dashboard.figures.two_revisions": "a figure is a pure function, apart from what freezes or shows it",
    "dashboard.pages.history_list.ids": "a page's ids stand apart from what draws it",
    "dashboard.pages.overview.analysis": "the overview has a module for each kind of card",
    "dashboard.services.demo": "a command is thin: what it does stands in a service",
    "dashboard.uploads": "Django loads it by its name before anything else of ours",
}
# Class names that Django and its commands look for.
CLASSES_OF_DJANGO = {"Command", "Migration", "Meta"}
# What Gunicorn looks for in its settings, and the class of a command.
FOUND_BY_NAME = {"Command", "on_exit", "on_starting", "post_fork"}
# Decorators that register nothing.
PLAIN_DECORATORS = {
    "cache",
    "cached_property",
    "contextmanager",
    "dataclass",
    "lru_cache",
    "runtime_checkable",
    "total_ordering",
}
MOST_FUNCTIONS_IN_A_CHAIN = 4

# Of the private functions of the product: beyond it they are paragraphs that were cut out.
MOST_USED_ONCE = 0.5


def _public_classes() -> Iterator[tuple[ProductModule, ast.ClassDef]]:
    for module in product().values():
        for node in module.definitions():
            if isinstance(node, ast.ClassDef) and node.name[0] != "_" and node.name not in CLASSES_OF_DJANGO:
                yield module, node


def small_modules() -> set[str]:
    """A module under the floor with a single importer is a paragraph of it, unless `SMALL_MODULES` says why not."""
    return {
        module.name
        for module in product().values()
        if module.lines < FLOOR_LINES and len(importers()[module.name]) == 1 and not module.is_face
    } - SMALL_MODULES.keys()


def classes_of_one_name() -> set[str]:
    """Over the whole product no two public classes have one name: who searches for a word finds one thing."""
    names = [node.name for _, node in _public_classes()]
    return {name for name in names if names.count(name) > 1}


def faces_with_logic() -> set[str]:
    """An `__init__` re-exports or says what the package is for; functions and classes have modules with names."""
    return {module.name for module in product().values() if module.is_face and any(module.definitions())}


def stubs() -> set[str]:
    """A class is whole or made of parts; what differs by kind is a `Protocol` or a function that is passed."""
    return {
        f"{module.name}:{node.lineno}"
        for module in product().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Raise) and "NotImplementedError" in ast.unparse(node)
    }


def names_for_tests() -> set[str]:
    """Each public function and class of a module is used by the product, its tools, settings or templates."""
    found = set()
    for module in product().values():
        for node in module.definitions():
            if node.name[0] == "_" or node.name in FOUND_BY_NAME or not _is_plain(node):
                continue
            own = sum(word == node.name for word in words_of(node))
            used = sum(used_words(name).get(node.name, 0) for name in product()) - own
            exported = sum(node.name in other.imported and other.is_face for other in product().values())
            if used - exported <= 0 and node.name not in words_outside():
                found.add(f"{module.name}.{node.name}")
    return found


def _is_plain(node: Definition) -> bool:
    """Whether nothing but its name leads to a definition: no decorator registers it, Django does not look for it."""
    names = {re.split(r"[.(]", ast.unparse(one).removeprefix("functools."))[0] for one in node.decorator_list}
    return names <= PLAIN_DECORATORS and not (
        isinstance(node, ast.ClassDef) and any("AppConfig" in ast.unparse(base) for base in node.bases)
    )


def _is_dataclass(node: Definition) -> bool:
    return any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def _annotations(node: Definition) -> set[str]:
    """Return the names in the public annotations of a function, or of a class's fields and public methods."""
    found: list[ast.expr | None] = []
    for inner in ast.walk(node) if isinstance(node, ast.ClassDef) else [node]:
        if isinstance(inner, AnyFunction) and (
            inner is node or inner.name[0] != "_" or inner.name == "__init__"
        ):
            arguments = (*inner.args.posonlyargs, *inner.args.args, *inner.args.kwonlyargs)
            found += [inner.returns, *(one.annotation for one in arguments)]
        elif isinstance(inner, ast.AnnAssign):
            found.append(inner.annotation)
    texts = [ast.unparse(one) for one in found if one is not None]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def _crossing(module: ProductModule) -> set[str]:
    """Return the names of a module that other modules use, by name or through the signature of one that they use."""
    others = [used_words(name) for name in product() if name != module.name]
    definitions = {node.name: node for node in module.definitions()}
    aliases = {
        target.id: set(re.findall(r"\w+", ast.unparse(node.value)))
        for node in module.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    crossing = {name for name in (*definitions, *aliases) if any(name in words for words in others)}
    todo = set(crossing)
    while todo:
        name = todo.pop()
        reached = _annotations(definitions[name]) if name in definitions else aliases[name]
        more = (reached & (definitions.keys() | aliases.keys())) - crossing
        crossing |= more
        todo |= more
    return crossing


def dataclasses_inside() -> set[str]:
    """Another module names a public dataclass, or gets it from what it uses; else it is private or plain values."""
    return {
        f"{module.name}.{node.name}"
        for module, node in _public_classes()
        if _is_dataclass(node) and node.name not in _crossing(module)
    }


def operators() -> set[str]:
    """Commands and tasks alone act as operator; below them, whoever asks has resolved an access."""
    return {
        module.name
        for module in product().values()
        if "Principal.operator(" in module.path.read_text(encoding="utf-8")
        and "management" not in module.path.parts
        and module.name not in {"dashboard.tasks", "dashboard.access"}
    }


RULES = (
    small_modules,
    classes_of_one_name,
    faces_with_logic,
    stubs,
    names_for_tests,
    dataclasses_inside,
    operators,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rules_of_structure_hold(rule: Callable[[], set[str]]) -> None:
    """Each rule says which names break it."""
    found = rule()
    assert not found, f"{rule.__doc__} {sorted(found)}"


def test_private_functions_are_not_paragraphs() -> None:
    """A function with one use and a few lines is a paragraph of its caller, not a function of its own."""
    uses = [
        used_words(module.name).get(node.name, 0)
        for module in product().values()
        for node in ast.walk(module.tree)
        if isinstance(node, AnyFunction) and re.match(r"_(?!_)", node.name)
    ]
    share = sum(count == 1 for count in uses) / len(uses)
    assert share <= MOST_USED_ONCE, f"{share:.3f} of {len(uses)} private functions have one use"


def test_parameters_are_not_handed_on_through_many_functions() -> None:
    """What five functions in a row only hand on, belongs to an object that they share."""
    long = {node: chain for node, chain in chains().items() if len(chain) > MOST_FUNCTIONS_IN_A_CHAIN}
    longest = sorted(long.items(), key=lambda item: -len(item[1]))[:5]
    assert not long, "\n".join(f"{name}: {chain}" for (_, name), chain in longest)
