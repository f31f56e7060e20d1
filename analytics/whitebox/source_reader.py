"""Reading a module of Python for `source_flow`: the names that statements read and write, what they test and call."""

import ast
from collections.abc import Callable, Iterable

from analytics.whitebox.source_flow import (
    MODULE_LEVEL,
    NOWHERE,
    Places,
    SourceCall,
    SourceFlow,
    SourceFunction,
    items_of,
)

# Calls by a constant name are reads of an item or of an attribute.
_BY_KEY = frozenset({"get", "pop", "setdefault"})
_BY_ATTRIBUTE = frozenset({"getattr", "hasattr"})
# Put what they are given into what they are asked of: lists, sets, mappings, files.
_KEEPING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update", "write"})
# Kinds of nodes that are read as another kind.
_ALIKE = {
    "AsyncFunctionDef": "FunctionDef",
    "While": "If",
    "AsyncFor": "For",
    "SetComp": "ListComp",
    "GeneratorExp": "ListComp",
    "DictComp": "ListComp",
    "Yield": "Return",
    "YieldFrom": "Return",
    "AnnAssign": "AugAssign",
    "NamedExpr": "AugAssign",
}
# What raises an error ends what is measured.
_LEAVING = (ast.Return, ast.Continue, ast.Break)


def read_module(found: SourceFlow, name: str, text: str, key_at: Callable[[int], str]) -> None:
    """Read one more module into `found`; `key_at` tells the region of a line.

    Raises `SyntaxError` and `ValueError` for what is no Python, `RecursionError` for what is nested too deeply.
    """
    _ModuleReader(found, name, key_at).read(ast.parse(text).body)


