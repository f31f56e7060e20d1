"""Tracking: a job that chooses the revisions itself, the trail of its choices, and why it stopped."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.figures.histories_words import revision_title, shortened
from dashboard.figures.numbers import percent
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece, card, help_tip
from dashboard.pages.components.text import plural
from dashboard.pages.histories import ids as own
from dashboard.pages.jobs import send
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.trails import Tracking, TrailRow, trackings
from dashboard.selectors.jobs import job_detail
from dashboard.selectors.subjects import measurable
from dashboard.services.tracking import TrackingRequest, start_tracking

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
        description="at most: it stops when nothing is worth measuring",
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
    # Without it nothing comes at first: the version is the answer of another callback, which may have no news.
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def show_trail(data: dict[str, str] | None, _version: str | None, slug: str) -> tuple[Content, bool]:
    """The choices of the tracking jobs of the chosen history, the newest job's first, and what ended each."""
    principal = acting()
    lens = Lens.read(data)
    series = find_series(
        principal=principal, slug=slug, series_id=lens.settings.get("series", ""), term=lens.term
    )
    found = trackings(principal=principal, slug=slug, series_id=series.series_id)
    can = measurable(principal=principal, slug=slug)
    shown: list[Piece] = [html.P(can.reason, className="quiet")] if can.reason else []
    for number, tracking in enumerate(found):
        trail = [_ended(tracking), *trail_list(tracking.rows)]
        if number:
            shown.append(html.Details([html.Summary(_earlier(tracking)), *trail]))
        else:
            shown += trail
    return shown, not can.allowed


def _earlier(tracking: Tracking) -> str:
    return f"An earlier job, {plural(len(tracking.rows), 'choice')}"


def _ended(tracking: Tracking) -> Piece:
    """Why a tracking job ended; nothing while it runs."""
    if tracking.stopped:
        return html.P(f"It stopped: {shortened(tracking.stopped)}.", className="trail-end quiet")
    if tracking.job_id is None:
        return None
    found = job_detail(principal=acting(), job_id=tracking.job_id, limit=0)
    if found.row.active:
        return None
    return html.P(f"It stopped: {found.error or f'it was {found.row.state}'}.", className="trail-end quiet")


def trail_list(rows: Sequence[TrailRow]) -> list[Piece]:
    """The choices as a list, the latest first; the older ones unfold."""
    if not rows:
        return []
    shown = _steps(rows[:_SHOWN], len(rows))
    if len(rows) <= _SHOWN:
        return [shown]
    left = len(rows) - _SHOWN
    summary = html.Summary(plural(left, "earlier choice"))
    return [shown, html.Details([summary, _steps(rows[_SHOWN:], left)])]


def _steps(rows: Sequence[TrailRow], last: int) -> html.Ol:
    return html.Ol([_step(row) for row in rows], className="trail", reversed="reversed", start=str(last))


def _step(row: TrailRow) -> html.Li:
    what = revision_title(row.revision, row.message)
    notes = [shortened(row.reason)]
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
        words = "Choose the history of a configuration: that is what runs."
        return html.P(words, className="field-error"), no_update
    (configuration,) = measurable(principal=principal, slug=slug).words_for(series)
    request = TrackingRequest(
        configuration=configuration, workload=series.workload, budget_seconds=float(budget)
    )
    sent = send(
        lambda: start_tracking(principal=principal, slug=slug, request=request),
        "Sent to the worker; points and choices arrive here.",
    )
    return sent.told, sent.wake
