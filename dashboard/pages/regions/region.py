"""The page of one region: its source with time, its own model, and what was measured in each of its subspaces."""

from typing import Any

from dash import Input, Output, State, dcc, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences import terms_figure
from dashboard.figures.influences_words import (
    at_text,
    configuration_text,
    influences_finding,
    intervals_text,
    is_time,
    region_text,
    system_text,
    term_names,
)
from dashboard.figures.numbers import estimate_text, listing, share
from dashboard.figures.option_words import term_costs
from dashboard.figures.regions import subspace_value, subspaces_figure, subspaces_finding
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, REGIONS, address
from dashboard.pages.components.blocks import Piece, figure_card, help_tip, link, page
from dashboard.pages.components.terms import option_link
from dashboard.pages.influences.parts import (
    RowLink,
    figure_rows,
    made_of,
    no_model,
    no_regions,
    no_such_selection,
    term_rows,
)
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions import traced
from dashboard.pages.regions.chips import option_chip
from dashboard.pages.regions.source import source_view, versions_view
from dashboard.pages.regions.tables import subspaces_table
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.counts import line_outcomes
from dashboard.selectors.explanations.sources import SourceDifference, source_difference
from dashboard.selectors.model_loading import NoRegions
from dashboard.selectors.model_rows import TermRow
from dashboard.selectors.performance_models import NoInfluenceModel
from dashboard.selectors.regions.measured import region
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
        found = region(system=access.system, selection=lens, key=key)
    except NotFound as error:
        # No time is known of the region: what an analysis saw of it, or why there is nothing.
        seen = region_analysis(system=access.system, region=key, revision=lens.revision)
        if seen is not None and (seen.steps or seen.partitions):
            return traced.layout(seen, access, key, lens)
        if isinstance(error, NoInfluenceModel):
            return no_model(key, access)
        if isinstance(error, NoRegions):
            return no_regions(key, error)
        raise
    terms_help = help_tip(_TERMS_HELP, "explanation/trust#influences")
    subspaces_help = help_tip(_SUBSPACES_HELP, "explanation/influence-models")
    code = [html.Div(id=page_ids.SOURCE), html.Div(id=page_ids.VERSIONS)]
    model = [
        html.Div(id=page_ids.CHAIN, className="chain-place-holder", role="status"),
        figure_card(page_ids.TERMS, height=96, help_=terms_help, rows=True),
        figure_card(page_ids.SUBSPACES, height=96, help_=subspaces_help, rows=True),
        html.Div(id=page_ids.PARTITION),
    ]
    halves = [html.Div(code, className="stack"), html.Div(model, className="stack")]
    body = [html.Div(id=page_ids.REGION_FACTS, className="chips"), html.Div(halves, className="halves")]
    return page(
        html.Span(id=page_ids.REGION_SENTENCE),
        html.Span(made_of(found.model), id=page_ids.REGION_SUBTITLE),
        dcc.Store(id=page_ids.KEY, data=key),
        html.Div(id=page_ids.REGION_MESSAGE),
        html.Div(body, id=page_ids.REGION_BODY),
    )


