"""Histories: one curve over all revisions, its changes, what to measure next, and the histories of terms."""

from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import Input, Output, State, callback, dcc, html, no_update

from dashboard.access import acting
from dashboard.figures.histories import axis_title, history_figure
from dashboard.figures.histories_words import finding
from dashboard.figures.numbers import scale_for
from dashboard.pages import histories_ids as own
from dashboard.pages import histories_next, histories_terms, ids
from dashboard.pages.components import (
    Content,
    card,
    code,
    command,
    empty_state,
    figure_card,
    help_tip,
    page,
    skeleton,
)
from dashboard.pages.frame_addresses import Place
from dashboard.pages.frame_lens import Lens
from dashboard.pages.histories_parts import changes_list, points_table, revision_card, series_choices
from dashboard.selectors.histories import get_history
from dashboard.selectors.series import data_version, default_series, list_series

_POLL_MILLISECONDS = 4000


def layout(here: Place, lens: Lens) -> html.Article:
    """The page of a system's histories, or how a history comes to be."""
    series = list_series(principal=acting(), slug=here.slug)
    if not series:
        return page("No history yet", None, _no_history(here.slug))
    chosen = default_series(series, series_id=lens.settings.get("series", ""), term=lens.term)
    picker = dmc.Select(
        id=own.SERIES,
        data=series_choices(series),
        value=str(chosen.series_id),
        allowDeselect=False,
        searchable=True,
        label="History of",
        className="history-picker",
        w=360,
        comboboxProps={"shadow": "md"},
    )
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.VERSION),
        dcc.Interval(id=own.TICK, interval=_POLL_MILLISECONDS),
        html.Div(
            [
                html.Div([picker, _main_figure(), histories_terms.panel()], className="history-main"),
                html.Aside(
                    [
                        card("Changes", html.Div(skeleton(2), id=own.CHANGES)),
                        card("Revision", html.Div(skeleton(2), id=own.REVISION)),
                        histories_next.panel(),
                    ],
                    className="history-side",
                ),
            ],
            className="history",
        ),
    )


def _main_figure() -> html.Section:
    return figure_card(
        own.FIGURE,
        height=420,
        help_=help_tip(
            "The line is the estimate, the bands hold the true value with 50 and 95 % certainty: also where nothing was "
            "measured. Shaded brackets hold a change of level.",
            "explanation/histories",
        ),
    )


def _no_history(slug: str) -> html.Div:
    return empty_state(
        "A history needs two measured revisions",
        ["Measure more than one revision of the registered subject of ", code(slug), ":"],
        command(f"manage.py measure {slug} --revisions every=5 --repetitions 3"),
    )


@callback(
    Output(ids.LENS, "data", allow_duplicate=True),
    Input(own.SERIES, "value"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def choose_series(series: str, data: dict[str, str] | None) -> Any:
    """Keep the chosen series in the address; a term chosen elsewhere no longer rules."""
    lens = Lens.read(data)
    return (
        no_update
        if lens.settings.get("series") == series
        else lens.but(term="").setting(series=series).data()
    )


@callback(
    Output(ids.LENS, "data", allow_duplicate=True),
    Input(own.FIGURE.graph, "clickData"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def choose_revision(click: dict[str, Any] | None, data: dict[str, str] | None) -> Any:
    """Keep the clicked revision in the address."""
    named = [point["customdata"][0] for point in (click or {}).get("points", ()) if point.get("customdata")]
    return Lens.read(data).but(revision=named[0]).data() if named and named[0] else no_update


@callback(
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    State(ids.SLUG, "data"),
    State(own.VERSION, "data"),
    prevent_initial_call=True,
)
def watch(_ticks: int, slug: str, known: int | None) -> Any:
    """The system's data version, when it has moved: results have arrived."""
    version = data_version(principal=acting(), slug=slug)
    return no_update if version == known else version


@callback(
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    Output(own.FIGURE.finding, "children"),
    Output(own.FIGURE.axes, "children"),
    Output(own.FIGURE.graph, "figure"),
    Output(own.FIGURE.table, "children"),
    Output(own.CHANGES, "children"),
    Output(own.REVISION, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def show(
    data: dict[str, str] | None, scheme: str | None, _version: int | None, slug: str
) -> tuple[Content, Content, Content, Content, go.Figure, Content, Content, Content]:
    """The chosen history, its changes, and the chosen revision."""
    lens = Lens.read(data)
    principal = acting()
    chosen = default_series(
        list_series(principal=principal, slug=slug), series_id=lens.settings.get("series", ""), term=lens.term
    )
    history = get_history(principal=principal, slug=slug, series_id=chosen.series_id)
    place = next((place for place in history.revisions if place.name == lens.revision), None)
    scale = scale_for([point.median for point in history.points], history.series.unit)
    series = history.series
    subtitle = (
        f"{len(history.points)} of {len(history.revisions)} revisions measured, "
        f"workload {series.workload}, {series.environment}"
    )
    return (
        finding(history),
        subtitle,
        finding(history),
        f"{axis_title(history, scale)} by revision; band of 50 and 95 % certainty",
        history_figure(history, scheme=scheme, selected=place.position if place else None),
        points_table(history, scale),
        changes_list(history, scale),
        revision_card(history, place, scale, slug, lens),
    )
