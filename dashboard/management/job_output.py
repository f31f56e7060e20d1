"""A job in the terminal: its state in one line, and its life as it goes on."""

import json
import threading
from collections.abc import Callable
from typing import Any

from dashboard.access import Principal
from dashboard.figures.histories_words import shortened
from dashboard.figures.numbers import GAP, rough_time
from dashboard.models import Job, JobLogLine
from dashboard.selectors.jobs import follow_job

# What a job has under the same name in JSON.
_SAME = (
    *("id", "kind", "queue", "title", "system_slug", "state", "progress", "message", "attempt"),
    *("cancel_requested", "pause_requested", "created_at", "started_at", "finished_at"),
)


def follow(
    *, principal: Principal, job_id: int, say: Callable[[str], object], until: threading.Event | None = None
) -> Job:
    """Say log lines and progress, line by line, until the job has ended or `until` is set; its last state.

    Raises `NotFound`.
    """
    shown = None
    for detail in follow_job(principal=principal, job_id=job_id, until=until):
        for line in detail.lines:
            say(log_line(line))
        # A time left that merely runs down says nothing new.
        told = (detail.state, round(detail.progress, 2), detail.message)
        if told != shown:
            say(state_in_words(detail))
            shown = told
    return detail


def log_line(line: JobLogLine) -> str:
    """A line of the log with its time."""
    return f"{line.at:%H:%M:%S} {shortened(line.text)}"


def state_in_words(row: Job) -> str:
    """State, share, time left and message: "running, 42 %, about 3 min left: 12 of 40 runs"."""
    parts = [row.state]
    if row.active and row.cancel_requested:
        parts.append("stops soon")
    elif row.active and row.pause_requested:
        parts.append("pauses soon")
    if row.active and row.started_at is not None:
        parts.append(f"{row.progress:.0%}".replace("%", " %"))
    if row.remaining_seconds is not None:
        parts.append(f"about {time_in_words(row.remaining_seconds)} left")
    return ", ".join(parts) + (f": {shortened(row.message)}" if row.message else "")


def time_in_words(seconds: float) -> str:
    """A rough time, as pages write it: "20 s", "3 min", "2 h"."""
    return rough_time(seconds).replace(GAP, " ")


def as_json(row: Job, **more: Any) -> str:
    """The job as one JSON object, times in ISO 8601; what is long of it stands in `more` where it is asked for."""
    shown = {name: getattr(row, name) for name in _SAME}
    shown |= {"seconds_left": row.remaining_seconds, "created_by": row.sender, **more}
    return json.dumps(shown, default=lambda value: value.isoformat())
