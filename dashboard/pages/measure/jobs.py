"""What runs, waits or is paused: progress, time left, the end of the log, and buttons that pause, resume and cancel."""

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dash import ALL, Input, Output, ctx, html, no_update

from dashboard.access import Access, AccessError, Refused
from dashboard.figures.histories_words import shortened
from dashboard.figures.numbers import plural, share
from dashboard.pages import ids
from dashboard.pages.components.blocks import Piece, action, attributes, progress_bar
from dashboard.pages.components.text import time_left
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.rows import Job
from dashboard.services.jobs.queueing import request_cancel, request_pause, resume

CANCEL, PAUSE, RESUME = "cancel", "pause", "resume"
_DOES = {CANCEL: "Cancel", PAUSE: "Pause", RESUME: "Resume"}
_ASKED = {CANCEL: "Stopping", PAUSE: "Pausing"}
_SERVICES = {CANCEL: request_cancel, PAUSE: request_pause, RESUME: resume}
# How parts of a job are, in the order in which they are told.
_STATES = {
    "done": "done",
    "running": "running",
    "queued": "waiting",
    "paused": "paused",
    "failed": "failed",
    "cancelled": "cancelled",
}
# Parts that are shown one by one.
_SHOWN = 20


def button_id(job: Job, does: str) -> dict[str, Any]:
    """The id of the button that cancels, pauses or resumes a job."""
    return {own.CANCEL: job.id, "does": does}


def active_cards(jobs: Sequence[Job], refusal: str) -> list[Piece]:
    """A card for each job that runs, waits or is paused; `refusal` says why its buttons may not be pressed."""
    cards: list[Piece] = []
    for row in jobs:
        asked = {CANCEL: row.cancel_requested, PAUSE: row.pause_requested, RESUME: False}
        buttons = []
        for does in (RESUME if row.paused else PAUSE, CANCEL):
            # A job that is to end will not pause.
            waits = row.cancel_requested or asked[does]
            text = _ASKED[does] if asked[does] else _DOES[does]
            id_ = button_id(row, does)
            buttons.append(action(text, id_=id_, look="quiet-button", refusal=refusal, disabled=waits))
        state = f"paused at {share(row.progress)}" if row.paused else share(row.progress)
        if row.state == "queued":
            state = "waits"
        waiting = "waiting for a worker" if row.state == "queued" else "starting"
        message = "what was measured is kept" if row.paused else shortened(row.message) or waiting
        words = (time_left(row.remaining_seconds), message, f"sent by {row.sender}")
        title = html.H2(shortened(row.title), className="card-title")
        content: list[Piece] = [
            html.Div([title, html.Span(state, className="numeral"), *buttons], className="active-head"),
            progress_bar(row.title, row.progress),
            html.P(" · ".join(part for part in words if part), className="quiet"),
        ]
        if row.parts:
            content.append(parts_of_job(row.parts))
        if row.lines:
            lines = [
                html.Div([html.Span(f"{line.at:%H:%M:%S}", className="log-time"), shortened(line.text)])
                for line in row.lines
            ]
            content.append(html.Pre(lines, className="log", role="log"))
        looks = attributes(data_state=row.state)
        cards.append(html.Section(content, className="card active-job", **looks))
    return cards


def parts_of_job(parts: Sequence[Job]) -> html.Details:
    """The parts of a job, folded: how many are how, and those that somebody may want to look at."""
    counts = Counter(part.state for part in parts)
    told = ", ".join(f"{counts[state]} {words}" for state, words in _STATES.items() if counts[state])
    shown = [part for part in parts if part.state in ("running", "failed")][:_SHOWN]
    rows = [
        html.Li(
            shortened(
                f"{part.title.rpartition(': ')[2]}: {part.state}, {share(part.progress)}: {part.message}"
            )
        )
        for part in shown
    ]
    summary = html.Summary(f"{plural(len(parts), 'part')}: {told}")
    # `static/dash/folds.js` keeps it open when the card is drawn anew.
    fold = attributes(data_fold=f"parts of {parts[0].parent_id}")
    return html.Details([summary, html.Ul(rows)], className="more", **fold)


@system_callback(
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Output(ids.PROBLEM, "children", allow_duplicate=True),
    Input({own.CANCEL: ALL, "does": ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def act(access: Access, _clicks: list[int | None]) -> tuple[Any, Any]:
    """Cancel, pause or resume the job whose button was pressed."""
    pressed = ctx.triggered_id
    try:
        _SERVICES[pressed["does"]](principal=access.principal, job_id=int(pressed[own.CANCEL]))
    except (AccessError, Refused) as error:
        return no_update, html.P(str(error), className="field-error")
    return f"{pressed['does']} {secrets.token_hex(4)}", None
