"""Search behind the keys `/` and Ctrl-K: over what one system has, the systems, the glossary and the documents."""

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html

from dashboard.access import access_to, acting
from dashboard.figures.histories_words import shortened
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, INFLUENCES, OPTIONS, REGIONS, WHAT_IF, address, view_address
from dashboard.pages.components.blocks import DOCS, Content, attributes
from dashboard.pages.components.menus import dialog
from dashboard.pages.components.static import at_rest
from dashboard.pages.lens import Lens
from dashboard.selectors.search import found_configurations, found_documents, found_in_system
from dashboard.selectors.systems import Hit, list_names

_SYSTEMS, _DOCUMENTS = 8, 5

_HEADS = {
    "option": "Options",
    "term": "Terms",
    "region": "Regions",
    "revision": "Revisions",
    "history": "Histories",
    "view": "Views",
    "configuration": "Configurations",
    "word": "Glossary",
    "document": "Documents",
}


def opener() -> html.Button:
    """The button in the top bar."""
    return html.Button(
        [
            html.Span(className="icon icon-search", **attributes(aria_hidden="true")),
            html.Span("Search everything", className="search-words"),
            html.Kbd("/"),
        ],
        type="button",
        className="search-button",
        **attributes(
            data_opens=ids.SEARCH,
            aria_label="Search options, terms, regions, revisions, histories, views, configurations, systems and documents",
        ),
    )


def search_dialog() -> html.Dialog:
    """The dialog with the field and what it found."""
    field = dmc.TextInput(
        id=ids.SEARCH_QUERY,
        placeholder="An option, function, revision, configuration, system, or a word",
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
    """What the search finds in the present system, among the systems, and in the documents."""
    wanted = (text or "").strip()
    if not wanted:
        return None
    names = [one for one in list_names(principal=acting()) if wanted.lower() in one.name.lower()][:_SYSTEMS]
    groups = [("Systems", [_row(one.name, "", address(one.slug)) for one in names])]
    hits = found_documents(wanted, limit=_DOCUMENTS)
    if slug:
        access = access_to(acting(), slug)
        there = found_configurations(access=access, wanted=wanted)
        hits = (*found_in_system(access=access, text=wanted), *there, *hits)
    chosen = Lens.read(lens)

    def href(hit: Hit) -> str:
        if hit.kind == "option":
            return address(slug or "", OPTIONS, hit.key, lens=chosen.but(term="", compared=""))
        if hit.kind == "region":
            return address(slug or "", REGIONS, hit.key, lens=chosen.but(region=hit.key))
        if hit.kind == "history":
            return address(slug or "", HISTORIES, hit.key, series=hit.key)
        if hit.kind == "view":
            return view_address(int(hit.key), hit.name)
        if hit.kind in {"word", "document"}:
            return DOCS + hit.key
        leads = {"term": (INFLUENCES, "term"), "configuration": (WHAT_IF, "compared")}
        section, selects = leads.get(hit.kind, (HISTORIES, "revision"))
        return address(slug or "", section, lens=chosen.but(**{"compared": "", selects: hit.key}))

    found = [
        (head, [_row(shortened(hit.name), hit.detail, href(hit)) for hit in hits if hit.kind == kind])
        for kind, head in _HEADS.items()
    ]
    shown = [
        html.Div([html.H3(head, className="search-head"), *rows])
        for head, rows in (*found[:-2], *groups, *found[-2:])
        if rows
    ]
    return at_rest(shown) or html.P(f"Nothing is called “{wanted}” here.", className="search-nothing")


def _row(name: str, detail: str, href: str) -> html.A:
    return html.A(
        [html.Span(name, className="search-name"), html.Span(detail, className="search-detail")],
        href=href,
        className="search-row",
        **attributes(data_row="true"),
    )
