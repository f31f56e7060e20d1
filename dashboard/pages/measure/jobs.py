"""What runs, waits or is paused: progress, time left, the end of the log, and buttons that pause, resume and cancel."""

import secrets
from typing import Any

from dash import ALL, Input, Output, callback, ctx, html, no_update

from dashboard.access import AccessError, acting
from dashboard.figures.numbers import share
from dashboard.pages import ids
from dashboard.pages.components import Piece, attributes
from dashboard.pages.components.text import time_left
from dashboard.pages.measure import ids as own
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import NotResumable, request_cancel, request_pause, resume

CANCEL, PAUSE, RESUME = "cancel", "pause", "resume"
_DOES = {CANCEL: "Cancel", PAUSE: "Pause", RESUME: "Resume"}
_ASKED = {CANCEL: "Stopping", PAUSE: "Pausing"}
_SERVICES = {CANCEL: request_cancel, PAUSE: request_pause, RESUME: resume}


def active_cards(jobs: tuple[JobDetail, ...], *, may_edit: bool, reason: str) -> list[Piece]:
    """A card for each job that runs, waits or is paused."""
    return [_card(job, may_edit=may_edit, reason=reason) for job in jobs]


def _card(job: JobDetail, *, may_edit: bool, reason: str) -> html.Section:
    row = job.row
    asked = {CANCEL: row.cancel_requested, PAUSE: row.pause_requested, RESUME: False}
    buttons = [
        html.Button(
            _ASKED[does] if asked[does] else _DOES[does],
            id={own.CANCEL: row.id, "does": does},
            type="button",
            className="quiet-button",
            # A job that is to end will not pause.
            disabled=row.cancel_requested or asked[does] or not may_edit,
            title=reason,
        )
        for does in ((RESUME if row.paused else PAUSE), CANCEL)
    ]
    state = f"paused at {share(row.progress)}" if row.paused else share(row.progress)
    if row.state == "queued":
        state = "waits"
    waiting = "waiting for a worker" if row.state == "queued" else "starting"
    message = "what was measured is kept" if row.paused else row.message or waiting
    words = (time_left(row.seconds_left), message, f"sent by {row.created_by}")
    content: list[Piece] = [
        html.Div(
            [html.H2(row.title, className="card-title"), html.Span(state, className="numeral"), *buttons],
            className="active-head",
        ),
        html.Progress(value=str(row.progress), max="1", **attributes(aria_label=f"Progress of {row.title}")),
        html.P(" · ".join(part for part in words if part), className="quiet"),
    ]
    if job.lines:
        lines = [
            html.Div([html.Span(f"{line.at:%H:%M:%S}", className="log-time"), line.text])
            for line in job.lines
        ]
        content.append(html.Pre(lines, className="log", role="log"))
    return html.Section(content, className="card active-job", **attributes(data_state=row.state))


@callback(
    Output(own.CHANGED, "data", allow_duplicate=True),
    Output(ids.PROBLEM, "children", allow_duplicate=True),
    Input({own.CANCEL: ALL, "does": ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def act(clicks: list[int | None]) -> tuple[Any, Any]:
    """Cancel, pause or resume the job whose button was pressed."""
    pressed = ctx.triggered_id
    if not any(clicks) or not pressed:
        return no_update, no_update
    try:
        _SERVICES[pressed["does"]](principal=acting(), job_id=JobId(int(pressed[own.CANCEL])))
    except (AccessError, NotResumable) as error:
        return no_update, html.P(str(error), className="field-error")
    return secrets.token_hex(4), None
