"""The chain on the page of a region: how an option's value gets to its decisions, step by step."""

from collections.abc import Sequence

from dash import html

from analytics.whitebox.propagation import Chain
from dashboard.figures.chain_words import function_of, step_texts, unknown_steps
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import plural
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import Piece, attributes, code, help_tip, lens_button
from dashboard.pages.components.tables import left_out
from dashboard.pages.components.terms import option_link
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

_MOST_OTHERS = 11
_HELP = (
    "The places that this option's value was seen at on its way here, from where it is read. Each step was seen to come "
    "from the one before it, by the calls between; they need not have happened in one go."
)


def chain_card(
    region: RegionAnalysis,
    option: str,
    chains: Sequence[Chain],
    slug: str,
    lens: Lens,
    *,
    closes: bool = True,
) -> html.Section:
    """The chain to the decision in the line of the lens, or the shortest one, and the others behind it.

    Where it was opened on the page it `closes`.
    """
    line, where = lens.whole("line"), code(function_of(region.key))
    result = region.analysis.result
    if not chains:
        runs = plural(len(result.traced), "traced configuration")
        said = (
            f"In all {runs}, {option} was in no decision of this region: neither in a value that is tested, "
            "nor in what led there."
        )
        if not result.runs:
            # A command has no taints.
            said = "Nothing was traced: that it matters here is known from counts alone, and not the way that it takes."
            title: list[Piece] = ["How ", code(option), " gets to ", where, " was not looked at"]
            return _framed(title, [html.P(said)], region.analysis, closes=closes)
        if option not in region.added:
            return _framed(
                [code(option), " does not reach ", where], [html.P(said)], region.analysis, closes=closes
            )
        # A path that no traced run took, code that is not followed, or a caller that decides how often this is called.
        missed = "But how often its lines run depends on it, as counts show: taints have missed the way."
        title = ["How ", code(option), " gets to ", where, " was not seen"]
        return _framed(
            title, [html.P(said), html.P(missed, className="warn")], region.analysis, closes=closes
        )
    first, *others = sorted(chains, key=lambda chain: chain.decision.line != line)
    at = lens.but(revision=region.analysis.revision)
    content: list[Piece] = [_steps(first, option, slug, at)]
    if others:
        shown = [_steps(chain, option, slug, at) for chain in others[:_MOST_OTHERS]]
        summary = html.Summary(f"{plural(len(others), 'more decision')} of this region")
        rest = left_out(len(others) - _MOST_OTHERS)
        content.append(html.Details([summary, *shown, rest], className="more"))
    content.append(html.P(unknown_steps(result), className="warn") if unknown_steps(result) else None)
    steps = f" in {plural(len(first.steps), 'step')}"
    title = [option_link(slug, option, at), f" gets to line {first.decision.line} of ", where, steps]
    return _framed(title, content, region.analysis, closes=closes)


def _framed(
    title: Sequence[Piece], content: Sequence[Piece], analysis: WhiteBoxDetail, *, closes: bool
) -> html.Section:
    close = lens_button(
        "×",
        {"option": None, "line": None},
        look="quiet-button chain-close",
        name="Close the chain",
        title="Close the chain",
    )
    runs = plural(len(analysis.result.traced), "traced configuration")
    # The ways of all runs are one graph: not every run took this one.
    foot = f"From {runs} of {revision_text(analysis.revision)}, workload {analysis.workload}"
    if not analysis.result.runs:
        foot = f"{plural(len(analysis.result.explored), 'counted configuration')} of {revision_text(analysis.revision)}"
    help_ = help_tip(_HELP, "explanation/white-box")
    tools = html.Div([help_, close] if closes else [help_], className="figure-tools")
    return html.Section(
        [
            html.Div([html.H2(title, className="card-title"), tools], className="card-head"),
            *content,
            html.P(foot, className="card-note"),
        ],
        className="card chain",
        **attributes(aria_label="Chain"),
    )


def _steps(chain: Chain, option: str, slug: str, lens: Lens) -> html.Ol:
    items = []
    if not chain.from_read:
        unknown = html.Span(["The way from where ", code(option), " is read to here is not known"])
        items.append(html.Li(unknown, className="chain-unknown"))
    for step, kind in zip(chain.steps, step_texts(chain, option), strict=True):
        place = html.Span(f"{step.file}:{step.line}", className="chain-place")
        row = html.A(
            [
                html.Span(kind, className="chain-kind"),
                html.Code(step.text, className="chain-text"),
                html.Span([place, function_of(step.region)], className="chain-where"),
            ],
            href=address(
                slug, REGIONS, step.region, lens.but(region=step.region), option=option, line=str(step.line)
            ),
            className="chain-step",
            title="Show this line",
            **attributes(data_row="true"),
        )
        items.append(html.Li(row, className="chain-last" if step is chain.decision else ""))
    return html.Ol(items, className="chain-steps")
