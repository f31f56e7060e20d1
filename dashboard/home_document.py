"""What the document itself holds before any script has come: the list of systems as HTML, and which chart library a page needs.

`static/dash/first_look.js` takes the list away when the explorer has drawn the same one. Its links work at once.
"""

from typing import Any

from dash import html
from dash.development.base_component import Component
from django.forms.utils import flatatt
from django.utils.html import conditional_escape

from dashboard.access import access_to, acting
from dashboard.pages import home
from dashboard.pages.addresses import MEASURE, REGIONS, TWO_REVISIONS, WORKLOADS, read_address
from dashboard.pages.frame.page import top_bar
from dashboard.pages.frame.problems import problem
from dashboard.selectors.call_trees import has_call_paths

# Those of HTML that have no end.
_EMPTY = frozenset({"br", "hr", "img", "input"})
# As React calls them.
_ATTRIBUTES = {"className": "class", "htmlFor": "for"}


def first_look() -> str:
    """The list of the person who asks, with the bar above it. The problem in its place, as `routes.show` has it."""
    try:
        content: Component = home.layout(acting())
    except Exception as error:  # noqa: BLE001 -- whatever fails becomes a state on the screen, and is logged there
        content = problem(error)
    main = html.Main(html.Div(content), className="content")
    return as_html(html.Div([top_bar("Systems"), main], className="first-look"))


def as_html(part: Any) -> str:
    """A tree of Dash's plain elements as HTML, without ids: they are those of the explorer, and each stands once.

    Of what is no plain element only its children are told.
    """
    if part is None:
        return ""
    if isinstance(part, (list, tuple)):
        return "".join(as_html(one) for one in part)
    if not isinstance(part, Component):
        return conditional_escape(part)
    inside = as_html(getattr(part, "children", None))
    if part._namespace != "dash_html_components":  # noqa: SLF001 -- Dash tells it in no other way
        return inside
    name = part._type.lower()  # noqa: SLF001 -- likewise
    props = part.to_plotly_json()["props"]  # type: ignore[no-untyped-call] # Dash's
    attributes = {
        _ATTRIBUTES.get(prop, prop.lower()): value
        for prop, value in props.items()
        if prop not in {"children", "id"}
    }
    end = "" if name in _EMPTY else f"{inside}</{name}>"
    return f"<{name}{flatatt(attributes)}>{end}"


def draws_whole(path: str) -> bool:
    """Whether the page at an address draws figures that need the whole chart library: flame graphs of call paths, and heat maps."""
    here = read_address(path)
    if here is None or here.key or here.section not in {REGIONS, TWO_REVISIONS, WORKLOADS, MEASURE}:
        return False
    try:
        system = access_to(acting(), here.slug).system
        return here.section in {WORKLOADS, MEASURE} or has_call_paths(system)
    except Exception:  # noqa: BLE001 -- the page says what fails; a library that was not foretold comes later
        return False
