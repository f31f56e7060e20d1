"""The page of one region: its source with time, its own model, and what was measured in each of its subspaces."""

from collections.abc import Mapping, Sequence
from typing import Any

from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.influences import terms_figure
from dashboard.figures.influences_words import (
    at_text,
    configuration_text,
    influences_finding,
    intervals_text,
    region_text,
    term_names,
    term_text,
)
from dashboard.figures.numbers import number, share
from dashboard.figures.regions import subspaces_figure, subspaces_finding
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, REGIONS, address
from dashboard.pages.components import Piece, chip, figure_card, help_tip, link, page
from dashboard.pages.influences.parts import (
    RowLink,
    figure_rows,
    made_of,
    no_model,
    no_regions,
    no_such_selection,
    selection,
    with_rows,
)
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions import traced
from dashboard.pages.regions.chips import option_chip
from dashboard.pages.regions.source import source_view, versions_view
from dashboard.pages.regions.tables import subspaces_table
from dashboard.pages.regions.traced import line_of
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.counts import OutcomeCount, line_outcomes
from dashboard.selectors.model_loading import NoRegions
from dashboard.selectors.performance_models import NoInfluenceModel
from dashboard.selectors.regions import region
from dashboard.selectors.regions.rows import RegionDetail
from dashboard.selectors.whitebox.analyses import region_analysis

