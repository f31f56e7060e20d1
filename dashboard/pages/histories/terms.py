"""Histories of terms as small figures on one axis of revisions."""

from collections.abc import Sequence

from dash import Input, Output, State, dcc, html

from dashboard.access import Access
from dashboard.figures.histories import small_history_figure
from dashboard.figures.histories_words import changed, level_now, revision_text, scale_of
from dashboard.figures.numbers import estimate_text, plural
from dashboard.pages import ids
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Content, Piece, card, help_tip
from dashboard.pages.components.saving import figure_menu
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.history_list.list import list_address
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.compared import term_histories
from dashboard.selectors.histories.rows import History

# More small figures than these are no overview; all are in the list of histories.
_SHOWN = 12
# Of the others so many have links of their own.
_LINKED = 12


def panel() -> html.Section:
    """The place of the small figures, until a callback fills it."""
    return card(
        "How each term moved, the changed ones first",
        html.Div(id=own.TERMS, className="small-multiples"),
        more=help_tip(
            "A term is what an option, or options together, add to the default configuration. Each small figure is the "
            "history of one term over the same revisions.",
            "explanation/trust#bands-of-histories",
        ),
        wide=True,
    )


@system_callback(
    Output(own.TERMS, "children"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
    State(ids.LENS, "data"),
)
def show_terms(access: Access, scheme: str | None, _version: str | None, lens: Lens) -> Content:
    """The terms of one metric: what the lens says, else performance or CPU time, else the first."""
    shown = chosen_series(access, lens)
    chosen = term_histories(
        system=access.system, metric=lens.metric, workload=shown.workload, environment=shown.environment
    )
    if not chosen:
        return html.P(
            "Measure several configurations over several revisions, and each term's history stands here.",
            className="quiet",
        )
    pieces: list[Piece] = []
    for history in chosen[:_SHOWN]:
        series, now = history.series, estimate_text(level_now(history), scale=scale_of(history))
        text = f"{'steady' if history.enough_data else 'too few to tell,'} at {now}"
        if history.changes:
            last = history.changes[-1]
            where = f"{revision_text(last.before.name)} → {revision_text(last.after.name)}"
            earlier = (
                f"; {plural(len(history.changes) - 1, 'change')} before" if len(history.changes) > 1 else ""
            )
            text = f"{changed(last, series)}, {where}: {now} now{earlier}"
        graph = dcc.Graph(
            figure=small_history_figure(history, scheme=scheme),
            config={"displayModeBar": False, "staticPlot": True},
            className="small-graph",
        )
        href = address(access.slug, HISTORIES, lens=lens.but(term=series.subject))
        name = html.A(series.label, href=href, className="link")
        caption = html.Figcaption([name, html.Span(text, className="quiet")])
        pieces.append(html.Figure([caption, graph, figure_menu()], className="small-figure"))
    if len(chosen) > _SHOWN:
        pieces.append(html.P(_more(access, lens, chosen[_SHOWN:]), className="quiet"))
    return pieces


def _more(access: Access, lens: Lens, others: Sequence[History]) -> list[Piece]:
    """The terms without a figure, each as a link to its history, the first ones of many; then the list of all histories."""
    told: list[Piece] = [f"and {len(others)} more: "]
    for history in others[:_LINKED]:
        href = address(access.slug, HISTORIES, lens=lens.but(term=history.series.subject))
        told += [html.A(history.series.label, href=href, className="link"), ", "]
    left = len(others) - _LINKED
    every = f"{left} more in all histories" if left > 0 else "all histories"
    return [*told, html.A(every, href=list_address(access.slug), className="link")]
