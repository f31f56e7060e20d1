"""What is taken along: the picture of a figure as PNG and SVG, the numbers of a figure or table as CSV.

These are the buttons and the exact numbers; `static/dash/saving.js` makes the files in the browser.
"""

from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.figures.theme import DARK, LIGHT

_FILES = (("png", "Picture, PNG"), ("svg", "Picture, SVG"), ("csv", "Numbers, CSV"))


def figure_menu() -> html.Details:
    """The quiet menu of a figure: its picture with title and axes on a light ground, and its numbers."""
    items = []
    for kind, text in _FILES:
        saves: Any = {"data-save": kind}
        items.append(html.Button(text, type="button", className="menu-item", **saves))
    name: Any = {"title": "Save this figure", "aria-label": "Save this figure"}
    hidden: Any = {"aria-hidden": "true"}
    opens: Any = {"data-menu": "true"}
    icon = html.Span(className="icon icon-save", **hidden)
    summary = html.Summary(icon, className="help-button save-button", **name)
    return html.Details(
        [summary, html.Div(items, className="menu-panel menu-panel-end")], className="menu", **opens
    )


def saved(table: Component, *, revision: str = "", by: str = "", name: str = "") -> html.Div:
    """A table with the button that saves it as CSV; as the numbers of a figure it is saved by the figure's menu.

    `revision` is part of the file's name, and `name` tells which table it is. Where a button of the page with the id `by`
    saves more than is shown, there is no other.
    """
    said: Any = {
        "data-save": "csv",
        "aria-label": f"Save as CSV: {name}" if name else "Save this table as CSV",
    }
    button = html.Button("CSV", type="button", className="save-table", title="Save this table as CSV", **said)
    told = {"data-revision": revision, "data-name": name, "data-saved-by": by}
    kept: Any = {key: text for key, text in told.items() if text}
    return html.Div([table] if by else [table, button], className="saved", **kept)


def exact(shown: Any, value: float | None, unit: str = "") -> Any:
    """What a cell shows, with the number that a file gets in its place: every digit, in `unit`.

    Without a number it is what is shown alone. Only cells of columns of numbers are written so.
    """
    in_unit: Any = {"data-unit": unit}
    return shown if value is None else html.Data(shown, value=repr(float(value)), **in_unit)


def light_colours() -> dict[str, str]:
    """The light colour for each dark one: pictures have a light ground whatever the screen has."""
    names = [name for name in DARK.__slots__ if name not in {"template", "series"}]
    pairs = [(getattr(DARK, name), getattr(LIGHT, name)) for name in names]
    return dict([*pairs, *zip(DARK.series, LIGHT.series, strict=True)])
