"""Search over one system's options, regions and revisions, behind the key `/`."""

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html

from dashboard.access import access_to, acting
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, INFLUENCES, REGIONS, address
from dashboard.pages.components.blocks import Content, attributes
from dashboard.pages.components.menus import dialog
from dashboard.pages.lens import Lens
from dashboard.selectors.systems import Hit, list_names, search

_HEADS = {"option": "Options", "region": "Regions", "revision": "Revisions"}


def opener() -> html.Button:
    """The button in the top bar."""
    return html.Button(
        [
            html.Span(className="icon icon-search", **attributes(aria_hidden="true")),
            html.Span("Search options, regions, revisions", className="search-words"),
            html.Kbd("/"),
        ],
        type="button",
        className="search-button",
        **attributes(data_opens=ids.SEARCH, aria_label="Search options, regions and revisions"),
    )


def search_dialog() -> html.Dialog:
    """The dialog with the field and what it found."""
    field = dmc.TextInput(
        id=ids.SEARCH_QUERY,
        placeholder="Name of an option, region or revision",
        debounce=150,
        variant="unstyled",
        className="search-field",
        **attributes(aria_label="Search"),
    )
    return dialog(
        ids.SEARCH,
        "Search",
        html.Div(
            [field, html.Div(id=ids.SEARCH_RESULTS, className="search-results")],
            **attributes(data_finds="true"),
        ),
        look="dialog dialog-search",
    )


@callback(
    Output(ids.SEARCH_RESULTS, "children"),
    Input(ids.SEARCH_QUERY, "value"),
    State(ids.SLUG, "data"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def show_hits(text: str | None, slug: str | None, lens: dict[str, str] | None) -> Content:
    """What the search finds in the present system; the systems themselves outside of one."""
    wanted = (text or "").strip()
    if not wanted:
        return None
    if not slug:
        names = [s for s in list_names(principal=acting()) if wanted.lower() in s.name.lower()]
        return [_group("Systems", [_row(s.name, "", address(s.slug)) for s in names])]
    chosen = Lens.read(lens)

    def row(hit: Hit) -> html.A:
        if hit.kind == "option":
            href = address(slug, INFLUENCES, lens=chosen.but(term=hit.key))
        elif hit.kind == "region":
            href = address(slug, REGIONS, hit.key, lens=chosen.but(region=hit.key))
        else:
            href = address(slug, HISTORIES, lens=chosen.but(revision=hit.key))
        return _row(hit.name, hit.detail, href)

    hits = search(system=access_to(acting(), slug).system, text=wanted)
    if not hits:
        return html.P(f"Nothing is called “{wanted}” here.", className="search-nothing")
    return [
        _group(head, [row(hit) for hit in hits if hit.kind == kind])
        for kind, head in _HEADS.items()
        if any(hit.kind == kind for hit in hits)
    ]


def _group(head: str, rows: list[html.A]) -> html.Div:
    return html.Div([html.H3(head, className="search-head"), *rows])


def _row(name: str, detail: str, href: str) -> html.A:
    return html.A(
        [html.Span(name, className="search-name"), html.Span(detail, className="search-detail")],
        href=href,
        className="search-row",
        **attributes(data_row="true"),
    )
