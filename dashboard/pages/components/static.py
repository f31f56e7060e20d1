"""What only stands there: many elements that Dash draws as one component."""

from typing import Any

from dash.development.base_component import Component


class Static(Component):
    """A tree of plain elements, drawn by `static/dash/static.js`.

    At every change of a page Dash asks each of its components anew whether it is the one that changed: a table of a
    hundred rows is a thousand of them, and a press takes seconds. A tree is one, whatever it holds.
    """

    _namespace = "perfatlas"
    _type = "Static"
    _children_props: list[str] = []  # noqa: RUF012 -- as Dash declares them
    _base_nodes: list[str] = []  # noqa: RUF012 -- as above

    def __init__(self, tree: dict[str, Any]) -> None:
        self._prop_names = self.available_properties = ["tree"]
        self._valid_wildcard_attributes = self.available_wildcard_properties = []
        super().__init__(tree=tree)  # type: ignore[no-untyped-call] # Dash's


def at_rest(tree: Component) -> Component:
    """The tree as one component; as it is where a part of it is more than an element: it has an id, or is no HTML."""
    try:
        return Static(_plain(tree))
    except ValueError:
        return tree


def _plain(part: Any) -> Any:
    """A part of a tree as JSON. Raises `ValueError` for what Dash itself must draw."""
    if isinstance(part, (list, tuple)):
        return [_plain(one) for one in part]
    if not isinstance(part, Component):
        return part
    drawn = part.to_plotly_json()  # type: ignore[no-untyped-call] # Dash's
    props = dict(drawn["props"])
    if drawn["namespace"] != "dash_html_components" or "id" in props:
        raise ValueError(drawn["type"])
    return {"type": drawn["type"], "props": props | {"children": _plain(props.get("children"))}}
