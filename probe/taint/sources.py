"""Where options are read besides the mapping that the entry gets: variables of the environment, arguments, attributes, parameters.

What is named here has exactly the taint of its option, whatever else the object that holds it is made of.
"""

import importlib
import os
from collections.abc import Mapping
from types import FrameType
from typing import Any

from .flows import FLOWS
from .shadows import CLASS_NAMES, SHADOWS, set_fields, union

ENVIRON = os.environ
# Taints by name of the variable, by name of the attribute that argparse gives it, and, by attribute, with its owner; and
# of parameters, by function, "module:function", and name.
ENVIRONMENT: dict[str, int] = {}
ARGUMENTS: dict[str, int] = {}
ATTRIBUTES: dict[str, list[tuple[object, int]]] = {}
PARAMETERS: dict[str, dict[str, int]] = {}
# Libraries that call a program's functions with its options.
_CALLING = frozenset({"click", "typer", "asyncclick", "rich_click", "cloup"})


class SourceUnknown(Exception):
    """A source names something that is not there."""


def name_sources(options: Mapping[str, Any], sources: Mapping[str, str]) -> None:
    """Register `sources`: by option "environment:NAME", "argument:NAME", "attribute:module:object.name" or "parameter:module:function.name".

    Raises `SourceUnknown` where an attribute's module or object is not there.
    """
    ENVIRONMENT.clear()
    ARGUMENTS.clear()
    ATTRIBUTES.clear()
    PARAMETERS.clear()
    for at, option in enumerate(options):
        kind, _, name = sources.get(option, "").partition(":")
        named = {"environment": ENVIRONMENT, "argument": ARGUMENTS}.get(kind)
        if named is not None:
            named[name] = named.get(name, 0) | FLOWS.source(at)
        elif kind == "attribute":
            owner, attribute = _owner(option, name)
            ATTRIBUTES.setdefault(attribute, []).append((owner, FLOWS.source(at)))
            CLASS_NAMES.add(attribute)
        elif kind == "parameter":
            function, _, parameter = name.rpartition(".")
            named = PARAMETERS.setdefault(function, {})
            named[parameter] = named.get(parameter, 0) | FLOWS.source(at)


def named() -> int:
    """Return the taint of all options that have a source of their own."""
    attributes = [taint for found in ATTRIBUTES.values() for _, taint in found]
    parameters = [taint for one in PARAMETERS.values() for taint in one.values()]
    return union((*ENVIRONMENT.values(), *ARGUMENTS.values(), *attributes, *parameters))


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


def variables() -> dict[str, int]:
    """Return the taints of the environment's variables by name."""
    found = SHADOWS.get(id(ENVIRON))
    return ENVIRONMENT if found is None else {**found.fields, **ENVIRONMENT}


def read_by_click(frame: FrameType | None) -> str | None:
    """Return the option whose value is checked by what `frame` calls; "" where it is a command, None where click calls nothing."""
    if frame is None or str(frame.f_globals.get("__name__")).partition(".")[0] not in _CALLING:
        return None
    called = frame.f_code.co_name
    if called == "process_value":
        return str(frame.f_locals["self"].name)
    # Decorators of click and of typer stand around commands.
    return "" if called in ("invoke", "new_func", "wrapper") else None


def of_parameters(function: str, given: Mapping[str, Any], others: int, read: str | None) -> dict[str, int]:
    """Return the taints of the parameters of a function that code which is not rewritten has called, by name; it was `given` these.

    Those that are sources have the taint of their option alone, the rest has `others` without the options that are read by parameters, but with the one that is `read`.
    A context of click among them is known from now on: its `params` have the taints of the parameters of their name, its `obj` that
    of the context around.
    """
    named = PARAMETERS.get(function, {})
    rest = others & ~union(union(one.values()) for one in PARAMETERS.values())
    if read:
        rest |= union(one.get(read, 0) for one in PARAMETERS.values())
    for context in given.values():
        if type(context).__name__ == "Context" and type(getattr(context, "params", None)) is dict:
            _name_context(context)
    return {name: named.get(name, rest) for name in given}


def _name_context(context: Any) -> None:
    around = context.parent
    if around is not None:
        _name_context(around)
        if id(around) in SHADOWS and context.obj is around.obj:
            set_fields(context, {"obj": SHADOWS[id(around)].fields.get("obj", 0)})
    taints = dict.fromkeys(context.params, 0)
    for one in PARAMETERS.values():
        for name in taints.keys() & one.keys():
            taints[name] |= one[name]
    set_fields(context.params, taints)
