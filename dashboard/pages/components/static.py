"""Components of our own: many elements that Dash draws as one, and numbers that are drawn once they are looked at."""

from collections.abc import Sequence
from copy import copy
from itertools import groupby
from typing import Any

from dash.development.base_component import Component


class Static(Component):
    """A tree of plain elements, or several, drawn by `static/dash/static.js`.

    Dash tells each component of a page of each one that is drawn: a thousand elements ask a million times. A tree is one
    component, whatever it holds.
    """

    _namespace = "perfatlas"
    _type = "Static"
    _children_props: list[str] = []  # noqa: RUF012 -- as Dash declares them
    _base_nodes: list[str] = []  # noqa: RUF012 -- as above

    def __init__(self, tree: Any) -> None:
        self._prop_names = self.available_properties = ["tree"]
        self._valid_wildcard_attributes = self.available_wildcard_properties = []
        super().__init__(tree=tree)  # type: ignore[no-untyped-call] # Dash's


class FigureTable(Component):
    """The numbers of a figure card as a table, `children`: drawn by `static/dash/static.js` when they are shown or saved.

    A grid that nobody sees took a third of a press.
    """

    _namespace = "perfatlas"
    _type = "FigureTable"
    _children_props: list[str] = []  # noqa: RUF012 -- as Dash declares them
    _base_nodes = ["children"]  # noqa: RUF012 -- as above

    def __init__(self, id: str, children: Any = None) -> None:  # noqa: A002 -- as Dash calls it
        self._prop_names = self.available_properties = ["id", "children"]
        self._valid_wildcard_attributes = self.available_wildcard_properties = []
        super().__init__(id=id, children=children)  # type: ignore[no-untyped-call] # Dash's


def at_rest(returned: Any) -> Any:
    """What a callback returns, with everything that no callback can reach as few components: elements without an id.

    What has an id or is no HTML stays as it is, and so does what holds it. Several values stay several.
    """
    if isinstance(returned, dict):
        return {name: at_rest(value) for name, value in returned.items()}
    if isinstance(returned, (list, tuple)):
        return type(returned)(
            at_rest(value) if isinstance(value, (Component, list)) else value for value in returned
        )
    return _drawn(_settled(returned)) if isinstance(returned, Component) else returned


class _Plain(dict[str, Any]):
    """An element as JSON: `static.js` can draw it, and all that it holds."""


def _settled(part: Any) -> Any:
    """A part of a tree: a text as it is, an element `_Plain` if all within it is plain, else a component."""
    if not isinstance(part, Component):
        return part
    inside: Any = getattr(part, "children", None)
    several = isinstance(inside, (list, tuple))
    children = [_settled(child) for child in inside] if several else _settled(inside)
    set_ = vars(part)
    whole = not any(isinstance(child, Component) for child in (children if several else [children]))
    if whole and part._namespace == "dash_html_components" and "id" not in set_:  # noqa: SLF001 -- Dash tells it in no other way
        # As Dash writes an element, in a third of the time: it looks for each property that there might be.
        names, wild = set_["_prop_names"], tuple(set_["_valid_wildcard_attributes"])
        props = {name: set_[name] for name in set_ if name in names or name.startswith(wild)}
        return _Plain(type=part._type, props=props | {"children": children})  # noqa: SLF001 -- likewise
    if inside is None:
        return part
    held: Any = copy(part)
    held.children = _together(children) if several else _drawn(children)
    return held


def _drawn(part: Any) -> Any:
    return Static(part) if isinstance(part, _Plain) else part


def _together(children: Sequence[Any]) -> list[Any]:
    """Children of a component: neighbours that are plain as one."""
    found: list[Any] = []
    for is_plain, group in groupby(children, lambda child: not isinstance(child, Component)):
        run = list(group)
        elements = any(isinstance(one, _Plain) for one in run)
        found += [Static(run if len(run) > 1 else run[0])] if is_plain and elements else run
    return found
