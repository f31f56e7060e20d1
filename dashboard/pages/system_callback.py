"""Callbacks of the pages of one system: who asks, for which system and with which lens is resolved once, here."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dash import Input, Output, State, callback

from dashboard.access import access_to, acting
from dashboard.pages import ids
from dashboard.pages.lens import Lens

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def system_callback(
    *dependencies: Any, **options: Any
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Register a function as a callback of a page; it is handed its `Access` first, then what it depends on.

    `dependencies` and `options` are those of `dash.callback`, also `output` and `inputs` by name. Where the lens's data
    stand among them the function gets a `Lens`. The function itself stays an ordinary one. The callback raises
    `NotFound` where the system is absent or hidden, which `frame.problems` shows.
    """
    given = [one for one in dependencies if not isinstance(one, Output)]
    named: Mapping[str, Any] = options.pop("inputs", {})
    slug = State(ids.SLUG, "data")

    def register(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def resolved(*values: Any, **by_name: Any) -> Any:
            own = by_name.pop("_slug") if named else values[-1]
            access = access_to(acting(), own)
            read = [_read(one, value) for one, value in zip(given, values, strict=False)]
            return function(access, *read, **{name: _read(named[name], by_name[name]) for name in by_name})  # type: ignore[arg-type] # Dash calls by position and by name

        if named:
            callback(*dependencies, inputs={**named, "_slug": slug}, **options)(resolved)
        else:
            callback(*dependencies, slug, **options)(resolved)
        return function

    return register


def _read(dependency: Any, value: Any) -> Any:
    lens = isinstance(dependency, (Input, State)) and dependency.component_id == ids.LENS
    return Lens.read(value) if lens else value
