"""Tracking: a job that chooses the revisions itself, and the trail of its choices."""

import secrets
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.figures.histories_words import revision_title
from dashboard.figures.numbers import percent
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece, card, help_tip
from dashboard.pages.components.text import plural
from dashboard.pages.histories import ids as own
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.trails import TrailRow, newest_trail
from dashboard.selectors.subjects import measurable
from dashboard.services.measuring import MeasuringError
from dashboard.services.subjects import SubjectError
from dashboard.services.tracking import TrackingRequest, start_tracking
from runner.errors import RunnerError

_BUDGETS = {"600": "10 min", "1800": "30 min", "3600": "1 h", "14400": "4 h", "43200": "12 h"}
_SHOWN = 8


def panel() -> html.Section:
    """How long to track, the button, and the place of the trail."""
    budget = dmc.Select(
        id=own.BUDGET,
        data=[{"value": value, "label": label} for value, label in _BUDGETS.items()],
        value="1800",
        allowDeselect=False,
        label="Let it choose for",
        comboboxProps={"shadow": "md"},
    )
    return card(
        "Track",
        budget,
        dmc.Button("Track this history", id=own.TRACK, variant="light", mt="sm", fullWidth=True),
        html.Div(id=own.TRACKED, role="status"),
        html.Div(id=own.TRAIL),
        more=help_tip(
            "A job that measures one revision after the other, each chosen by what is known so far, until the time is "
            "spent. Every choice is listed with its reason.",
            "how-to/track-a-repository",
        ),
    )


@callback(
    Output(own.TRAIL, "children"),
    Output(own.TRACK, "disabled"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def show_trail(_version: int | None, slug: str) -> tuple[Content, bool]:
    """The latest choices of the newest tracking job."""
    principal = acting()
    rows = newest_trail(principal=principal, slug=slug)
    return trail_list(rows), not measurable(principal=principal, slug=slug).allowed


def trail_list(rows: Sequence[TrailRow]) -> Content:
    """The choices as a list, the latest first; the older ones unfold."""
    if not rows:
        return None
    pieces: list[Piece] = [
        html.Ol(
            [_step(row) for row in rows[:_SHOWN]],
            className="trail",
            reversed="reversed",
            start=str(len(rows)),
        )
    ]
    if len(rows) > _SHOWN:
        older = html.Ol(
            [_step(row) for row in rows[_SHOWN:]],
            className="trail",
            reversed="reversed",
            start=str(len(rows) - _SHOWN),
        )
        pieces.append(html.Details([html.Summary(f"{plural(len(rows) - _SHOWN, 'earlier choice')}"), older]))
    return pieces


def _step(row: TrailRow) -> html.Li:
    what = revision_title(row.revision, row.message)
    notes = [row.reason]
    if row.gain:
        notes.append(f"gain about {percent(100 * row.gain, 2)}")
    if row.equal:
        notes.append(f"stands for {plural(row.equal, 'further revision')} with the same code")
    notes.append(f"took {row.seconds:.0f} s" if row.outcome == "measured" else row.outcome)
    return html.Li([html.Span(what, className="code"), html.Div("; ".join(notes), className="quiet")])


@callback(
    Output(own.TRACKED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.TRACK, "n_clicks"),
    State(own.BUDGET, "value"),
    State(ids.LENS, "data"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def start(clicks: int | None, budget: str, data: dict[str, str] | None, slug: str) -> tuple[Any, Any]:
    """Queue the tracking of the configuration whose history is shown."""
    if not clicks:
        return no_update, no_update
    principal = acting()
    lens = Lens.read(data)
    series = find_series(
        principal=principal, slug=slug, series_id=lens.settings.get("series", ""), term=lens.term
    )
    if series.kind != "configuration":
        return html.P(
            "Choose the history of a configuration: that is what runs.", className="field-error"
        ), no_update
    (configuration,) = measurable(principal=principal, slug=slug).words_for(series)
    request = TrackingRequest(
        configuration=configuration, workload=series.workload, budget_seconds=float(budget)
    )
    try:
        start_tracking(principal=principal, slug=slug, request=request)
    except (RunnerError, SubjectError, MeasuringError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Sent to the worker; points and choices arrive here."), secrets.token_hex(4)
