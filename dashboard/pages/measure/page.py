"""Measuring: what runs, waits and failed, the plan as it fills, and starting a measurement."""

from datetime import UTC, datetime
from typing import Any

from dash import Output, dcc, html

from dashboard.access import Access, role_refusal
from dashboard.figures.histories_words import shortened
from dashboard.figures.numbers import count, plural, share
from dashboard.pages.components.blocks import Piece, page, skeleton
from dashboard.pages.components.text import ago, time_left
from dashboard.pages.jobs import watches_jobs
from dashboard.pages.lens import Lens
from dashboard.pages.measure import analyze as measure_analyze
from dashboard.pages.measure import delete as measure_delete
from dashboard.pages.measure import form as measure_form
from dashboard.pages.measure import grid as measure_grid
from dashboard.pages.measure import ids as own
from dashboard.pages.measure import job as measure_job
from dashboard.pages.measure import parts as measure_parts
from dashboard.pages.measure.jobs import active_cards
from dashboard.selectors.jobs import MEASURED, active_jobs_of
from dashboard.selectors.measuring.status import list_batches, run_counts, subject_of

_EVERY_MS = 2000


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The page of measuring one system, or of one of its jobs by the number that is the key."""
    if key:
        return measure_job.layout(access, key)
    subject, measured = subject_of(access=access), any(run_counts(access=access).values())
    subtitle = "No subject is registered for it on this machine: what was imported is shown"
    if subject is not None:
        numbers = (
            plural(len(subject.options), "option"),
            plural(len(subject.revisions), "revision") if subject.revisions else "revisions not listed yet",
        )
        registered = ago(subject.registered_at, datetime.now(UTC))
        subtitle = f"Subject {subject.name}: {', '.join(numbers)}, registered {registered}"
    grid: Piece = measure_grid.panel()
    if subject is None and not measured:
        grid = measure_parts.nothing_measured(access)
    main = [
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        grid,
        html.Div(id=own.MARKED, role="status"),
        html.Div(id=own.RUNS),
        html.Div(id=own.FAILURES),
        html.Div(id=own.BATCHES),
    ]
    side: list[Piece] = [measure_form.panel(access, subject, lens, again=measured)]
    if subject is not None:
        side += [measure_analyze.panel(subject, role_refusal(access)), measure_parts.subject_card(subject)]
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        subtitle,
        *(dcc.Store(id=one) for one in (own.VERSION, own.ROOM)),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS, disabled=True),
        html.Div(
            [html.Div(main, className="measure-main"), html.Aside(side, className="measure-side")],
            className="measure",
        ),
        measure_delete.panel(access),
    )


@watches_jobs(own.ACTIVE, own.TICK, own.VERSION, Output(own.SENTENCE, "children"))
def watch(access: Access) -> tuple[Any, ...]:
    """What runs and waits now."""
    name, jobs = access.system.name, active_jobs_of(access=access)
    version = " ".join([str(access.system.data_version), *(f"{job.id}{job.state}" for job in jobs)])
    running = next((job for job in jobs if job.state == "running"), None)
    if running is not None and running.kind == MEASURED:
        left = f", {text}" if (text := time_left(running.remaining_seconds)) else ""
        sentence = f"{name} is being measured: {share(running.progress)}{left}"
    elif running is not None:
        sentence = f"{shortened(running.title)}: {share(running.progress)}"
    elif jobs and all(job.state == "paused" for job in jobs):
        sentence = f"{plural(len(jobs), 'job')} of {name} {'is' if len(jobs) == 1 else 'are'} paused"
    elif jobs:
        sentence = f"{plural(len(jobs), 'job')} of {name} {'waits' if len(jobs) == 1 else 'wait'}"
    elif any((found := run_counts(access=access)).values()):
        failed = f", {count(found['failed'])} of them failed" if found["failed"] else ""
        aside = f", {count(found['invalid'])} more set aside" if found["invalid"] else ""
        sentence = f"{plural(found['runs'], 'run')} of {name}{failed}{aside}; nothing runs now"
    elif list_batches(access=access, limit=1):
        sentence = f"{name} was imported, without single runs"
    else:
        sentence = f"{name} was not measured yet"
    return active_cards(jobs, role_refusal(access)), jobs, version, sentence
