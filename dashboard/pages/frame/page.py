"""The frame around every page: top bar, navigation, the lens, and the page itself."""

import json
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, callback, clientside_callback, dcc, html

from dashboard.access import acting
from dashboard.figures.theme import MONO, SANS
from dashboard.pages import ids, jobs
from dashboard.pages.addresses import HOME, SECTIONS, UNLISTED, WORKLOADS, address, members_address
from dashboard.pages.components.blocks import DOCS, Piece, attributes, skeleton
from dashboard.pages.components.menus import dialog, menu, menu_button, menu_link
from dashboard.pages.components.saving import light_colours
from dashboard.pages.components.static import at_rest
from dashboard.pages.frame import search as frame_search
from dashboard.pages.saved_views.saving import saving_dialog
from dashboard.selectors.systems import list_names
from dashboard.selectors.workloads import compares_workloads

# Mantine's theme: our typefaces, sizes and the one accent. Colours of surfaces come from `static/css`.
_THEME: dict[str, Any] = {
    "fontFamily": SANS,
    "fontFamilyMonospace": MONO,
    "headings": {"fontFamily": SANS, "fontWeight": "600"},
    "fontSizes": {"xs": "12px", "sm": "14px", "md": "14px", "lg": "14px", "xl": "22px"},
    "primaryColor": "accent",
    "primaryShade": {"light": 6, "dark": 3},
    "autoContrast": True,
    "defaultRadius": "sm",
    "radius": {"xs": "4px", "sm": "6px", "md": "8px", "lg": "12px", "xl": "16px"},
    "cursorType": "pointer",
    "respectReducedMotion": True,
    "colors": {
        "accent": [
            "#efeffc",
            "#dcdcf8",
            "#c3c2f2",
            "#a3a1ff",
            "#8a88f0",
            "#6462dc",
            "#4b4ac9",
            "#403fb0",
            "#353492",
            "#2a2974",
        ],
    },
}
_STORES = (ids.LENS, ids.LENS_SINK, ids.SCHEME, ids.TITLE, ids.TITLE_SINK, ids.SLUG, ids.JOBS_WAKE)
_KEYS = (
    ("/  Ctrl-K", "search everything: ↓ ↑ go through what is found, Enter opens it"),
    ("j  k", "down and up a list"),
    ("t", "a figure's numbers as a table, and back"),
    ("[  ]", "previous and next revision"),
    ("a  e  n  f  i  r", "a change is acknowledged, expected, noise, fixed, infrastructure, or new again"),
    ("Shift", "with one of these: all findings at that revision"),
    ("o  u", "owner, note and link of a change; take back what was said last"),
    ("?", "this list"),
)


def layout() -> dmc.MantineProvider:
    """Everything but the page's own content, for the person who asks."""
    keys: list[Piece] = [
        html.Div([html.Dt([html.Kbd(key) for key in keys.split()]), html.Dd(text)], className="fact")
        for keys, text in _KEYS
    ]
    return dmc.MantineProvider(
        id=ids.PROVIDER,
        theme=_THEME,
        defaultColorScheme="auto",
        children=[
            dcc.Location(id=ids.ADDRESS, refresh="callback-nav"),
            *(dcc.Store(id=one) for one in _STORES),
            dcc.Store(id=ids.SECTIONS, data=[]),
            html.Div(id="light-colours", hidden=True, **attributes(data_colours=json.dumps(light_colours()))),
            html.A("Skip to the page", href="#page", className="skip-link"),
            top_bar(),
            html.Nav(id=ids.NAVIGATION, className="navigation", **attributes(aria_label="System")),
            html.Section(id=ids.CHIPS, className="lens", **attributes(aria_label="Selected")),
            html.Main(
                [
                    html.Div(id=ids.PROBLEM, role="status", className="problem"),
                    html.Div(skeleton(5), id=ids.CONTENT),
                ],
                id="page",
                tabIndex=-1,
                className="content",
            ),
            frame_search.search_dialog(),
            saving_dialog(),
            dialog(
                ids.KEYS,
                "Keyboard",
                html.H2("Keyboard", className="card-title"),
                html.Dl(keys, className="facts keys"),
            ),
        ],
    )


def top_bar(name: str = "") -> html.Header:
    """The bar above every page; `name` stands in it until it is known which system is shown."""
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
    switcher = [html.Span(name, id=ids.SWITCHER_NAME), html.Span(className="icon icon-chevron")]
    person = acting().name
    items = [
        html.P(f"Signed in as {person}", className="menu-label"),
        menu_button("Keyboard", data_opens=ids.KEYS),
        menu_link("Account", "/account/"),
        menu_link("Documents", DOCS),
        menu_button("Sign out", data_action="sign-out"),
    ]
    return html.Header(
        [
            brand,
            menu(switcher, id_=ids.SWITCHER, name="Another system", look="bar-button switcher"),
            html.Div(className="bar-space"),
            frame_search.opener(),
            jobs.indicator(),
            scheme,
            menu(person[:1].upper(), items, name=f"Account of {person}", look="account", at_end=True),
        ],
        className="top-bar",
    )


@callback(
    Output(ids.SWITCHER_NAME, "children"),
    Output(ids.SWITCHER, "children"),
    Output(ids.SECTIONS, "data"),
    Input(ids.SLUG, "data"),
)
def show_systems(slug: str | None) -> tuple[str, list[html.A], list[dict[str, str]]]:
    """The present system's name, all systems to change to, and the sections of a system that the person may see."""
    systems = list_names(principal=acting())
    items = [menu_link(system.name, address(system.slug), here=system.slug == slug) for system in systems]
    items.append(menu_link("All systems", HOME))
    here = next((system for system in systems if system.slug == slug), None)
    name = "" if here is None else here.name
    # Where no configurations were measured in several workloads there is nothing to compare.
    hidden = UNLISTED if here is not None and compares_workloads(here) else UNLISTED | {WORKLOADS}
    sections = [
        {"section": section, "title": title} for section, title in SECTIONS.items() if section not in hidden
    ]
    # A plain page of its own, outside of the explorer.
    sections.append({"section": "members", "title": "Members", "href": members_address(slug or "")})
    return name or "Systems", at_rest(items), sections if name else []


# Functions of `static/dash` that answer in the browser, each with what it fills and what it depends on.
_PATH = Input(ids.ADDRESS, "pathname")
_LENS = Input(ids.LENS, "data")
_IN_THE_BROWSER: dict[str, tuple[Output | Input | State, ...]] = {
    "lens.read": (Output(ids.LENS, "data"), _PATH, Input(ids.ADDRESS, "search"), State(ids.LENS, "data")),
    "lens.write": (Output(ids.LENS_SINK, "data"), _LENS),
    # The page's title is blank where there is no page.
    "lens.chips": (Output(ids.CHIPS, "children"), _LENS, _PATH, Input(ids.TITLE, "data")),
    "lens.navigation": (Output(ids.NAVIGATION, "children"), _PATH, _LENS, Input(ids.SECTIONS, "data")),
    "lens.slug": (Output(ids.SLUG, "data"), _PATH, State(ids.SLUG, "data")),
    "scheme.read": (Output(ids.SCHEME, "data"), _PATH, State(ids.SCHEME, "data")),
    "page.title": (Output(ids.TITLE_SINK, "data"), Input(ids.TITLE, "data")),
}
for _function, _dependencies in _IN_THE_BROWSER.items():
    clientside_callback(ClientsideFunction(*_function.split(".")), *_dependencies)
