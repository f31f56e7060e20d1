"""Which options a program reads, in the order in which it first does so; what SPLat asks of a run (Kim et al., ESEC/FSE 2013).

An option is read where the program gets its value from the mapping that the entry is given, or from the source that
`subject.toml` names: a variable of the environment, an attribute of argparse's result or of a settings object. What
cannot be seen counts as read before anything else: parameters of a function and names of a module.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# The options that were read, in order.
READ: list[str] = []


def note(names: tuple[str, ...]) -> None:
    """Note that these options are read now."""
    READ.extend(name for name in names if name not in READ)


class NotedOptions(dict):  # type: ignore[type-arg]  # at run time, in Pythons that know no parameters here
    """The options as their entry gets them; all of `noted` are read where the mapping is walked, copied or compared."""

    noted: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Note one option."""
        self._one(name)
        return dict.__getitem__(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        """Note one option."""
        self._one(name)
        return dict.get(self, name, default)

    def pop(self, name: str, *default: Any) -> Any:
        """Note one option."""
        self._one(name)
        return dict.pop(self, name, *default)

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Note one option."""
        self._one(name)
        return dict.setdefault(self, name, default)

    # With this one, `**options` and `dict(options)` ask for each value as well.
    def __iter__(self) -> Iterator[Any]:
        """The names: they are the same in every configuration."""
        return dict.__iter__(self)

    def items(self) -> Any:
        """Note all of them."""
        note(self.noted)
        return dict.items(self)

    def values(self) -> Any:
        """Note all of them."""
        note(self.noted)
        return dict.values(self)

    def copy(self) -> Any:
        """Note all of them: a copy is a plain one."""
        return dict(self.items())

    def popitem(self) -> Any:
        """Note all of them."""
        note(self.noted)
        return dict.popitem(self)

    def __eq__(self, other: object) -> bool:
        """Note all of them."""
        note(self.noted)
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Note all of them."""
        return not self == other

    def __or__(self, other: Any) -> Any:
        """Note all of them."""
        return {**self.copy(), **other}

    def __ror__(self, other: Any) -> Any:
        """Note all of them."""
        return {**other, **self.copy()}

    def __repr__(self) -> str:
        """Note all of them."""
        return repr(self.copy())

    def __reduce__(self) -> Any:
        """Note all of them: what is pickled, or copied by `copy`, is a plain one."""
        return dict, (self.copy(),)

    __hash__ = None  # as of every dict

    def _one(self, name: str) -> None:
        if name in self.noted:
            note((name,))


def noted(options: Mapping[str, Any], sources: Mapping[str, str]) -> NotedOptions:
    """Return the options that the entry is given; those with a source are noted where that is read."""
    given = NotedOptions(options)
    given.noted = tuple(name for name in options if not sources.get(name))
    return given


def watch_sources(options: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    """Have reads of `sources` noted from now on, by option as `probe.taint.sources.name_sources` reads them.

    Raises what an import of the source's module raises.
    """
    READ.clear()
    parts = {option: sources.get(option, "").partition(":") for option in options}
    variables: dict[str, list[str]] = {}
    arguments: dict[str, list[str]] = {}
    attributes: dict[type, dict[str, list[tuple[object, str]]]] = {}
    for option, (kind, _, name) in parts.items():
        if kind in ("environment", "argument"):
            (variables if kind == "environment" else arguments).setdefault(name, []).append(option)
    # The modules of the others may read these while they are imported.
    if variables:
        _watch_environment(variables)
    if arguments:
        _watch_arguments(arguments)
    for option, (kind, _, name) in parts.items():
        if kind == "attribute" and (owner := _owner(name)) is not None:
            of = owner if isinstance(owner, type) else type(owner)
            own = attributes.setdefault(of, {})
            own.setdefault(name.rpartition(".")[2].rpartition(":")[2], []).append((owner, option))
        elif kind not in ("", "environment", "argument"):
            note((option,))
    for of, named in attributes.items():
        _watch_attributes(of, named)


def _owner(name: str) -> object | None:
    """Return what holds the attribute; None for a module, whose functions read its names without asking it."""
    module, _, path = name.partition(":")
    owner: Any = importlib.import_module(module)
    steps = path.split(".")[:-1]
    for step in steps:
        owner = getattr(owner, step)
    of = owner if isinstance(owner, type) else type(owner)
    # A class in C cannot be given another way to get attributes.
    return owner if steps and of.__flags__ & 1 << 9 else None


def _watch_environment(variables: Mapping[str, list[str]]) -> None:
    every = tuple(option for own in variables.values() for option in own)

    class NotedEnvironment(type(os.environ)):  # type: ignore[misc]  # the standard library keeps its name private
        def __getitem__(self, name: str) -> str:
            note(tuple(variables.get(name, ())))
            return cast("str", super().__getitem__(name))

        def __contains__(self, name: object) -> bool:
            note(tuple(variables.get(cast("str", name), ())))
            return cast("bool", super().__contains__(name))

        def __iter__(self) -> Iterator[str]:
            # Which variables there are tells of those that an option sets or leaves out.
            note(every)
            return cast("Iterator[str]", super().__iter__())

    os.environ.__class__ = NotedEnvironment


def _watch_arguments(arguments: Mapping[str, list[str]]) -> None:
    import argparse  # noqa: PLC0415 - a module that the program may never import

    every = tuple(option for own in arguments.values() for option in own)

    def get(self: object, name: str) -> Any:
        options = every if name == "__dict__" else tuple(arguments.get(name, ()))
        # argparse itself asks for what it has set already.
        if options and sys._getframe(1).f_globals.get("__name__") != "argparse":  # noqa: SLF001
            note(options)
        return object.__getattribute__(self, name)

    argparse.Namespace.__getattribute__ = get  # type: ignore[method-assign]


def _watch_attributes(of: Any, named: Mapping[str, list[tuple[object, str]]]) -> None:
    before = of.__getattribute__

    def get(self: object, name: str) -> Any:
        for owner, option in named.get(name, ()):
            if owner is of or owner is self:
                note((option,))
        return before(self, name)

    of.__getattribute__ = get