@system_callback(
    Output(page_ids.REGION_MESSAGE, "children"),
    Output(page_ids.REGION_BODY, "hidden"),
    Output(page_ids.REGION_SENTENCE, "children"),
    Output(page_ids.REGION_SUBTITLE, "children"),
    Output(page_ids.REGION_FACTS, "children"),
    Output(page_ids.SOURCE, "children"),
    Output(page_ids.VERSIONS, "children"),
    *page_ids.TERMS.outputs_with_rows,
    *page_ids.SUBSPACES.outputs_with_rows,
    Output(page_ids.CHAIN, "children"),
    Output(page_ids.PARTITION, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    State(page_ids.KEY, "data"),
)
def show_region(access: Access, lens: Lens, scheme: str | None, key: str) -> tuple[Any, ...]:
    """The region as the lens looks at it."""
    try:
        found = region(system=access.system, selection=lens, key=key)
    except NotFound as error:
        return no_such_selection(error), True, region_text(key), *[no_update] * 16
    model = found.model
    traced_parts: tuple[Piece, ...] = (None, None)
    if found.traced is not None:
        traced_parts = traced.chain_and_partition(found.traced, found, access.slug, lens)
    # What was counted at the base on the lines of source that are shown.
    outcomes = {}
    if found.source is not None:
        outcomes = line_outcomes(
            system=access.system,
            region=found.key,
            revision=model.revision,
            workload=model.workload,
            levels=dict(found.base.differences),
        )
    # The selected term where it surely changes the region's time, else the one that changes it most.
    sure = [term for term in found.terms if not term.influence.may_be_zero]
    told = next((term for term in sure if term.key == lens.term), sure[0] if sure else None)
    return (
        None,
        False,
        _sentence(found, told, lens.revision),
        made_of(model),
        _facts(found, told, lens, access.slug),
        source_view(found, access.slug, lens.settings.get("option", ""), lens.whole("line"), outcomes),
        versions_view(found.versions, model.revision, _difference(access, found, lens.since)),
        *_terms(found, lens.term, scheme),
        *_subspaces(found, scheme),
        *traced_parts,
    )


def _difference(access: Access, found: RegionDetail, since: str) -> SourceDifference | None:
    """What changed in the source since a revision, or else since the last other body; None where nothing tells it."""
    names = [one.revision for one in found.versions]
    if found.model.revision not in names:
        return None
    at = names.index(found.model.revision)
    changes = [place for place in range(1, at + 1) if found.versions[place].changed]
    before = since if since in names else names[changes[-1] - 1] if changes else ""
    if not before or before == found.model.revision:
        return None
    try:
        return source_difference(
            system=access.system, key=found.key, before=before, after=found.model.revision
        )
    except NotFound:
        return None


# What was asked for comes into view: the chain, and the line that a step of it leads to.
browser_callback("revealChain", Input(page_ids.CHAIN, "children"))
browser_callback("revealLine", Input(page_ids.SOURCE, "children"))


def _sentence(found: RegionDetail, told: TermRow | None, revision: str) -> str:
    """What the region takes at the base, and what a term adds to that; at the `revision` that was asked for, "" for any."""
    model = found.model
    time = estimate_text(found.time, model.unit)
    what = "Everything outside of the regions" if found.is_program else region_text(found.name)
    taken = (
        f"{what} takes {time} {at_text(found.base)}, {share(found.share)} of {system_text(model, revision)}"
    )
    if found.time.value == 0 and is_time(model):
        at = f" at {revision_text(model.revision)}" if revision else ""
        taken = f"{what} takes no time {at_text(found.base)}{at}"
    return f"{taken}; {term_costs(told, model)}" if told else taken


def _facts(found: RegionDetail, told: TermRow | None, lens: Lens, slug: str) -> list[Piece]:
    """The region's full name, the options that reach it, and where there is more of it."""
    facts: list[Piece] = [link("All regions", address(slug, REGIONS, lens=lens.but(region="")), quiet=True)]
    if told is not None:
        href = address(slug, HISTORIES, lens=lens.but(term=told.key, region=""))
        facts.append(link(f"History of {term_names(told)}", href))
    facts.append(html.Span(found.key, className="code region-key"))
    if found.options:
        facts.append(html.Span("changed by", className="control-label"))
    for option in found.options:
        if found.traced is None:
            facts.append(option_link(slug, option, lens))
        else:
            # Pressed, it leads to the chain.
            under, pressed = option not in found.traced.tainted, option == lens.settings.get("option")
            facts.append(option_chip(option, line=None, under=under, pressed=pressed))
    return facts


def _terms(found: RegionDetail, selected: str, scheme: str | None) -> tuple[Any, ...]:
    """The region's own model, for the outputs of its figure."""
    model = found.model
    significant = [
        term
        for term in found.terms
        if not term.influence.may_be_zero and all(change.option in found.options for change in term.changes)
    ]
    figure = terms_figure(significant[:MOST_TERMS], model, scheme=scheme, selected=selected)
    axes = f"influence on this region alone, relative to {configuration_text(found.base)}"
    if found.terms:
        axes += intervals_text(term.influence for term in found.terms)
    drawn, every = min(len(significant), MOST_TERMS), len(found.terms)
    finding = "No option changes this region's time"
    if significant:
        finding = influences_finding(significant, model)
    elif found.options:
        verb = "changes" if len(found.options) == 1 else "change"
        finding = f"{listing(found.options)} {verb} this region's time, by terms each of which may be zero"
    return (
        finding,
        f"{axes}; {drawn} of {every} terms" if drawn < every else axes,
        figure,
        terms_table(found.terms, model),
        term_rows(figure, found.terms, selected),
    )


def _subspaces(found: RegionDetail, scheme: str | None) -> tuple[Any, ...]:
    """What was measured in each subspace, for the outputs of its figure."""
    figure = subspaces_figure(found, scheme=scheme)
    base = html.Span("base", className="base-mark")
    names = {
        row.words: html.Span([base, row.words]) if row.holds_base else row.words for row in found.subspaces
    }
    return (
        subspaces_finding(found),
        f"each run as a dot, {subspace_value(found)} as a stroke",
        figure,
        subspaces_table(found, page_ids.SUBSPACES.table + "-grid"),
        figure_rows(figure, {words: RowLink(name) for words, name in names.items()}),
    )
