"""Jobs on any page: sending one, and the indicator in the top bar, which asks the server only while something runs."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from dash import (
    ClientsideFunction,
    Input,
    Output,
    State,
    callback,
    clientside_callback,
    dcc,
    html,
    no_update,
)

from dashboard.access import Access, AccessError, Refused, acting
from dashboard.figures.histories_words import shortened
from dashboard.figures.numbers import plural, share
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import Content, Piece, attributes, progress_bar
from dashboard.pages.components.menus import menu
from dashboard.pages.components.static import at_rest
from dashboard.pages.components.text import time_left
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.jobs import active_jobs
from runner.errors import RunnerError

_EVERY_MS = 2000
# Why a job may be refused before it is one.
REFUSED = (AccessError, Refused, RunnerError)


def sends_job(
    button: str, said: Output, *others: Any, **inputs: State | Mapping[str, State]
) -> Callable[[Callable[..., Any]], Callable[..., tuple[Any, ...]]]:
    """Register a function that queues a job when `button` is pressed; it gets its `Access`, and `inputs` by name.

    It returns what `said` shows then, None where it queued nothing, and after it a value for each of the `others`. A
    refusal stands there in words; the others stay. The page's callback, `said`, `ids.JOBS_WAKE`, others, is handed back.
    """

    def register(function: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
        def queue(access: Access, *, _clicks: int = 1, **given: Any) -> tuple[Any, ...]:
            try:
                found = function(access, **given)
            except REFUSED as error:
                return html.P(str(error), className="field-error"), no_update, *[no_update] * len(others)
            message, *values = found if others else (found,)
            wake = no_update if message is None else secrets.token_hex(4)
            return html.P(message, className="quiet") if message else None, wake, *values

        if not said.allow_duplicate:
            unsaid_by_cancel(said)
        return system_callback(
            output=(said, Output(ids.JOBS_WAKE, "data", allow_duplicate=True), *others),
            inputs={"_clicks": Input(button, "n_clicks"), **inputs},
            prevent_initial_call=True,
        )(queue)

    return register


def unsaid_by_cancel(said: Output) -> None:
    """Have what was said of a job that was sent go once somebody cancels one here: `measure.jobs.act` wakes with that word."""
    clientside_callback(
        ClientsideFunction("lens", "unsaid"),
        Output(said.component_id, said.component_property, allow_duplicate=True),
        Input(ids.JOBS_WAKE, "data"),
        prevent_initial_call=True,
    )


def watches_jobs(
    active: str, tick: str, version: str, *others: Output, rests: bool = True
) -> Callable[[Callable[..., tuple[Any, ...]]], Callable[..., tuple[Any, ...]]]:
    """Register a function that tells what goes on: what `active` shows, the jobs of that, and a version of what is known.

    It gets its `Access`, and adds a value for each of the `others`. A version that has moved makes the page follow. The
    `tick` rests while no job is active, unless `rests` is off: what is paused stays so until somebody resumes it.
    """

    def register(function: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
        def watch(
            access: Access, _ticks: int | None, _woken: str | None, known: str | None
        ) -> tuple[Any, ...]:
            shown, jobs, found, *values = function(access)
            resting = rests and not any(job.active for job in jobs)
            return shown, resting, no_update if found == known else found, *values

        given = (Input(tick, "n_intervals"), Input(ids.JOBS_WAKE, "data"), State(version, "data"))
        kept = (Output(active, "children"), Output(tick, "disabled"), Output(version, "data"))
        return system_callback(*kept, *others, *given)(watch)

    return register


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
    rows: list[Piece] = []
    for job in jobs:
        more = " · ".join(
            part for part in (shortened(job.message) or job.state, time_left(job.remaining_seconds)) if part
        )
        title: Piece = shortened(job.title)
        if job.system_slug:
            title = html.A(title, href=address(job.system_slug, MEASURE), className="link")
        head = html.Div(
            [html.Span(title), html.Span(share(job.progress), className="numeral")], className="job-head"
        )
        bar = progress_bar(job.title, job.progress)
        rows.append(html.Div([head, bar, html.P(more, className="job-state")], className="job"))
    return not jobs, words, at_rest(rows), not jobs
