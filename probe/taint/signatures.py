"""Rewritten functions by their code: how taints of arguments become taints of parameters."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from .flows import FUNCTIONS
from .shadows import set_fields, set_items

# Taints of arguments that are addressed to a function: its key, their taints, the names of those given by name.
ArgumentTaints = tuple[int, tuple[int, ...], tuple[str, ...]]
# A rewritten function keeps the ambient taint in a local of this name and its key, by which its code is found.
MARK = "_pM"
# The taint of a local is kept in a local beside it. Two leading underscores would be mangled inside classes.
SHADOW_PREFIX = "_pt_"


@dataclass(frozen=True)
class FunctionSignature:
    """The parameters of one rewritten function; `lazy`: calling it runs nothing yet (generators, coroutines)."""

    key: int
    name: str
    parameters: tuple[str, ...]
    vararg: str | None
    keywords: tuple[str, ...]
    kwarg: str | None
    lazy: bool
    coroutine: bool = False

    @cached_property
    def count(self) -> int:
        """The number of parameters, those with stars included."""
        return len(self.order)

    @property
    def order(self) -> tuple[str, ...]:
        """All parameters in the order in which `bind` returns their taints."""
        star, stars = (self.vararg,) if self.vararg else (), (self.kwarg,) if self.kwarg else ()
        return (*self.parameters, *star, *self.keywords, *stars)

    def bind(
        self, taints: tuple[int, ...], names: tuple[str, ...], vararg: object, kwarg: object
    ) -> Sequence[int]:
        """Return a taint per parameter; those that go into `vararg` and `kwarg` become taints of their items.

        `taints` are those of the positional arguments, then of the keyword arguments called `names`.
        """
        if not names and len(taints) == len(self.parameters) == self.count:
            return taints
        split = len(taints) - len(names)
        named = dict(zip(names, taints[split:], strict=False))
        bound = [taints[at] if at < split else named.pop(name, 0) for at, name in enumerate(self.parameters)]
        if self.vararg is not None:
            set_items(vararg, list(taints[len(self.parameters) : split]))
            bound.append(0)
        bound.extend(named.pop(name, 0) for name in self.keywords)
        if self.kwarg is not None:
            set_fields(kwarg, named)
            bound.append(0)
        return bound


SIGNATURES: list[FunctionSignature] = []
CODES: dict[int, FunctionSignature] = {}
# The keys of those whose body runs when they are called.
EAGER: dict[int, int] = {}
# Generators whose every item leaves its taint: rewritten functions and generator expressions.
YIELDING: set[int] = set()
# Taints of default values by key of the function and name of the parameter, of all that were made by one definition.
DEFAULTS: dict[tuple[int, str], int] = {}
_KEPT: list[CodeType] = []


def register(code: CodeType) -> None:
    """Register the rewritten functions in `code` by the identity of their code objects, which are kept alive."""
    if code.co_name not in ("<listcomp>", "<setcomp>", "<dictcomp>"):
        FUNCTIONS.add(id(code))
    for name in (*code.co_varnames, *code.co_cellvars):
        if name.startswith(MARK):
            found = CODES[id(code)] = SIGNATURES[int(name[len(MARK) :])]
            if not found.lazy:
                EAGER[id(code)] = found.key
            _KEPT.append(code)
            if code.co_flags & inspect.CO_GENERATOR:
                YIELDING.add(id(code))
    if code.co_name == "<genexpr>" and any(name.startswith(SHADOW_PREFIX) for name in code.co_varnames):
        _KEPT.append(code)
        YIELDING.add(id(code))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            register(constant)
