"""Callbacks of the pages of one system: who asks, for which system and with which lens is resolved once, here.

Those that the browser answers by itself are registered here, too.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, no_update
from dash.exceptions import PreventUpdate

from dashboard.access import access_to, acting
from dashboard.pages import ids
from dashboard.pages.components.static import at_rest
from dashboard.pages.lens import Lens
from dashboard.selectors.releases import telling_of

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def system_callback(
    *dependencies: Any, **options: Any
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Register a function as a callback of a page; it is handed its `Access` first, then what it depends on.

    `dependencies` and `options` are those of `dash.callback`, also `output` and `inputs` by name. Where the lens's data
    stand among them the function gets a `Lens`. The function itself stays an ordinary one. The callback raises
    `NotFound` where the system is absent or hidden, which `frame.problems` shows. Where buttons alone start it, it does
    nothing before one of them is pressed: Dash also calls it when they come onto the page.
    """
    given = [one for one in dependencies if not isinstance(one, Output)]
    named: Mapping[str, Any] = options.pop("inputs", {})
    slug = State(ids.SLUG, "data")
    starts = [one for one in (*given, *named.values()) if isinstance(one, Input)]
    by_button = bool(starts) and all(one.component_property == "n_clicks" for one in starts)

    def register(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def resolved(*values: Any, **by_name: Any) -> Any:
            own = by_name.pop("_slug") if named else values[-1]
            got = [*zip(given, values, strict=False), *((named[name], by_name[name]) for name in by_name)]
            clicks = [value for one, value in got if isinstance(one, Input)]
            # Those of a pattern come as a list.
            if by_button and not any(any(one) if isinstance(one, list) else one for one in clicks):
                raise PreventUpdate
            access = access_to(acting(), own)
            read = [_read(one, value) for one, value in zip(given, values, strict=False)]
            by_names = {name: _read(named[name], by_name[name]) for name in by_name}
            with telling_of(access.system):
                made = function(access, *read, **by_names)  # type: ignore[arg-type] # Dash calls by position and by name
            return at_rest(made)

        if named:
            callback(*dependencies, inputs={**named, "_slug": slug}, **options)(resolved)
        else:
            callback(*dependencies, slug, **options)(resolved)
        return function

    return register


def lens_callback(
    *dependencies: Input | State,
) -> Callable[[Callable[..., Lens]], Callable[..., Lens]]:
    """Register a function that changes the lens: it gets the lens first, then what it depends on, and returns a lens."""

    def register(function: Callable[..., Lens]) -> Callable[..., Lens]:
        def changed(*values: Any) -> Any:
            lens = Lens.read(values[-1])
            kept = function(lens, *values[:-1])
            return no_update if kept == lens else kept.data()

        target = Output(ids.LENS, "data", allow_duplicate=True)
        callback(target, *dependencies, State(ids.LENS, "data"), prevent_initial_call=True)(changed)
        return function

    return register


def _read(dependency: Any, value: Any) -> Any:
    lens = isinstance(dependency, (Input, State)) and dependency.component_id == ids.LENS
    return Lens.read(value) if lens else value


def browser_callback(function: str, *dependencies: Input | State) -> None:
    """Have a function of `explorer` in `static/dash/explorer.js` follow what it depends on; it returns nothing."""
    clientside_callback(ClientsideFunction("explorer", function), *dependencies, prevent_initial_call=True)
