"""What runs and waits: progress, time left, the end of the log, and a button that cancels."""

import secrets
from typing import Any

from dash import ALL, Input, Output, callback, ctx, html, no_update

from dashboard.access import AccessError, acting
from dashboard.figures.numbers import share
from dashboard.pages import ids
from dashboard.pages.components import Piece, attributes
from dashboard.pages.components.text import time_left
from dashboard.pages.measure import ids as own
from dashboard.selectors.jobs import JobRow, LogLine
from dashboard.selectors.measuring.jobs import ActiveJob
from dashboard.services.jobs import JobId, request_cancel


def active_cards(jobs: tuple[ActiveJob, ...], *, may_edit: bool, reason: str) -> list[Piece]:
    """A card for each job that runs or waits."""
    return [_card(job, may_edit=may_edit, reason=reason) for job in jobs]


def _card(job: ActiveJob, *, may_edit: bool, reason: str) -> html.Section:
    row = job.row
    stops = row.cancel_requested
    cancel = html.Button(
        "Stopping" if stops else "Cancel",
        id={own.CANCEL: row.id},
        type="button",
        className="quiet-button",
        disabled=stops or not may_edit,
        title=reason,
    )
    head = html.Div(
        [html.H2(row.title, className="card-title"), html.Span(_state(row), className="numeral"), cancel],
        className="active-head",
    )
    bar = html.Progress(value=str(row.progress), max="1", **attributes(aria_label=f"Progress of {row.title}"))
    content: list[Piece] = [head, bar, html.P(_words(row), className="quiet")]
    if job.lines:
        content.append(html.Pre([_line(line) for line in job.lines], className="log", role="log"))
    return html.Section(content, className="card active-job", **attributes(data_state=row.state))


def _state(row: JobRow) -> str:
    return share(row.progress) if row.state == "running" else "waits"


def _words(row: JobRow) -> str:
    left = time_left(row.seconds_left)
    message = row.message or ("starting" if row.state == "running" else "waiting for a worker")
    return " · ".join(part for part in (left, message, f"sent by {row.created_by}") if part)


def _line(line: LogLine) -> html.Div:
    return html.Div([html.Span(f"{line.at:%H:%M:%S}", className="log-time"), line.text])


@callback(
    Output(own.CHANGED, "data", allow_duplicate=True),
    Output(ids.PROBLEM, "children", allow_duplicate=True),
    Input({own.CANCEL: ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def cancel(clicks: list[int | None]) -> tuple[Any, Any]:
    """Cancel a waiting job, ask a running one to stop."""
    if not any(clicks) or not ctx.triggered_id:
        return no_update, no_update
    try:
        request_cancel(principal=acting(), job_id=JobId(int(ctx.triggered_id[own.CANCEL])))
    except AccessError as error:
        return no_update, html.P(str(error), className="field-error")
    return secrets.token_hex(4), None
