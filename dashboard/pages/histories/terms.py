"""Histories of terms as small figures on one axis of revisions."""

from dash import Input, Output, State, callback, dcc, html

from dashboard.access import acting
from dashboard.figures.histories import small_history_figure
from dashboard.figures.histories_words import changed, revision_text
from dashboard.figures.numbers import number, scale_for
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components import Content, Piece, card, help_tip
from dashboard.pages.histories import ids as own
from dashboard.pages.lens import Lens
from dashboard.selectors.histories import summarise_histories
from dashboard.selectors.histories.rows import SeriesSummary

# More small figures than these are no overview; all are in the list of histories.
_SHOWN = 12


def panel() -> html.Section:
    """The place of the small figures, until a callback fills it."""
    return card(
        "How each term moved, the changed ones first",
        html.Div(id=own.TERMS, className="small-multiples"),
        more=help_tip(
            "A term is what an option, or options together, add to the default configuration. Each small figure is the "
            "history of one term over the same revisions.",
            "explanation/histories",
        ),
        wide=True,
    )


@callback(
    Output(own.TERMS, "children"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
    State(ids.LENS, "data"),
)
def show_terms(scheme: str | None, _version: str | None, slug: str, data: dict[str, str] | None) -> Content:
    """The terms of one metric: what the lens says, else performance or CPU time, else the first."""
    lens = Lens.read(data)
    found = summarise_histories(principal=acting(), slug=slug, kind="term")
    metrics = {(summary.series.quantity, summary.series.clock) for summary in found}
    # Terms of several metrics have nothing to do with each other.
    metric = min(
        metrics,
        key=lambda one: (one[0] != lens.metric, one[0] not in {"performance", "time"}, one[1] != "cpu", one),
        default=None,
    )
    chosen = [one for one in found if (one.series.quantity, one.series.clock) == metric]
    if not chosen:
        return html.P(
            "Measure several configurations over several revisions, and each term's history stands here.",
            className="quiet",
        )
    pieces: list[Piece] = [_small(summary, scheme, slug, lens) for summary in chosen[:_SHOWN]]
    if len(chosen) > _SHOWN:
        pieces.append(html.P(f"and {len(chosen) - _SHOWN} more: choose them above", className="quiet"))
    return pieces


def _level(summary: SeriesSummary) -> float | None:
    """Where the history stands last: its estimate, as drawn, and one scattering point only where there is none."""
    if summary.band:
        return summary.band[-1].estimate
    return summary.latest.median if summary.latest else None


def _small(summary: SeriesSummary, scheme: str | None, slug: str, lens: Lens) -> html.Figure:
    series = summary.series
    largest = max(summary.changes, key=lambda change: abs(change.size), default=None)
    scale = scale_for([point.median for point in summary.points], series.unit)
    text = (
        f"{changed(largest, series)}, {revision_text(largest.before)} → {revision_text(largest.after)}"
        if largest
        else f"{'steady' if summary.enough_data else 'too few to tell,'} at {number(_level(summary), scale=scale)}"
    )
    graph = dcc.Graph(
        figure=small_history_figure(summary, scheme=scheme),
        config={"displayModeBar": False, "staticPlot": True},
        className="small-graph",
    )
    href = address(slug, HISTORIES, lens=lens.but(term=series.subject))
    return html.Figure(
        [
            html.Figcaption(
                [html.A(series.label, href=href, className="link"), html.Span(text, className="quiet")]
            ),
            graph,
        ],
        className="small-figure",
    )