MOST_TERMS = 12
_TERMS_HELP = (
    "The region's own model: what options add to its time alone. The sum over all regions is the influence of the "
    "whole program."
)
_SUBSPACES_HELP = (
    "A subspace holds the configurations that take the same path through the region, so their times should agree. "
    "Each dot is one run, the stroke is the value that the model takes."
)


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The page of the region that the address names."""
    try:
        found = region(system=access.system, selection=selection(lens), key=key)
    except NotFound as error:
        return _not_measured(access, key, lens, error)
    terms = figure_card(
        page_ids.TERMS, height=96, help_=help_tip(_TERMS_HELP, "explanation/influence-models")
    )
    dots = figure_card(
        page_ids.SUBSPACES, height=96, help_=help_tip(_SUBSPACES_HELP, "explanation/influence-models")
    )
    return page(
        html.Span(id=page_ids.REGION_SENTENCE),
        html.Span(made_of(found.model), id=page_ids.REGION_SUBTITLE),
        dcc.Store(id=page_ids.KEY, data=key),
        html.Div(id=page_ids.REGION_MESSAGE),
        html.Div(
            [
                html.Div(id=page_ids.REGION_FACTS, className="chips"),
                html.Div(
                    [
                        html.Div(
                            [html.Div(id=page_ids.SOURCE), html.Div(id=page_ids.VERSIONS)], className="stack"
                        ),
                        html.Div(
                            [
                                html.Div(id=page_ids.CHAIN, className="chain-place-holder", role="status"),
                                with_rows(terms, page_ids.TERMS_ROWS),
                                with_rows(dots, page_ids.SUBSPACES_ROWS),
                                html.Div(id=page_ids.PARTITION),
                            ],
                            className="stack",
                        ),
                    ],
                    className="halves",
                ),
            ],
            id=page_ids.REGION_BODY,
        ),
    )


def _not_measured(access: Access, key: str, lens: Lens, error: NotFound) -> html.Article:
    """What stands where no time is known of the region: what an analysis saw of it, or why there is nothing."""
    found = region_analysis(system=access.system, region=key, revision=lens.revision)
    if found is not None and (found.steps or found.partitions):
        return traced.layout(found, access, key, lens)
    if isinstance(error, NoInfluenceModel):
        return no_model(key, access)
    if isinstance(error, NoRegions):
        return no_regions(key, error)
    raise error


@system_callback(
    Output(page_ids.REGION_MESSAGE, "children"),
    Output(page_ids.REGION_BODY, "hidden"),
    Output(page_ids.REGION_SENTENCE, "children"),
    Output(page_ids.REGION_SUBTITLE, "children"),
    Output(page_ids.REGION_FACTS, "children"),
    Output(page_ids.SOURCE, "children"),
    Output(page_ids.VERSIONS, "children"),
    *page_ids.TERMS.outputs,
    Output(page_ids.TERMS_ROWS, "children"),
    *page_ids.SUBSPACES.outputs,
    Output(page_ids.SUBSPACES_ROWS, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    State(page_ids.KEY, "data"),
)
def show_region(access: Access, lens: Lens, scheme: str | None, key: str) -> tuple[Any, ...]:
    """The region as the lens looks at it."""
    try:
        found = region(system=access.system, selection=selection(lens), key=key)
    except NotFound as error:
        return no_such_selection(error), True, region_text(key), *[no_update] * 14
    model = found.model
    significant = [
        term
        for term in found.terms
        if not term.influence.may_be_zero and all(change.option in found.options for change in term.changes)
    ]
    own = terms_figure(significant[:MOST_TERMS], model, scheme=scheme, selected=lens.term)
    dots = subspaces_figure(found, scheme=scheme)
    return (
        None,
        False,
        _sentence(found),
        made_of(model),
        _facts(found, lens, access.slug),
        source_view(
            found, access.slug, lens.settings.get("option", ""), line_of(lens), _outcomes(access, found)
        ),
        versions_view(found.versions, model.revision),
        influences_finding(significant, model) if significant else "No option changes this region's time",
        _axes(found, len(significant)),
        own,
        terms_table(found.terms, model),
        figure_rows(own, _choices(found, lens)),
        subspaces_finding(found),
        "each run as a dot, the value of the model as a stroke",
        dots,
        subspaces_table(found, page_ids.SUBSPACES.table + "-grid"),
        figure_rows(
            dots, {row.words: RowLink(_words(row.words, base=row.holds_base)) for row in found.subspaces}
        ),
    )


clientside_callback(
    ClientsideFunction("explorer", "revealLine"),
    Input(page_ids.SOURCE, "children"),
    prevent_initial_call=True,
)


def _outcomes(access: Access, found: RegionDetail) -> Mapping[int, Sequence[OutcomeCount]]:
    """What was counted at the base on the lines of source that are shown."""
    if found.source is None:
        return {}
    return line_outcomes(
        system=access.system,
        region=found.key,
        revision=found.model.revision,
        workload=found.model.workload,
        levels=dict(found.base.differences),
    )


def _sentence(found: RegionDetail) -> str:
    time = number(found.time.value, found.time.error, found.model.unit)
    what = "Everything outside of the regions" if found.is_program else region_text(found.name)
    return f"{what} takes {time} {at_text(found.base)}, {share(found.share)} of {found.model.system_name}"


def _axes(found: RegionDetail, significant: int) -> str:
    base = configuration_text(found.base)
    drawn, every = min(significant, MOST_TERMS), len(found.terms)
    some = f"; {drawn} of {every} terms" if drawn < every else ""
    intervals = intervals_text(term.influence for term in found.terms) if found.terms else ""
    return f"influence on this region alone, relative to {base}{intervals}{some}"


def _facts(found: RegionDetail, lens: Lens, slug: str) -> list[Piece]:
    """The region's full name, the options that reach it, and where there is more of it."""
    facts: list[Piece] = [
        link("All regions", address(slug, REGIONS, lens=lens.but(region="")), quiet=True),
        html.Span(found.key, className="code region-key"),
    ]
    told = next((term for term in found.terms if not term.influence.may_be_zero), None)
    if told is not None:
        href = address(slug, HISTORIES, lens=lens.but(term=told.key, region=found.key))
        facts.insert(1, link(f"History of {term_names(told)}", href))
    if found.options:
        facts += [
            html.Span("reached by", className="control-label"),
            *(_reaching(option, found, lens) for option in found.options),
        ]
    return facts


def _reaching(option: str, found: RegionDetail, lens: Lens) -> Piece:
    """An option that reaches the region; pressed, it leads to the chain, where an analysis knows one."""
    if found.traced is None:
        return chip(option)
    return option_chip(
        option,
        line=None,
        under=option not in found.traced.options,
        pressed=option == lens.settings.get("option"),
    )


def _choices(found: RegionDetail, lens: Lens) -> dict[str, RowLink]:
    return {
        term.key: RowLink(term_text(term), change={"term": term.key}, pressed=term.key == lens.term)
        for term in found.terms
    }


def _words(words: str, *, base: bool) -> Piece:
    if not base:
        return words
    return html.Span([html.Span("base", className="base-mark"), words])
