"""The panel beside the terms: where in the code the selected one arises."""

from typing import Any

from dash import ClientsideFunction, Input, Output, clientside_callback, html

from dashboard.access import Access, NotFound
from dashboard.figures.influences import interval_text, term_regions_figure, terms_scale
from dashboard.figures.influences_bars import no_rows
from dashboard.figures.influences_words import intervals_text, region_text, regions_finding, term_text
from dashboard.figures.numbers import number
from dashboard.figures.theme import palette
from dashboard.pages.addresses import HISTORIES, REGIONS, address
from dashboard.pages.components import Content, Piece, facts, figure_card, help_tip, link
from dashboard.pages.components.text import plural
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.parts import RowLink, figure_rows, selection, with_rows
from dashboard.pages.influences.tables import regions_table
from dashboard.pages.lens import Lens
from dashboard.selectors.influences import term_regions
from dashboard.selectors.model_rows import TermRegions

_HELP = (
    "An influence is the sum of what it adds in each region (function). Time outside of all regions is shown apart; "
    "click a region for its source and its own model."
)


PANEL = (
    Output(page_ids.TERM, "children"),
    Output(page_ids.TERM_FACTS, "children"),
    *page_ids.REGIONS.outputs,
    Output(page_ids.REGIONS_ROWS, "children"),
    Output(page_ids.REGIONS_CARD, "hidden"),
)


def panel() -> html.Div:
    """The panel's parts; the callback fills them."""
    card = figure_card(page_ids.REGIONS, height=96, help_=help_tip(_HELP, "explanation/influence-models"))
    return html.Div(
        [
            html.H2(id=page_ids.TERM, className="term-title"),
            html.Div(id=page_ids.TERM_FACTS),
            html.Div(with_rows(card, page_ids.REGIONS_ROWS), id=page_ids.REGIONS_CARD),
        ]
    )


def panel_of(access: Access, lens: Lens, term: str, scheme: str | None) -> tuple[Any, ...]:
    """The regions of a term, for `PANEL`; blank where no term passes the filters."""
    if not term:
        return _blank(
            lens, "no term passes the filters: lower the threshold, or show those that may be zero", scheme
        )
    try:
        found = term_regions(system=access.system, selection=selection(lens), term=term)
    except NotFound as error:
        return _blank(lens, str(error), scheme)
    if found.model.kind == "learned":
        # Nothing was measured of regions: there is nothing to draw.
        return (
            term_text(found.term),
            _facts(found, lens, access.slug),
            "",
            "",
            no_rows(palette(scheme)),
            None,
            [],
            True,
        )
    figure = term_regions_figure(found, scheme=scheme)
    return (
        term_text(found.term),
        _facts(found, lens, access.slug),
        regions_finding(found),
        f"each region's part of the influence{intervals_text([found.term.influence])}",
        figure,
        regions_table(found),
        figure_rows(figure, _links(found, lens, access.slug)),
        False,
    )


def _blank(lens: Lens, reason: str, scheme: str | None) -> tuple[Any, ...]:
    """The panel without a term, and why."""
    said = html.P(f"{reason[:1].upper()}{reason[1:]}.", className="state-text")
    return lens.term.replace("*", " × ") or "No term", said, "", "", no_rows(palette(scheme)), None, [], True


clientside_callback(
    ClientsideFunction("explorer", "open"),
    Input(page_ids.TERMS.graph, "clickData"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "open"),
    Input(page_ids.REGIONS.graph, "clickData"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "choose"),
    Input(page_ids.TERMS_GRID, "selectedRows"),
    prevent_initial_call=True,
)


def _links(found: TermRegions, lens: Lens, slug: str) -> dict[str, RowLink]:
    """Every region of the term that has a page leads there."""
    if found.model.is_hybrid:
        # The page shows what was measured beside it: where this model was learned.
        place = found.model
        lens = lens.but(revision=place.revision, workload=place.workload, environment=place.environment)
    links = {
        one.key: RowLink(region_text(one.name), _address(found, lens, slug, one.key) if one.has_page else "")
        for one in found.regions
    }
    if found.outside is not None and not found.model.is_hybrid:
        key = found.outside.key
        links[key] = RowLink("not in any region", _address(found, lens, slug, key))
    return links


def _address(found: TermRegions, lens: Lens, slug: str, key: str) -> str:
    return address(slug, REGIONS, key, lens.but(term=found.term.key, region=key))


def _facts(found: TermRegions, lens: Lens, slug: str) -> Piece:
    model = found.model
    influence, scale = found.term.influence, terms_scale([found.term], model)
    said = number(influence.value, influence.error, model.unit, scale=scale, signed=True)
    rows: list[tuple[Content, Content]] = [
        (
            "influence",
            html.Span([said, " (may be zero)"] if influence.may_be_zero else said, className="numeral"),
        ),
        ("interval", html.Span(interval_text(influence, model.unit, scale), className="numeral")),
    ]
    known = f"{plural(found.term.regions, 'region')} where it is significant"
    where = "not known: measured end to end only" if model.kind == "learned" else known
    rows.append(("arises in", where))
    history = address(slug, HISTORIES, lens=lens.but(term=found.term.key))
    over: list[Piece] = [link("History of this term", history)]
    if not model.is_learned:
        # The same term has another value there: nothing of it is the profiler's.
        over.append(html.Span(" of end-to-end times, without the profiler", className="help-text"))
    return facts([*rows, ("over revisions", html.Span(over))])
