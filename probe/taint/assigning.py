"""Rewriting of assignments and of what else gives values to names."""

from __future__ import annotations

import ast

from .base import Base, read_names
from .nodes import (
    SHADOW_PREFIX,
    TYPE,
    assign,
    call,
    constant,
    in_place_name,
    join,
    known,
    load,
    stored,
    untouched,
)


class Assigning(Base):
    """Assignments in all their forms, `del` and imports."""

    def do_assign(self, node: ast.Assign) -> list[ast.stmt]:
        """The value is evaluated once, then given to each target."""
        reads = node.value
        names = read_names(reads)
        value, taint = self.expression(node.value)
        self.reading = names
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            node.value = value
            return [node, *self.store_name(node.targets[0].id, taint, node)]
        number = self.number()
        return [
            *self.hold(number, value, taint),
            *(
                statement
                for target in node.targets
                for statement in self.store(target, self.held(number)[0], self.held(number)[1], node)
            ),
            *self.drop(number),
        ]

    def hold(self, number: int, value: ast.expr, taint: ast.expr | None) -> list[ast.stmt]:
        """Return statements that keep a value and its taint for the statements that follow."""
        if self.scope.function is self.scope:
            return [assign(f"_pV{number}", value), assign(f"_pT{number}", known(taint))]
        return [self.tell("hold", value, known(taint))]

    def held(self, number: int) -> tuple[ast.expr, ast.expr]:
        """Return what `hold` keeps."""
        if self.scope.function is self.scope:
            return load(f"_pV{number}"), load(f"_pT{number}")
        return self.ask("held"), self.ask("held_taint")

    def drop(self, number: int) -> list[ast.stmt]:
        """Return statements that let go of it: a reference that stays would keep the object alive."""
        if self.scope.function is self.scope:
            return [assign(f"_pV{number}", constant(None))]
        return [self.tell("drop")]

    def store_name(self, name: str, taint: ast.expr | None, reads: ast.AST) -> list[ast.stmt]:
        """Keep the taint of a name; a write that leaves the function takes the whole control taint."""
        where = self.scope.where(name)
        if where == "body":
            return [self.tell("store_in_body", constant(name), known(taint))]
        if where == "global":
            if not (self.scope.kind == "module" or name in self.written_globals):
                return []
            joined = known(join(taint, self.field("c")))
            return [self.tell("store_global", constant(self.module), constant(name), joined)]
        if where == "untracked":
            return []
        of_name = join(taint, self.control() if where == "local" else self.field("c"))
        shadow = SHADOW_PREFIX + name
        if of_name is None:
            return [assign(shadow, constant(0))]
        step = self.step(reads, "assignment", f"{self.function}:{name}", load(shadow))
        return [assign(shadow, of_name), step]

    def store(
        self, target: ast.expr, value: ast.expr, taint: ast.expr | None, reads: ast.AST
    ) -> list[ast.stmt]:
        """Give a value that can be evaluated again to any target."""
        if isinstance(target, ast.Name):
            return [
                ast.copy_location(ast.Assign([target], value), target),
                *self.store_name(target.id, taint, reads),
            ]
        given = known(join(taint, self.control()))
        if isinstance(target, ast.Attribute):
            of_self = isinstance(target.value, ast.Name) and target.value.id == "self"
            if of_self and self.own_attributes is not None:
                self.own_attributes[target.attr] = None
            step = self.step(reads, "attribute", "." + target.attr, self.field("t"))
            return [
                self.tell(
                    "store_attribute",
                    *self.pair(target.value),
                    constant(self.mangled(target.attr)),
                    value,
                    given,
                ),
                step,
            ]
        if isinstance(target, ast.Subscript):
            step = self.step(reads, "item", self.container(target.value), self.field("t"))
            return [
                self.tell("store_item", *self.pair(target.value), *self._key(target.slice), value, given),
                step,
            ]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._unpack(target, value, taint, reads)
        return [ast.copy_location(ast.Assign([target], value), target)]

    def _key(self, node: ast.expr) -> list[ast.expr]:
        raise NotImplementedError

    def mangled(self, name: str) -> str:
        """Return the name of an attribute as the compiler writes it inside a class."""
        raise NotImplementedError

    def container(self, node: ast.expr) -> str:
        """Return what a write into `node` changes, as a step names it."""
        if isinstance(node, ast.Name):
            return f"{self.function}:{node.id}"
        return f".{node.attr}" if isinstance(node, ast.Attribute) else ""

    def _unpack(
        self, target: ast.Tuple | ast.List, value: ast.expr, taint: ast.expr | None, reads: ast.AST
    ) -> list[ast.stmt]:
        """Take a value apart into parts that are held, then give each to its own target."""
        if self.scope.function is not self.scope:
            # Outside of functions: the parts are taken apart natively, each name takes everything.
            names = [
                part.id
                for part in ast.walk(target)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            ]
            everything = self.ask("held_content")
            return [
                ast.copy_location(ast.Assign([target], value), target),
                *(statement for name in names for statement in self.store_name(name, everything, reads)),
            ]
        numbers = [self.number() for _ in target.elts]
        if target.elts and all(isinstance(part, ast.Name) for part in target.elts):
            return self._unpack_names(target, value, known(taint), numbers, reads)
        stars = [at for at, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
        parts = ast.Tuple(
            [
                ast.Starred(stored(f"_pV{number}"), ast.Store()) if at in stars else stored(f"_pV{number}")
                for at, number in enumerate(numbers)
            ],
            ast.Store(),
        )
        star = stars[0] if stars else None
        statements = self._taken_apart(ast.copy_location(parts, target), value, known(taint), numbers, star)
        for part, number in zip(target.elts, numbers, strict=False):
            inner = part.value if isinstance(part, ast.Starred) else part
            statements += self.store(inner, load(f"_pV{number}"), load(f"_pT{number}"), reads)
            statements += self.drop(number)
        return statements

    def _taken_apart(
        self, parts: ast.expr, value: ast.expr, taint: ast.expr, numbers: list[int], star: int | None
    ) -> list[ast.stmt]:
        """Assign the parts of a value, and their taints to locals with these `numbers`."""
        whole = f"_pV{self.number()}"
        most = len(numbers) + 1 if star is None else None
        return [
            assign(whole, self.ask("whole", value, taint, constant(most))),
            ast.copy_location(ast.Assign([parts], load(whole)), parts),
            ast.Assign(
                [ast.Tuple([stored(f"_pT{number}") for number in numbers], ast.Store())],
                self.ask("parts_of", load(whole), self.field("t"), constant(len(numbers)), constant(star)),
            ),
            assign(whole, constant(None)),
        ]

    def _unpack_names(
        self,
        target: ast.Tuple | ast.List,
        value: ast.expr,
        taint: ast.expr,
        numbers: list[int],
        reads: ast.AST,
    ) -> list[ast.stmt]:
        """Take a value apart into names: natively, and without a call where it is a tuple of which nothing is known."""
        of_parts: list[ast.expr] = [stored(f"_pT{number}") for number in numbers]
        item_by_item: list[ast.stmt] = [
            ast.Assign(
                [ast.Tuple(of_parts, ast.Store())], self.ask("items_of", value, constant(len(numbers)))
            )
        ]
        if not isinstance(taint, ast.Constant):
            item_by_item += [ast.AugAssign(stored(f"_pT{number}"), ast.BitOr(), taint) for number in numbers]
        tuples: list[ast.stmt] = [
            ast.copy_location(ast.Assign([target], value), target),
            ast.If(untouched(value), [ast.Assign(of_parts, taint)], item_by_item),
        ]
        plain = ast.Compare(call(load(TYPE), value), [ast.Is()], [load("_pa_tuple")])
        statements: list[ast.stmt] = [
            ast.If(plain, tuples, self._taken_apart(target, value, taint, numbers, None))
        ]
        for part, number in zip(target.elts, numbers, strict=True):
            name = part.id if isinstance(part, ast.Name) else ""
            statements += self.store_name(name, load(f"_pT{number}"), reads)
        return statements

    def do_annassign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        """As an assignment; the annotation stays."""
        if node.value is None:
            return [node]
        self.reading = read_names(node.value)
        value, taint = self.expression(node.value)
        if isinstance(node.target, ast.Name):
            node.value = value
            return [node, *self.store_name(node.target.id, taint, node)]
        number = self.number()
        held, of_held = self.held(number)
        return [
            *self.hold(number, value, taint),
            *self.store(node.target, held, of_held, node),
            *self.drop(number),
        ]

    def do_augassign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """What stands there is read, changed in place where it can be, and written back."""
        self.reading = (*read_names(node.value), *read_names(node.target))
        target = node.target
        function = in_place_name(node.op)
        if isinstance(target, ast.Name):
            value, taint = self.expression(node.value)
            if isinstance(node.value, (ast.Name, ast.Constant)) and self.in_function:
                node.value = value
                of_name = self.shadow_of(target.id)
                joined = known(join(of_name, taint))
                of_changed = ast.IfExp(
                    self.all_atoms(load(target.id), node.value),
                    self.with_ambient(joined),
                    self.ask("in_place", load(target.id), node.value, joined),
                )
                return [node, *self.store_name(target.id, of_changed, node)]
            of_old = self.pair(ast.Name(target.id, ast.Load()))
            given = self.ask("change", function, *of_old, value, known(taint))
            return [
                ast.copy_location(ast.Assign([target], given), node),
                *self.store_name(target.id, self.result(), node),
            ]
        # Python reads the old value before it evaluates the new part: the call may change it.
        if isinstance(target, ast.Attribute):
            kind, writes = "attribute", f".{target.attr}"
            part = constant(self.mangled(target.attr))
            old = self.ask("old_attribute", *self.pair(target.value), part)
        else:
            kind, writes = "item", self.container(target.value)
            old = self.ask("old_item", *self.pair(target.value), *self._key(target.slice))
        written = self.tell(f"change_{kind}", old, function, *self.pair(node.value), self.control())
        return [written, self.step(node, kind, writes, self.field("t"))]

    def do_delete(self, node: ast.Delete) -> list[ast.stmt]:
        """Items are taken out of what is known of their container."""
        statements: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                statements.append(
                    self.tell("delete_item", *self.pair(target.value), *self._key(target.slice))
                )
            else:
                statements.append(ast.copy_location(ast.Delete([target]), target))
        return statements

    def do_importfrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """A name of another module keeps the taint that it has there."""
        statements: list[ast.stmt] = [node]
        if node.module == "__future__" or self.scope.kind == "class":
            return statements
        for alias in node.names:
            name = alias.asname or alias.name
            if alias.name == "*" or (self.scope.where(name) == "global" and self.scope.kind != "module"):
                continue
            taint = self.ask(
                "imported",
                constant(self.module),
                constant(node.module or ""),
                constant(node.level),
                constant(alias.name),
            )
            if self.scope.kind == "module":
                moved = self.store_name(name, taint, node)
                statements.append(ast.If(load("_pa_globals"), moved, []))
            else:
                statements += self.store_name(name, taint, node)
        return statements
