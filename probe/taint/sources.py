"""Where options are read besides the mapping that the entry gets: variables of the environment, arguments, attributes.

What is named here has exactly the taint of its option, whatever else the object that holds it is made of.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from .heap import CLASS_NAMES, SHADOWS, content, set_fields

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .modelled import ModelledCall

ENVIRON = os.environ
# Taints by name of the variable, by name of the attribute that argparse gives it, and, by attribute, with its owner.
ENVIRONMENT: dict[str, int] = {}
ARGUMENTS: dict[str, int] = {}
ATTRIBUTES: dict[str, list[tuple[object, int]]] = {}


class SourceUnknown(Exception):
    """A source names something that is not there."""


def name_sources(options: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    """Make `sources` known: by option "environment:NAME", "argument:NAME" or "attribute:module:object.name".

    Raises `SourceUnknown` where an attribute's module or object is not there.
    """
    ENVIRONMENT.clear()
    ARGUMENTS.clear()
    ATTRIBUTES.clear()
    for at, option in enumerate(options):
        kind, _, name = sources.get(option, "").partition(":")
        if kind == "environment":
            ENVIRONMENT[name] = ENVIRONMENT.get(name, 0) | 1 << at
        elif kind == "argument":
            ARGUMENTS[name] = ARGUMENTS.get(name, 0) | 1 << at
        elif kind == "attribute":
            owner, attribute = _owner(option, name)
            ATTRIBUTES.setdefault(attribute, []).append((owner, 1 << at))
            CLASS_NAMES.add(attribute)


def _owner(option: str, name: str) -> tuple[object, str]:
    module, _, path = name.partition(":")
    *steps, attribute = path.split(".")
    try:
        owner: Any = importlib.import_module(module)
        for step in steps:
            owner = getattr(owner, step)
    except (ImportError, AttributeError) as error:
        message = f"subject.toml: analysis.sources.{option} = 'attribute:{name}' names nothing: {error}"
        raise SourceUnknown(message) from error
    return owner, attribute


def of_attribute(owner: object, name: str) -> int | None:
    """Return the taint of an attribute that is a source of its own, or of its class; None if it is none."""
    for source, taint in ATTRIBUTES.get(name, ()):
        if owner is source or (isinstance(source, type) and source in type(owner).__mro__):
            return taint
    return None


def parsed(call: ModelledCall) -> Any:
    """Parse a command line with argparse: every argument that is a source has the taint of its option alone."""
    joined = 0
    for taint in call.taints:
        joined |= taint
    for value in call.args:
        joined |= content(value)
    found = call.owner(*call.args, **call.kwargs)
    namespace = found[0] if isinstance(found, tuple) else found
    joined |= call.state.amb
    call.state.amb = 0
    set_fields(namespace, {name: ARGUMENTS.get(name, joined) for name in vars(namespace)})
    call.state.t = 0
    return found


def variables() -> dict[str, int]:
    """Return the taints of the environment's variables by name."""
    found = SHADOWS.get(id(ENVIRON))
    return ENVIRONMENT if found is None else {**found.fields, **ENVIRONMENT}


def copied_environment(call: ModelledCall) -> Any:
    """Copy the environment: each variable keeps its own taint."""
    made = call.owner()
    set_fields(made, {name: taint for name, taint in variables().items() if name in made})
    call.state.t = call.taints[0]
    return made


def from_environment(call: ModelledCall) -> Any:
    """Read a variable with `get` or `getenv`; a default has its own taint."""
    value = call.owner(*call.args, **call.kwargs)
    key = call.args[0] if call.args else call.kwargs.get("key")
    call.state.t = 0
    call.state.item(value, ENVIRON, key, 0)
    if key not in ENVIRON:
        for taint in call.taints[2:]:
            call.state.t |= taint
    return value
