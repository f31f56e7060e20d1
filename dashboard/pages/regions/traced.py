"""What an analysis saw of a region: its partition and the chain, beside the times or where there are none."""

from contextlib import suppress

from dash import ClientsideFunction, Input, Output, State, clientside_callback, dcc, html

from dashboard.access import Access, NotFound
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, REGIONS, address
from dashboard.pages.components import Content, Piece, link, page
from dashboard.pages.components.text import plural
from dashboard.pages.influences.parts import selection
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions.chain import chain_card
from dashboard.pages.regions.chips import decision_chips
from dashboard.pages.regions.partition import partition_card
from dashboard.pages.system_callback import system_callback
from dashboard.pages.whitebox.evidence import dependency_words
from dashboard.selectors.regions import subspace_times
from dashboard.selectors.whitebox.analyses import region_analysis
from dashboard.selectors.whitebox.chains import option_chains
from dashboard.selectors.whitebox.rows import RegionAnalysis


def line_of(lens: Lens) -> int | None:
    """The line of source that the address points at."""
    written = lens.settings.get("line", "")
    return int(written) if written.isdecimal() else None


def layout(found: RegionAnalysis, access: Access, key: str, lens: Lens) -> html.Article:
    """The page of a region that was traced and not measured."""
    name = key.rpartition(":")[2]
    known = len(found.options) + len(found.counted)
    sentence = (
        f"{plural(known, 'option')} {'reaches' if known == 1 else 'reach'} {name}; its time is not known yet"
    )
    facts: list[Piece] = [
        link("All regions", address(access.slug, REGIONS, lens=lens.but(region="")), quiet=True),
        link("Measure it", address(access.slug, MEASURE, lens=lens)),
        html.Span(key, className="code region-key"),
    ]
    return page(
        sentence,
        f"{found.analysis.revision} · workload {found.analysis.workload} · "
        f"{plural(len(found.analysis.result.traced), 'traced configuration')}",
        dcc.Store(id=page_ids.KEY, data=key),
        html.Div(facts, className="chips"),
        html.Div(
            [
                html.Div(html.Div(id=page_ids.TRACED_LINES), className="stack"),
                html.Div(
                    [
                        html.Div(id=page_ids.CHAIN, className="chain-place-holder", role="status"),
                        html.Div(id=page_ids.PARTITION),
                    ],
                    className="stack",
                ),
            ],
            className="halves",
        ),
    )


@system_callback(
    Output(page_ids.CHAIN, "children"),
    Output(page_ids.PARTITION, "children"),
    Input(ids.LENS, "data"),
    State(page_ids.KEY, "data"),
)
def show_traced(access: Access, lens: Lens, key: str) -> tuple[Content, Content]:
    """The chain of the chosen option, and the partition with its times as far as they are known."""
    option = lens.settings.get("option", "")
    revision, unit = lens.revision, "s"
    times: dict[str, float | None] = {}
    # The times of the subspaces, as far as they were measured.
    with suppress(NotFound):
        model, times = subspace_times(system=access.system, selection=selection(lens), key=key)
        revision, unit = model.revision, model.unit
    try:
        found = region_analysis(system=access.system, region=key, revision=revision)
    except NotFound:
        found = None
    if found is None:
        return None, None
    notes = [dependency_words(one, found.analysis.space) for one in found.evidence]
    partition = partition_card(found, times, unit, option, notes)
    if not option:
        return None, partition
    try:
        chains = option_chains(found.analysis, option, found.key)
    except NotFound as error:
        said = f"{str(error)[:1].upper()}{str(error)[1:]}."
        return html.P(said, className="card state-text"), partition
    return chain_card(chains, access.slug, lens, line_of(lens)), partition


@system_callback(
    Output(page_ids.TRACED_LINES, "children"),
    Input(ids.LENS, "data"),
    State(page_ids.KEY, "data"),
)
def show_lines(access: Access, lens: Lens, key: str) -> Content:
    """The lines that traced runs saw options at, where no source is stored."""
    try:
        found = region_analysis(system=access.system, region=key, revision=lens.revision)
    except NotFound:
        found = None
    if found is None:
        return html.P("This revision was not analyzed.", className="state-text")
    return _lines(found, lens)


def _lines(found: RegionAnalysis, lens: Lens) -> html.Section:
    if not found.steps:
        said = "No option was seen at any of its lines: what is known of it, counts have shown."
        return html.Section(html.P(said, className="state-text"), className="card")
    option, here = lens.settings.get("option", ""), line_of(lens)
    decisions = found.decisions_by_line
    rows = []
    for step in found.steps:
        chips = decision_chips(decisions.get(step.line, ()), option=option, line=here)
        pieces = [
            html.Span(str(step.line), className="source-number"),
            html.Span("", className="source-time"),
            html.Code(step.text, className="source-text"),
            html.Span(chips, className="source-notes") if chips is not None else None,
        ]
        look = "source-line source-line-here" if step.line == here else "source-line"
        rows.append(html.Div(pieces, className=look))
    files = ", ".join(dict.fromkeys(step.file for step in found.steps))
    return html.Section(
        [
            html.H2(files, className="source-place"),
            html.P(
                "Lines that options were seen at. The whole source comes with the first profiled run.",
                className="figure-axes",
            ),
            html.Div(rows, className="source"),
        ],
        className="card",
    )


# What was asked for comes into view: the chain, and the line that a step of it leads to.
clientside_callback(
    ClientsideFunction("explorer", "revealChain"),
    Input(page_ids.CHAIN, "children"),
    prevent_initial_call=True,
)
clientside_callback(
    ClientsideFunction("explorer", "revealLine"),
    Input(page_ids.TRACED_LINES, "children"),
    prevent_initial_call=True,
)
