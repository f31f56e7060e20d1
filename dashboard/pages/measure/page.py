"""Measuring: what runs, waits and failed, the plan as it fills, and starting a measurement."""

from datetime import UTC, datetime
from typing import Any

from dash import Input, Output, State, dcc, html, no_update

from dashboard.access import Access
from dashboard.figures.numbers import count, share
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece, command, empty_state, page, skeleton
from dashboard.pages.components.text import ago, plural, time_left
from dashboard.pages.lens import Lens
from dashboard.pages.measure import analyze as measure_analyze
from dashboard.pages.measure import delete as measure_delete
from dashboard.pages.measure import form as measure_form
from dashboard.pages.measure import grid as measure_grid
from dashboard.pages.measure import ids as own
from dashboard.pages.measure import parts as measure_parts
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.jobs import MEASURED, JobDetail, active_jobs_of
from dashboard.selectors.measuring.rows import MeasuringStatus
from dashboard.selectors.measuring.status import measuring_status

_EVERY_MS = 2000


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page of measuring one system."""
    found = measuring_status(access=access)
    subject = found.subject
    subtitle = "No subject is registered for it on this machine: what was imported is shown"
    if subject is not None:
        numbers = (plural(len(subject.options), "option"), plural(len(subject.revisions), "revision"))
        registered = ago(subject.registered_at, datetime.now(UTC))
        subtitle = f"Subject {subject.name}: {', '.join(numbers)}, registered {registered}"
    grid: Piece = measure_grid.panel()
    if found.subject is None and not found.runs:
        grid = empty_state(
            "Nothing measured, and nothing to measure",
            f"Nothing of {found.name} was measured or imported, and no subject is registered for it on this machine.",
            command(f".venv/bin/python manage.py register FOLDER --system {found.slug}"),
        )
    main = [
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        grid,
        html.Div(id=own.MARKED, role="status"),
        html.Div(id=own.RUNS),
        html.Div(id=own.FAILURES),
        html.Div(id=own.BATCHES),
    ]
    side = [measure_form.panel(found, lens)]
    if (analysis := measure_analyze.panel(found)) is not None:
        side.append(analysis)
    if found.subject is not None:
        side.append(measure_parts.subject_card(found.subject))
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(subtitle, id=own.SUBTITLE),
        dcc.Store(id=own.VERSION),
        dcc.Store(id=own.CHANGED),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS, disabled=True),
        html.Div(
            [html.Div(main, className="measure-main"), html.Aside(side, className="measure-side")],
            className="measure",
        ),
        measure_delete.panel(found),
    )


@system_callback(
    Output(own.SENTENCE, "children"),
    Output(own.ACTIVE, "children"),
    Output(own.TICK, "disabled"),
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    Input(ids.JOBS_WAKE, "data"),
    Input(own.CHANGED, "data"),
    State(own.VERSION, "data"),
)
def watch(
    access: Access, _ticks: int | None, _woken: str | None, _changed: str | None, known: str | None
) -> tuple[Content, Content, bool, Any]:
    """What runs and waits now. With nothing left the polling rests until something is sent."""
    found = measuring_status(access=access)
    jobs = active_jobs_of(access=access)
    version = " ".join([str(found.data_version), *(f"{job.row.id}{job.row.state}" for job in jobs)])
    return (
        _sentence(found, jobs),
        active_cards(jobs, may_edit=found.may_edit, reason=found.reason),
        # What is paused stays as it is until somebody resumes it.
        not any(job.row.active for job in jobs),
        no_update if version == known else version,
    )


def _sentence(found: MeasuringStatus, jobs: tuple[JobDetail, ...]) -> str:
    running = next((job.row for job in jobs if job.row.state == "running"), None)
    if running is not None and running.kind == MEASURED:
        left = f", {text}" if (text := time_left(running.seconds_left)) else ""
        return f"{found.name} is being measured: {share(running.progress)}{left}"
    if running is not None:
        return f"{running.title}: {share(running.progress)}"
    if jobs:
        return f"{plural(len(jobs), 'job')} of {found.name} {'waits' if len(jobs) == 1 else 'wait'}"
    if not found.runs:
        return f"{found.name} was not measured yet"
    failed = f", {count(found.failed)} of them failed" if found.failed else ""
    return f"{plural(found.runs, 'run')} of {found.name}{failed}; nothing runs now"
