"""What is being measured for the histories: its progress, its buttons, and the news that it brings."""

from typing import Any

from dash import Input, Output, State, callback, dcc, html, no_update

from dashboard.access import acting
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece
from dashboard.pages.histories import ids as own
from dashboard.pages.measure import ids as measure_ids
from dashboard.pages.measure.jobs import active_cards
from dashboard.selectors.histories.series import data_version
from dashboard.selectors.measuring.jobs import ActiveJob, active_jobs_of
from dashboard.selectors.subjects import measurable

_EVERY_MS = 2500
# Lines of a job's log: more of it stands on the page of measuring.
_LINES = 3


def place(slug: str) -> list[Piece]:
    """The place of the jobs, and what polls for them and for their results."""
    return [
        dcc.Store(id=own.VERSION, data=_version(slug, ())),
        dcc.Store(id=measure_ids.CHANGED),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS),
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
    ]


@callback(
    Output(own.ACTIVE, "children"),
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    Input(ids.JOBS_WAKE, "data"),
    Input(measure_ids.CHANGED, "data"),
    State(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def watch(
    _ticks: int | None, _woken: str | None, _changed: str | None, known: str | None, slug: str
) -> tuple[Content, Any]:
    """The jobs that are active; a new version where anything has moved, so that the page follows."""
    principal = acting()
    jobs = active_jobs_of(principal=principal, slug=slug, lines=_LINES)
    version = _version(slug, jobs)
    can = measurable(principal=principal, slug=slug) if jobs else None
    cards = [] if can is None else active_cards(jobs, may_edit=can.allowed, reason=can.reason)
    return cards, no_update if version == known else version


def _version(slug: str, jobs: tuple[ActiveJob, ...]) -> str:
    """Moves with every result, with the beginning and the end of a job, and with every choice of one that tracks."""
    parts = [str(data_version(principal=acting(), slug=slug))]
    for job in jobs:
        parts.append(f"{job.row.id} {job.row.state}")
        if job.row.kind == "track":
            parts.append(job.row.message)
    return "; ".join(parts)
