"""What an analysis saw of a region: its partition and the chain, beside the times or where there are none."""

from contextlib import suppress
from textwrap import dedent

from dash import Input, Output, State, dcc, html

from dashboard.access import Access, NotFound
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, REGIONS, address
from dashboard.pages.components.blocks import Content, Piece, chip, link, page
from dashboard.pages.components.tables import not_shown
from dashboard.pages.components.text import sentence
from dashboard.pages.lens import Lens
from dashboard.pages.regions import ids as page_ids
from dashboard.pages.regions.chain import chain_card
from dashboard.pages.regions.chips import changed_decisions, decision_chips, outcome_counts
from dashboard.pages.regions.partition import partition_card
from dashboard.pages.regions.source import MOST_LINES, source_line
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.counts import line_outcomes
from dashboard.selectors.regions.rows import RegionDetail
from dashboard.selectors.regions.sources import text_of
from dashboard.selectors.whitebox.analyses import option_chains, region_analysis, seen_region
from dashboard.selectors.whitebox.rows import RegionAnalysis

_READING = (
    "How often each line was gone through with the default configuration, and the options that change that. Where a line "
    "has several ways out, each has its own number."
)
# Notes stand behind the text: wide tabs would push them out of sight.
_TAB = 4
_CHANGES = "Moving {} alone changes what is counted on this line"


def layout(found: RegionAnalysis, access: Access, key: str, lens: Lens) -> html.Article:
    """The page of a region that was traced and not measured."""
    # Names in C++ have colons themselves.
    name = key.partition(":")[2]
    known = len(found.options)
    how = "traced" if found.analysis.result.runs else "counted"
    runs = plural(len(found.analysis.result.explored), f"{how} configuration")
    facts: list[Piece] = [
        link("All regions", address(access.slug, REGIONS, lens=lens.but(region="")), quiet=True),
        link("Measure it", address(access.slug, MEASURE, lens=lens)),
        html.Span(key, className="code region-key"),
    ]
    lines, partition = html.Div(id=page_ids.TRACED_LINES), html.Div(id=page_ids.TRACED_PARTITION)
    chain = html.Div(id=page_ids.TRACED_CHAIN, className="chain-place-holder", role="status")
    return page(
        f"{plural(known, 'option')} {'reaches' if known == 1 else 'reach'} {name}; its time is not known yet",
        f"{found.analysis.revision} · workload {found.analysis.workload} · {runs}",
        dcc.Store(id=page_ids.KEY, data=key),
        html.Div(facts, className="chips"),
        html.Div(
            [html.Div(lines, className="stack"), html.Div([chain, partition], className="stack")],
            className="halves",
        ),
    )


@system_callback(
    Output(page_ids.TRACED_CHAIN, "children"),
    Output(page_ids.TRACED_PARTITION, "children"),
    Output(page_ids.TRACED_LINES, "children"),
    Input(ids.LENS, "data"),
    State(page_ids.KEY, "data"),
)
def show_traced(access: Access, lens: Lens, key: str) -> tuple[Content, Content, Content]:
    """The chain of the chosen option, the partition, and the lines that options were seen at."""
    with suppress(NotFound):
        found = region_analysis(system=access.system, region=key, revision=lens.revision)
        if found is not None:
            # A command has no taints: the source is all that is known of its lines.
            source = None if found.steps else _source(found, access, lens)
            return (*chain_and_partition(found, None, access.slug, lens), source or _lines(found, lens))
    return None, None, html.P("This revision was not analyzed.", className="state-text")


def chain_and_partition(
    found: RegionAnalysis, measured: RegionDetail | None, slug: str, lens: Lens
) -> tuple[Piece, html.Section]:
    """The chain of the chosen option, None where none is chosen, and the partition with its times if `measured`."""
    option = lens.settings.get("option", "")
    partition = partition_card(found, measured, option)
    if not option:
        return None, partition
    try:
        chains = option_chains(seen_region(found.analysis, found.key), option)
    except NotFound as error:
        return html.P(sentence(error), className="card state-text"), partition
    return chain_card(found, option, chains, slug, lens), partition


def _source(found: RegionAnalysis, access: Access, lens: Lens) -> html.Section | None:
    """The source with what was counted on its lines, and which options change that; None where none is stored."""
    analysis = found.analysis
    stored = text_of(access.system, found.key, analysis.revision)
    if stored is None:
        return None
    version, texts = stored
    outcomes = line_outcomes(
        system=access.system,
        region=found.key,
        revision=analysis.revision,
        workload=analysis.workload,
        levels={},
    )
    changing, here = found.counted_by_line, lens.whole("line")
    rows = []
    for at, text in enumerate(
        dedent("\n".join(texts[:MOST_LINES])).expandtabs(_TAB).split("\n"), start=version.first_line
    ):
        chips = [chip(name, title=_CHANGES.format(name)) for name in changing.get(at, ())]
        notes = [html.Span(chips, className="source-chips") if chips else None]
        notes.append(outcome_counts(outcomes.get(at, ()), "with default"))
        rows.append(source_line(at, text, notes, is_here=at == here))
    return html.Section(
        [
            html.H2(
                f"{version.file}, lines {version.first_line} to {version.last_line}", className="source-place"
            ),
            html.P(_READING, className="figure-axes"),
            html.Div(rows, className="source", tabIndex=0),
            not_shown(len(texts) - len(rows), "more line"),
        ],
        className="card",
    )


def _lines(found: RegionAnalysis, lens: Lens) -> html.Section:
    """The lines that traced runs saw options at, where no source is stored."""
    if not found.steps:
        said = "No option was seen at any of its lines: what is known of it, counts have shown."
        return html.Section(html.P(said, className="state-text"), className="card")
    option, here = lens.settings.get("option", ""), lens.whole("line")
    decisions = changed_decisions(found.decisions_by_line, here)
    rows = []
    for step in found.steps:
        chips = decision_chips(decisions.get(step.line, ()), option=option, line=here)
        rows.append(source_line(step.line, step.text, [chips], is_here=step.line == here))
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


browser_callback("revealChain", Input(page_ids.TRACED_CHAIN, "children"))
browser_callback("revealLine", Input(page_ids.TRACED_LINES, "children"))