class _ModuleReader(ast.NodeVisitor):
    """Reads a module in order, with the region that a statement is in and the tests that it stands under; expressions give what they read."""

    def __init__(self, found: SourceFlow, module: str, key_at: Callable[[int], str]) -> None:
        self._found, self._key_at = found, key_at
        self._outside = f"{module}:{MODULE_LEVEL}"
        self._region, self._locals, self._class = self._outside, NOWHERE, ""
        self._function, self._under = "", NOWHERE

    def read(self, body: Iterable[ast.AST]) -> Places:
        """Read a block; what comes after a test that may leave it stands under that, too."""
        before, read = self._under, NOWHERE
        for part in body:
            read |= self.visit(part)
            blocks = (part.body, part.orelse) if isinstance(part, ast.If) else ()
            if isinstance(part, ast.If) and any(
                block and isinstance(block[-1], _LEAVING) for block in blocks
            ):
                self._under |= self.visit(part.test)
        self._under = before
        return read

    def visit(self, node: ast.AST) -> Places:
        """What a part reads; what it writes, tests and calls is noted."""
        kind = type(node).__name__
        places: Places = getattr(self, f"visit_{_ALIKE.get(kind, kind)}", self.generic_visit)(node)
        return places

    def generic_visit(self, node: ast.AST) -> Places:
        """What all parts of something without a meaning of its own read."""
        parts = (part for _, part in ast.iter_fields(node))
        return NOWHERE.union(
            *(
                self.read(part)
                for part in parts
                if isinstance(part, list) and all(isinstance(one, ast.AST) for one in part)
            ),
            *(self.visit(part) for _, part in ast.iter_fields(node) if isinstance(part, ast.AST)),
        )

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Places:
        """A function of the module is a region of its own, one within another a part of that."""
        self.read([*node.decorator_list, *node.args.defaults, *(one for one in node.args.kw_defaults if one)])
        kept = self._region, self._locals, self._function, self._under, self._class
        is_outermost = self._region == self._outside
        called = self._class if node.name == "__init__" and self._class else node.name
        if is_outermost:
            # All names that it, or a function in it, takes or writes.
            taken = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
            names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
            self._locals = frozenset(taken | {one.id for one in names if isinstance(one.ctx, ast.Store)})
            self._region, self._under = self._key_at(node.lineno), NOWHERE
        is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg)
        own = tuple(one.arg for one in given if one is not None)[1 if self._class and not is_static else 0 :]
        rest = "" if node.args.kwarg is None else node.args.kwarg.arg
        self._found.functions[called].append(SourceFunction(self._region, own, rest))
        if self._class:
            self._found.methods[self._class].add(self._region)
        self._function, self._class = node.name, ""
        self.read(node.body)
        self._region, self._locals, self._function, self._under, self._class = kept
        return NOWHERE

    def visit_ClassDef(self, node: ast.ClassDef) -> Places:
        """Its functions are called on objects of it."""
        outer, self._class = self._class, node.name
        self.read(node.body)
        self._class = outer
        return NOWHERE

    def visit_If(self, node: ast.If | ast.While) -> Places:
        """What it does stands under its test."""
        return self._behind(self.visit(node.test), node.body, node.orelse)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> Places:
        """How often it does something stands under what it goes over."""
        given = self.visit(node.iter)
        self._write(node.target, given)
        return self._behind(given, node.body, node.orelse)

    def visit_Match(self, node: ast.Match) -> Places:
        """As `visit_If`."""
        return self._behind(self.visit(node.subject), node.cases)

    def visit_Assert(self, node: ast.Assert) -> Places:
        """A test that nothing stands under."""
        return self._behind(self.visit(node.test))

    def visit_IfExp(self, node: ast.IfExp) -> Places:
        """As `visit_If`."""
        return self._behind(self.visit(node.test), [node.body, node.orelse])

    def visit_BoolOp(self, node: ast.BoolOp) -> Places:
        """Whether the others are looked at stands under the first."""
        return self._behind(self.visit(node.values[0]), node.values[1:])

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Places:
        """As `visit_For`."""
        tested = self.read(node.generators)
        return self._behind(tested, [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    def visit_comprehension(self, node: ast.comprehension) -> Places:
        """What it goes over, and what it leaves out."""
        given = self.visit(node.iter)
        self._write(node.target, given)
        return given | self.read(node.ifs)

    def visit_withitem(self, node: ast.withitem) -> Places:
        """What is entered is what its name stands for."""
        given = self.visit(node.context_expr)
        if node.optional_vars is not None:
            self._write(node.optional_vars, given)
        return given

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Places:
        """Names of another module of the program."""
        for one in node.names:
            place = f"{node.module}:{MODULE_LEVEL}:{one.name}"
            self._found.flows[f"{self._outside}:{one.asname or one.name}"].add(place)
        return NOWHERE

    def visit_Return(self, node: ast.Return | ast.Yield | ast.YieldFrom) -> Places:
        """Whoever calls the function gets it."""
        given = NOWHERE if node.value is None else self.visit(node.value)
        self._found.flows[f"{self._function}()"].update(given | self._under)
        return given

    def visit_Assign(self, node: ast.Assign) -> Places:
        """Each target gets the value."""
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        given = [self.visit(one) for one in values]
        for target in node.targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            is_pairwise = len(parts) == len(values) and not any(
                isinstance(one, ast.Starred) for one in (*parts, *values)
            )
            for at, part in enumerate(parts):
                self._write(part, given[at] if is_pairwise else NOWHERE.union(*given))
        return NOWHERE

    def visit_AugAssign(self, node: ast.AugAssign | ast.AnnAssign | ast.NamedExpr) -> Places:
        """As `visit_Assign`."""
        given = NOWHERE if node.value is None else self.visit(node.value)
        self._write(node.target, given)
        return given

    def visit_Name(self, node: ast.Name) -> Places:
        """A name that a function has may be called elsewhere."""
        self._found.calls.append(SourceCall(self._region, node.id, self._under))
        return frozenset({self._named(node.id)})

    def visit_Attribute(self, node: ast.Attribute) -> Places:
        """As `visit_Name`, of any object."""
        self.visit(node.value)
        self._found.calls.append(SourceCall(self._region, node.attr, self._under))
        return frozenset({f".{node.attr}"})

    def visit_Subscript(self, node: ast.Subscript) -> Places:
        """An item, by its key where that is written there."""
        key, of = _text(node.slice), self.visit(node.value)
        return of | self.visit(node.slice) if key is None else items_of(of) | {f"[{key!r}]"}

    def visit_Call(self, node: ast.Call) -> Places:
        """What functions of that name give back, and the object that it is asked of; `source_flow` knows which there are."""
        called = node.func
        name = (
            called.id
            if isinstance(called, ast.Name)
            else called.attr
            if isinstance(called, ast.Attribute)
            else ""
        )
        asked_of = called.value if isinstance(called, ast.Attribute) else called
        read = NOWHERE if isinstance(called, ast.Name) else self.visit(asked_of)
        given: list[tuple[int | str, Places]] = [
            ("*" if isinstance(one, ast.Starred) else at, self.visit(one)) for at, one in enumerate(node.args)
        ]
        given += [(one.arg or "**", self.visit(one.value)) for one in node.keywords]
        if name in _KEEPING and isinstance(called, ast.Attribute):
            self._write(called.value, NOWHERE.union(*(places for _, places in given)))
        result = f"{self._region}:{node.lineno}:{node.col_offset}"
        self._found.calls.append(SourceCall(self._region, name, self._under, tuple(given), result))
        asked = node.args[1:2] if name in _BY_ATTRIBUTE else node.args[:1] if name in _BY_KEY else []
        keys = [key for one in asked if (key := _text(one)) is not None]
        if keys and name in _BY_KEY:
            read = items_of(read)
        return read.union({result}, (f".{key}" if name in _BY_ATTRIBUTE else f"[{key!r}]" for key in keys))

    def _behind(self, tested: Places, *blocks: Iterable[ast.AST]) -> Places:
        """Read blocks that stand under a test; what they and the test read."""
        self._found.tests[self._region].update(tested)
        before = self._under
        self._under |= tested
        read = tested.union(*map(self.read, blocks))
        self._under = before
        return read

    def _write(self, target: ast.expr, places: Places) -> None:
        """Note that `places`, and what led here, go into what a target names."""
        given = places | self._under
        if isinstance(target, ast.Name):
            self._found.flows[self._named(target.id)].update(given)
        elif isinstance(target, ast.Attribute):
            self._found.flows[f".{target.attr}"].update(given)
        elif isinstance(target, ast.Subscript) and (key := _text(target.slice)) is not None:
            self._found.flows[f"[{key!r}]"].update(given)
        elif isinstance(target, ast.Subscript):
            self._write(target.value, places | self.visit(target.slice))
        elif isinstance(target, ast.Starred):
            self._write(target.value, places)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._write(one, places)

    def _named(self, name: str) -> str:
        return f"{self._region if name in self._locals else self._outside}:{name}"


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
