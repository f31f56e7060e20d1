"""What is being measured for the histories: its progress, its buttons, and the news that it brings."""

from typing import Any

from dash import Input, Output, State, dcc, html, no_update

from dashboard.access import Access
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece
from dashboard.pages.histories import ids as own
from dashboard.pages.measure import ids as measure_ids
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.jobs import JobDetail, active_jobs_of
from dashboard.selectors.measuring.status import measuring_refusal

_EVERY_MS = 2500
# Lines of a job's log: more of it stands on the page of measuring.
_LINES = 3


def active_jobs(access: Access) -> list[Piece]:
    """The element that the jobs are shown in, and what polls for them and for their results."""
    return [
        dcc.Store(id=own.VERSION, data=_version(access, ())),
        dcc.Store(id=measure_ids.CHANGED),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS),
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
    ]


@system_callback(
    Output(own.ACTIVE, "children"),
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    Input(ids.JOBS_WAKE, "data"),
    Input(measure_ids.CHANGED, "data"),
    State(own.VERSION, "data"),
)
def watch(
    access: Access, _ticks: int | None, _woken: str | None, _changed: str | None, known: str | None
) -> tuple[Content, Any]:
    """The jobs that are active; a new version where anything has moved, so that the page follows."""
    jobs = active_jobs_of(access=access, lines=_LINES)
    version = _version(access, jobs)
    refusal = measuring_refusal(access=access) if jobs else ""
    cards = active_cards(jobs, may_edit=not refusal, reason=refusal)
    return cards, no_update if version == known else version


def _version(access: Access, jobs: tuple[JobDetail, ...]) -> str:
    """Moves with every result, with the beginning and the end of a job, and with every choice of one that tracks."""
    parts = [str(access.system.data_version)]
    for job in jobs:
        parts.append(f"{job.row.id} {job.row.state}")
        if job.row.kind == "track":
            parts.append(job.row.message)
    return "; ".join(parts)
