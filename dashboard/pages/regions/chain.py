"""The chain on the page of a region: how an option's value gets to its decisions, step by step."""

import json
from collections.abc import Sequence

from dash import html

from analytics.whitebox.result import TaintedSite
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components import Piece, attributes, code, help_tip
from dashboard.pages.components.tables import left_out
from dashboard.pages.components.text import plural
from dashboard.pages.lens import Lens
from dashboard.selectors.whitebox.chains import OptionChains

_MOST_OTHERS = 11
_HELP = (
    "The places that this option's value was seen at on its way here, the nearest to where it is read first. Which "
    "step came after which is worked out from names: it is evidence to be read, not a proof."
)
_KINDS = {
    "assignment": "assigned",
    "attribute": "kept in an attribute",
    "item": "kept in a container",
    "return": "returned",
    "call": "handed over in a call",
}


def chain_card(found: OptionChains, slug: str, lens: Lens, line: int | None) -> html.Section:
    """The chain to the decision in `line`, or the shortest one, and the others behind it."""
    chains = sorted(found.chains, key=lambda chain: (chain[-1].line != line, len(chain)))
    if not chains:
        return _not_reached(found)
    first, *others = chains
    content: list[Piece] = [_steps(first, found, slug, lens)]
    if others:
        shown = [_steps(chain, found, slug, lens) for chain in others[:_MOST_OTHERS]]
        more = plural(len(others), "more decision")
        content.append(
            html.Details(
                [
                    html.Summary(f"{more} of this region"),
                    *shown,
                    left_out(len(others) - _MOST_OTHERS),
                ],
                className="more",
            )
        )
    if found.analysis.result.cut:
        content.append(
            html.P("Steps were left out of a trace for want of space: a chain may begin too late.")
        )
    title: list[Piece] = [
        code(found.option),
        f" gets to line {first[-1].line} of ",
        code(_function(found.region)),
        f" in {plural(len(first), 'step')}",
    ]
    return _framed(title, content, _traced(found))


def _framed(title: Sequence[Piece], content: Sequence[Piece], foot: str) -> html.Section:
    close = html.Button(
        "×",
        type="button",
        className="quiet-button chain-close",
        title="Close the chain",
        **attributes(data_lens=json.dumps({"option": None, "line": None}), aria_label="Close the chain"),
    )
    tools = html.Div([help_tip(_HELP, "explanation/white-box"), close], className="figure-tools")
    return html.Section(
        [
            html.Div([html.H2(title, className="card-title"), tools], className="card-head"),
            *content,
            html.P(foot, className="card-note"),
        ],
        className="card chain",
        **attributes(aria_label="Chain"),
    )


def _steps(chain: Sequence[TaintedSite], found: OptionChains, slug: str, lens: Lens) -> html.Ol:
    steps = [
        _step(step, found, slug, lens, first=at == 0, last=at == len(chain) - 1)
        for at, step in enumerate(chain)
    ]
    return html.Ol(steps, className="chain-steps")


def _step(
    step: TaintedSite, found: OptionChains, slug: str, lens: Lens, *, last: bool, first: bool
) -> html.Li:
    href = address(
        slug,
        REGIONS,
        step.region,
        lens.but(region=step.region, revision=found.analysis.revision),
        option=found.option,
        line=str(step.line),
    )
    place: list[Piece] = [
        html.Span(f"{step.file}:{step.line}", className="chain-place"),
        _function(step.region),
    ]
    kind = _KINDS.get(step.kind, step.kind)
    if first and not step.decides:
        kind = f"read and {kind}"
    elif step.decides:
        kind = f"decides: {step.kind}" if last else f"decides what follows: {step.kind}"
    return html.Li(
        html.A(
            [
                html.Span(kind, className="chain-kind"),
                html.Code(step.text, className="chain-text"),
                html.Span(place, className="chain-where"),
            ],
            href=href,
            className="chain-step",
            title="Show this line",
            **attributes(data_row="true"),
        ),
        className="chain-last" if last else "",
    )


def _not_reached(found: OptionChains) -> html.Section:
    """The card in place of a chain where the option was in no decision of the region."""
    where = code(_function(found.region))
    title: list[Piece] = [code(found.option), " does not reach ", where]
    runs = plural(len(found.analysis.result.traced), "traced configuration")
    said = (
        f"In all {runs}, {found.option} was in no decision of this region: neither in a value that is tested, "
        "nor in what led there."
    )
    content: list[Piece] = [html.P(said)]
    if found.counted:
        # A path that no traced run took, code that is not followed, or a caller that decides how often this is called.
        missed = "But how often its lines run depends on it, as counts show: taints have missed the way."
        title = ["How ", code(found.option), " gets to ", where, " was not seen"]
        content.append(html.P(missed, className="warn"))
    return _framed(title, content, _traced(found))


def _traced(found: OptionChains) -> str:
    runs = plural(len(found.analysis.result.traced), "configuration")
    return f"Seen in {runs} of {found.analysis.revision}, traced on workload {found.analysis.workload}"


def _function(region: str) -> str:
    return region.rpartition(":")[2] or region
