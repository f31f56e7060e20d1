"""The page of one job: how it got on, why it failed, and the end of its log."""

from datetime import UTC, datetime

from dash import html

from dashboard.access import Access, NotFound
from dashboard.figures.histories_words import shortened
from dashboard.figures.numbers import plural
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import Piece, action, card, code, page
from dashboard.pages.components.text import ago
from dashboard.pages.measure.jobs import parts_of_job
from dashboard.selectors.histories.series import LONGEST_ID
from dashboard.selectors.jobs import job_of_system

# More than anybody reads; ten times as many are kept.
MOST_LINES = 1_000


def layout(access: Access, key: str) -> html.Article:
    """The page of a job by its number, as it is at this moment. Raises `NotFound` where the system has no such job."""
    if not key.isdecimal() or len(key) > LONGEST_ID:
        raise NotFound(f"there is no job {key!r} of {access.system.name}")
    job, now = job_of_system(access=access, job_id=int(key), lines=MOST_LINES + 1), datetime.now(UTC)
    words = [f"Job {job.id}", job.state, f"sent by {job.sender} {ago(job.created_at, now)}"]
    if job.finished_at:
        words.append(f"ended {ago(job.finished_at, now)}")
    said: list[Piece] = []
    if job.message:
        look = "warn" if job.state == "failed" else None
        said.append(html.P(shortened(job.message), className=look))
    if job.active:
        said.append(html.P("It goes on: the page Measure shows it as it does.", className="quiet"))
    if job.error and job.error != job.message:
        said.append(html.Pre(shortened(job.error), className="log output", tabIndex=0))
    if job.parts:
        said.append(parts_of_job(job.parts))
    log: list[Piece] = [html.P("It logged nothing.", className="quiet")]
    if job.lines:
        shown = job.lines[:MOST_LINES]
        which, rest = (
            ("The last ", "All that are kept") if len(job.lines) > MOST_LINES else ("", "In the terminal")
        )
        kept = f"{which}{plural(len(shown), 'line')}, the last first; times in UTC. {rest}: "
        # As one text: each line as an element of its own is slow.
        text = "\n".join(f"{line.at:%Y-%m-%d %H:%M:%S}  {shortened(line.text)}" for line in shown)
        log = [
            html.P([kept, code(f"manage.py jobs show {job.id}")], className="quiet"),
            html.Pre(text, className="log", tabIndex=0),
        ]
    return page(
        shortened(job.title),
        " · ".join(words),
        card("What came of it", *said, wide=True) if said else None,
        card("Log", *log, wide=True),
        actions=[action("Measure", href=address(access.slug, MEASURE), quiet=True)],
    )
