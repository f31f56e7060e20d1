"""The panel beside the terms: where in the code the selected one arises."""

from typing import Any

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.influences import drawn_regions, interval_text, term_regions_figure, terms_scale
from dashboard.figures.influences_bars import no_rows
from dashboard.figures.influences_words import (
    intervals_text,
    region_text,
    regions_finding,
    term_text,
    together_text,
)
from dashboard.figures.numbers import GAP, number, plural
from dashboard.figures.theme import palette
from dashboard.pages.addresses import ANALYSIS, HISTORIES, REGIONS, address
from dashboard.pages.components.blocks import Piece, facts, figure_card, help_tip, link
from dashboard.pages.components.terms import option_link
from dashboard.pages.components.text import sentence
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.parts import RowLink, figure_rows
from dashboard.pages.influences.tables import regions_table
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback
from dashboard.selectors.influences import term_regions
from dashboard.selectors.model_rows import TermRegions
from dashboard.selectors.whitebox.analyses import newest_detail
from dashboard.selectors.whitebox.rows import RegionAnalysis

_HELP = (
    "An influence is the sum of what it adds in each region (function). Time outside of all regions is shown apart; "
    "click a region for its source and its own model."
)

PANEL = (
    Output(page_ids.TERM, "children"),
    Output(page_ids.TERM_FACTS, "children"),
    *page_ids.REGIONS.outputs_with_rows,
    Output(page_ids.REGIONS_CARD, "hidden"),
)


def panel() -> html.Div:
    """The panel's parts; the callback fills them."""
    help_ = help_tip(_HELP, "explanation/trust#influences")
    return html.Div(
        [
            html.H2(id=page_ids.TERM, className="term-title"),
            html.Div(id=page_ids.TERM_FACTS),
            html.Div(
                figure_card(page_ids.REGIONS, height=96, help_=help_, rows=True), id=page_ids.REGIONS_CARD
            ),
        ]
    )


def panel_of(access: Access, lens: Lens, term: str, scheme: str | None) -> tuple[Any, ...]:
    """The regions of a term, for `PANEL`; without the figure where nothing is known of regions, or no term is shown."""
    title = lens.term.replace("*", " × ") or "No term"
    nothing: tuple[Any, ...] = ("", "", no_rows(palette(scheme)), None, [], True)
    if not term:
        why = (
            "No term is shown. Where filters hide some, lower the threshold, or show those that may be zero."
        )
        return title, html.P(why, className="state-text"), *nothing
    try:
        found = term_regions(system=access.system, selection=lens, term=term)
    except NotFound as error:
        return title, html.P(sentence(error), className="state-text"), *nothing
    told = (term_text(found.term), _facts(found, lens, access.slug, _why(access, found, lens)))
    if found.model.kind == "learned":
        return *told, *nothing
    place = found.model
    if place.is_hybrid:
        # The page shows what was measured beside it: where this model was learned.
        lens = lens.but(revision=place.revision, workload=place.workload, environment=place.environment)
    shown = {one.key: (region_text(one.name), one.has_page) for one in found.regions}
    if found.outside is not None and not place.is_hybrid:
        shown[found.outside.key] = ("not in any region", True)
    links = {}
    for key, (name, has_page) in shown.items():
        href = address(access.slug, REGIONS, key, lens.but(term=found.term.key, region=key))
        links[key] = RowLink(name, href if has_page else "")
    figure = term_regions_figure(found, scheme=scheme)
    rest = together_text(len(found.regions) - len(drawn_regions(found)))
    return (
        *told,
        regions_finding(found),
        f"each region's part of the influence{intervals_text([found.term.influence])}{rest}",
        figure,
        regions_table(found),
        figure_rows(figure, links),
        False,
    )


browser_callback("open", Input(page_ids.TERMS.graph, "clickData"))
browser_callback("open", Input(page_ids.REGIONS.graph, "clickData"))
browser_callback("choose", Input(page_ids.TERMS_GRID, "selectedRows"))


def _why(access: Access, found: TermRegions, lens: Lens) -> Piece:
    """For each option of a term the way to the largest region that it was seen to reach; or to the analysis."""
    revision = found.model.revision
    analysis = newest_detail(access.system, revision) or newest_detail(access.system, "")
    if analysis is None:
        return link("Analyze the program, to see why", address(access.slug, ANALYSIS, lens=lens))
    if not found.regions:
        return link("What each option changes", address(access.slug, ANALYSIS, lens=lens))
    at = lens.but(revision=analysis.revision)
    ways: list[Piece] = []
    for change in found.term.changes:
        reached = (one for one in found.regions if change.option in RegionAnalysis(analysis, one.key).options)
        region = next(reached, None)
        if region is not None:
            href = address(access.slug, REGIONS, region.key, at.but(region=region.key), option=change.option)
            ways.append(html.Div(link(f"How {change.option} gets to {region_text(region.name)}", href)))
    return html.Div(ways) if ways else "the analysis saw none of its options in these regions"


def _facts(found: TermRegions, lens: Lens, slug: str, why: Piece) -> Piece:
    model = found.model
    influence, scale = found.term.influence, terms_scale([found.term], model)
    said = number(influence.value, influence.margin, scale=scale, signed=True)
    where = f"{plural(found.term.regions, 'region')} where it is significant"
    if model.kind == "learned":
        where = "not known: measured end to end only"
    history = address(slug, HISTORIES, lens=lens.but(term=found.term.key))
    over: list[Piece] = [link("History of this term", history)]
    if not model.is_learned:
        # The same term has another value there: nothing of it is the profiler's.
        over.append(html.Span(" of end-to-end times, without the profiler", className="help-text"))
    pages = [
        piece for change in found.term.changes for piece in (" ", option_link(slug, change.option, lens))
    ]
    factor = None
    if found.term.factor is not None:
        factor = html.Span(f"×{GAP}{number(found.term.factor, unit='')}", className="numeral")
    amount = html.Span([said, " (may be zero)"] if influence.may_be_zero else said, className="numeral")
    return facts(
        [
            ("influence", amount),
            ("interval", html.Span(interval_text(influence, model, scale), className="numeral")),
            *([] if factor is None else [("factor", factor)]),
            ("arises in", where),
            ("option" if found.term.degree == 1 else "options", html.Span(pages[1:])),
            ("why", why),
            ("over revisions", html.Span(over)),
        ]
    )
