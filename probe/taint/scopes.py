"""Which names are local to what, by Python's rules."""

import ast
from typing import Literal

Where = Literal["local", "free", "global", "body", "untracked"]


class NameScope:
    """Names that a function, class body, comprehension or module binds; `parent` is what surrounds it."""

    def __init__(
        self, kind: Literal["module", "class", "function", "comprehension"], parent: "NameScope | None" = None
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.names: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.untracked: set[str] = set()

    def where(self, name: str) -> Where:
        """Return whose `name` is, seen from here; "untracked": bound where its taint is not kept."""
        scope: NameScope | None = self
        first = True
        while scope is not None:
            if name in scope.untracked:
                return "untracked"
            if name in scope.globals or scope.kind == "module":
                return "global"
            # Comprehensions and functions do not see the names of a class body around them.
            if name in scope.names and (scope is self or scope.kind != "class"):
                if scope.kind == "class":
                    return "body"
                return (
                    "local"
                    if first or (self.kind == "comprehension" and scope.kind == "comprehension")
                    else "free"
                )
            first = first and scope.kind == "comprehension"
            scope = scope.parent
        return "global"

    @property
    def function(self) -> "NameScope | None":
        """The nearest function scope at or around this one, None outside of functions."""
        scope: NameScope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope


class _Bindings(ast.NodeVisitor):
    def __init__(self, scope: NameScope) -> None:
        self.scope = scope

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.scope.names.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """A lambda binds nothing here."""

    def visit_ListComp(self, node: ast.AST) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                self.scope.names.add(inner.target.id)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.scope.names.add(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(node.names)

    def visit_ExceptHandler(
        self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.MatchMapping
    ) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self.scope.names.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = visit_ExceptHandler  # noqa: N815

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.scope.names.add((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import  # noqa: N815


def parameters(arguments: ast.arguments) -> tuple[list[str], str | None, list[str], str | None]:
    """Return the names of positional parameters, *, keyword-only parameters and **."""
    return (
        [one.arg for one in (*arguments.posonlyargs, *arguments.args)],
        arguments.vararg.arg if arguments.vararg else None,
        [one.arg for one in arguments.kwonlyargs],
        arguments.kwarg.arg if arguments.kwarg else None,
    )


def inner_scope(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef, parent: NameScope
) -> NameScope:
    """Return the scope of a function or of a class body."""
    scope = NameScope("class" if isinstance(node, ast.ClassDef) else "function", parent)
    if not isinstance(node, ast.ClassDef):
        positional, star, keywords, stars = parameters(node.args)
        scope.names.update(positional, keywords, [star] if star else [], [stars] if stars else [])
    bindings = _Bindings(scope)
    for part in node.body if isinstance(node.body, list) else [node.body]:
        bindings.visit(part)
    scope.names -= scope.globals | scope.nonlocals
    return scope
