"""The frame around every page: top bar, navigation, the lens, and the page itself."""

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, dcc, html

from dashboard.access import acting
from dashboard.pages import frame_search, ids, jobs
from dashboard.pages.components import Piece, attributes, skeleton
from dashboard.pages.frame_addresses import HOME, SECTIONS, address
from dashboard.pages.frame_routes import SERVED
from dashboard.pages.theme import THEME
from dashboard.selectors.systems import list_names

_KEYS = (
    ("/", "search options, regions and revisions"),
    ("j  k", "down and up a list"),
    ("t", "a figure's numbers as a table, and back"),
    ("[  ]", "previous and next revision"),
    ("?", "this list"),
)


def layout() -> dmc.MantineProvider:
    """Everything but the page's own content, for the person who asks."""
    return dmc.MantineProvider(
        id=ids.PROVIDER,
        theme=THEME,
        defaultColorScheme="auto",
        children=[
            dcc.Location(id=ids.ADDRESS, refresh="callback-nav"),
            dcc.Store(id=ids.LENS),
            dcc.Store(id=ids.LENS_SINK),
            dcc.Store(id=ids.SCHEME),
            dcc.Store(id=ids.TITLE),
            dcc.Store(id=ids.TITLE_SINK),
            dcc.Store(id=ids.SLUG),
            dcc.Store(id=ids.JOBS_WAKE),
            dcc.Store(id=ids.SECTIONS, data=[]),
            html.A("Skip to the page", href="#page", className="skip-link"),
            _top_bar(),
            html.Nav(id=ids.NAVIGATION, className="navigation", **attributes(aria_label="System")),
            html.Div(id=ids.CHIPS, className="lens", role="group", **attributes(aria_label="Selected")),
            html.Main(
                [
                    html.Div(id=ids.PROBLEM, role="status", className="problem"),
                    html.Div(skeleton(5), id=ids.CONTENT),
                ],
                id="page",
                tabIndex=-1,
                className="content",
            ),
            frame_search.dialog(),
            _keys_dialog(),
        ],
    )


def _top_bar() -> html.Header:
    brand = html.A(
        [
            html.Span(className="brand-mark", **attributes(aria_hidden="true")),
            html.Span("Perfatlas", className="brand-name"),
        ],
        href=HOME,
        className="brand",
        **attributes(aria_label="Perfatlas: all systems"),
    )
    scheme = html.Button(
        html.Span(className="icon icon-scheme", **attributes(aria_hidden="true")),
        type="button",
        className="bar-button",
        title="Light or dark",
        **attributes(data_action="scheme", aria_label="Light or dark"),
    )
    return html.Header(
        [
            brand,
            _switcher(),
            html.Div(className="bar-space"),
            frame_search.opener(),
            jobs.indicator(),
            scheme,
            _account(),
        ],
        className="top-bar",
    )


def _switcher() -> dmc.Menu:
    target = html.Button(
        [
            html.Span(id=ids.SWITCHER_NAME),
            html.Span(className="icon icon-chevron", **attributes(aria_hidden="true")),
        ],
        type="button",
        className="bar-button switcher",
        title="Another system",
    )
    return dmc.Menu(
        [dmc.MenuTarget(target), dmc.MenuDropdown(id=ids.SWITCHER, children=[])],
        position="bottom-start",
        shadow="md",
        width=280,
    )


def _account() -> dmc.Menu:
    name = acting().name
    target = html.Button(
        name[:1].upper(),
        type="button",
        className="account",
        title=name,
        **attributes(aria_label=f"Account of {name}"),
    )
    items = [
        dmc.MenuLabel(f"Signed in as {name}"),
        dmc.MenuItem("Keyboard", **attributes(data_opens=ids.KEYS)),
        dmc.MenuItem("Sign out", **attributes(data_action="sign-out")),
    ]
    return dmc.Menu(
        [dmc.MenuTarget(target), dmc.MenuDropdown(items)], position="bottom-end", shadow="md", width=200
    )


def _keys_dialog() -> dmc.Modal:
    rows: list[Piece] = [
        html.Div([html.Dt([html.Kbd(key) for key in keys.split()]), html.Dd(text)], className="fact")
        for keys, text in _KEYS
    ]
    return dmc.Modal(
        html.Dl(rows, className="facts keys"),
        id=ids.KEYS,
        title="Keyboard",
        overlayProps={"backgroundOpacity": 0.4},
        size="sm",
        centered=True,
    )


@callback(
    Output(ids.SWITCHER_NAME, "children"),
    Output(ids.SWITCHER, "children"),
    Output(ids.SECTIONS, "data"),
    Input(ids.SLUG, "data"),
)
def show_systems(slug: str | None) -> tuple[str, list[dmc.MenuItem], list[dict[str, str]]]:
    """The present system's name, all systems to change to, and the sections of a system that the person may see."""
    systems = list_names(principal=acting())
    items = [
        dmc.MenuItem(
            system.name,
            href=address(system.slug),
            **attributes(aria_current="true" if system.slug == slug else "false"),
        )
        for system in systems
    ]
    items.append(dmc.MenuItem("All systems", href=HOME, className="menu-last"))
    name = next((system.name for system in systems if system.slug == slug), "")
    sections = [
        {"section": section, "title": title} for section, title in SECTIONS.items() if section in SERVED
    ]
    return name or "Systems", items, sections if name else []


def _client(namespace: str, function: str) -> ClientsideFunction:
    return ClientsideFunction(namespace, function)


clientside_callback(
    _client("lens", "read"),
    Output(ids.LENS, "data"),
    Input(ids.ADDRESS, "pathname"),
    Input(ids.ADDRESS, "search"),
    State(ids.LENS, "data"),
)
clientside_callback(_client("lens", "write"), Output(ids.LENS_SINK, "data"), Input(ids.LENS, "data"))
clientside_callback(_client("lens", "chips"), Output(ids.CHIPS, "children"), Input(ids.LENS, "data"))
clientside_callback(
    _client("lens", "navigation"),
    Output(ids.NAVIGATION, "children"),
    Input(ids.ADDRESS, "pathname"),
    Input(ids.LENS, "data"),
    Input(ids.SECTIONS, "data"),
)
clientside_callback(
    _client("lens", "slug"), Output(ids.SLUG, "data"), Input(ids.ADDRESS, "pathname"), State(ids.SLUG, "data")
)
clientside_callback(
    _client("scheme", "read"),
    Output(ids.SCHEME, "data"),
    Input(ids.ADDRESS, "pathname"),
    State(ids.SCHEME, "data"),
)
clientside_callback(_client("page", "title"), Output(ids.TITLE_SINK, "data"), Input(ids.TITLE, "data"))
