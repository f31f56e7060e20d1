"""Jobs on any page: sending one, and the indicator in the top bar, which asks the server only while something runs."""

import secrets
from collections.abc import Callable
from typing import Any

from dash import Input, Output, callback, dcc, html, no_update

from dashboard.access import AccessError, acting
from dashboard.figures.numbers import share
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components import Content, Piece, attributes
from dashboard.pages.components.menus import menu
from dashboard.pages.components.text import plural, time_left
from dashboard.selectors.jobs import JobRow, active_jobs
from dashboard.services.evaluation import EvaluationRefused
from dashboard.services.jobs.leases import JobId
from dashboard.services.measuring.plans import MeasuringError
from dashboard.services.performance_models.curves import LearningRefused
from dashboard.services.subjects import SubjectError
from runner.errors import RunnerError

_EVERY_MS = 2000
# Why a job may be refused before it is one.
REFUSED = (AccessError, EvaluationRefused, LearningRefused, MeasuringError, RunnerError, SubjectError)


def send(start: Callable[[], JobId], message: str) -> tuple[Piece, Any, JobId | None]:
    """Have a service queue a job: what to show, a new value for `ids.JOBS_WAKE`, and the job.

    That is `message`, or the refusal in words; then the job is None.
    """
    try:
        job_id = start()
    except REFUSED as error:
        return html.P(str(error), className="field-error"), no_update, None
    return html.P(message, className="quiet"), secrets.token_hex(4), job_id


def indicator() -> html.Div:
    """A button with the number of jobs that run or wait, and their progress behind it; hidden while there are none."""
    label = [
        html.Span(className="jobs-ring", **attributes(aria_hidden="true")),
        html.Span(id=ids.JOBS_COUNT, role="status"),
    ]
    running = menu(
        label, id_=ids.JOBS_LIST, name="What runs and waits", look="bar-button jobs-button", at_end=True
    )
    tick = dcc.Interval(id=ids.JOBS_TICK, interval=_EVERY_MS, disabled=True)
    return html.Div(
        [running, tick], id=ids.JOBS, className="jobs", hidden=True, **attributes(aria_live="polite")
    )


@callback(
    Output(ids.JOBS, "hidden"),
    Output(ids.JOBS_COUNT, "children"),
    Output(ids.JOBS_LIST, "children"),
    Output(ids.JOBS_TICK, "disabled"),
    Input(ids.JOBS_TICK, "n_intervals"),
    Input(ids.ADDRESS, "pathname"),
    Input(ids.JOBS_WAKE, "data"),
)
def show_jobs(*_events: object) -> tuple[bool, str, Content, bool]:
    """What runs and waits now. With nothing left the polling rests until the next page or the next new job."""
    jobs = active_jobs(principal=acting())
    running = sum(job.state == "running" for job in jobs)
    words = f"{running} running" if running else plural(len(jobs), "job") + " waiting"
    return not jobs, words, [_row(job) for job in jobs], not jobs


def _row(job: JobRow) -> Piece:
    state = job.message or job.state
    more = " · ".join(part for part in (state, time_left(job.seconds_left)) if part)
    bar = html.Progress(value=str(job.progress), max="1", **attributes(aria_label=f"Progress of {job.title}"))
    title: Piece = job.title
    if job.system_slug:
        title = html.A(job.title, href=address(job.system_slug, MEASURE), className="link")
    head = html.Div(
        [html.Span(title), html.Span(share(job.progress), className="numeral")], className="job-head"
    )
    return html.Div([head, bar, html.P(more, className="job-state")], className="job")
