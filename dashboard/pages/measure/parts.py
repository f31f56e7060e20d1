"""Parts of the page of measuring: what failed, what came in, and the subject."""

from collections.abc import Mapping
from datetime import UTC, datetime

from dash import Input, Output, html

from dashboard.access import Access, role_refusal
from dashboard.figures.histories_words import shortened
from dashboard.figures.machine_words import machine_text
from dashboard.figures.numbers import count, listing, plural
from dashboard.figures.plan_grid import short
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    action,
    card,
    code,
    command,
    empty_state,
    facts,
    failure_list,
    lens_button,
    link,
)
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.components.text import ago
from dashboard.pages.measure import ids as own
from dashboard.pages.measure.jobs import RESUME, button_id
from dashboard.pages.measure.runs import output_of
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.job_columns import SubjectCheckpoint
from dashboard.selectors.jobs import ANALYZED, MEASURED, list_jobs
from dashboard.selectors.measuring.rows import SubjectRow
from dashboard.selectors.measuring.status import BatchRow, list_batches
from dashboard.selectors.runs import failures
from dashboard.selectors.whitebox.analyses import can_resume

_FAILED_JOBS = 5
_BATCHES = 12
# Formats of batches that a job of ours wrote.
_OWN = frozenset({MEASURED, ANALYZED})
# What is said of the orders that revisions stand in; one that was imported has its own name.
_ORDERS = {
    "first-parent": "commits, the main line",
    "all": "commits, side lines too",
    "releases": "releases",
    "states": "states of the folder",
}


def nothing_measured(access: Access) -> html.Div:
    """In place of the plan, where no subject is registered and no single run is stored: an import may have brought values."""
    name, register = (
        access.system.name,
        command(f".venv/bin/python manage.py register FOLDER --system {access.slug}"),
    )
    if list_batches(access=access, limit=1):
        said = f"What was imported of {name} holds no single runs. To measure it here, register its subject."
        return empty_state("Nothing was measured here", said, register)
    said = f"Nothing of {name} was measured or imported, and no subject is registered for it on this machine."
    return empty_state("Nothing measured, and nothing to measure", said, register)


@system_callback(
    Output(own.FAILURES, "children"), Output(own.BATCHES, "children"), Input(own.VERSION, "data")
)
def show(access: Access, _version: str | None) -> tuple[Content, Content]:
    """What failed, and what came in."""
    jobs = list_jobs(principal=access.principal, system=access.system)
    now = datetime.now(UTC)
    ended: list[list[Piece]] = [
        [
            html.Div(
                [_log_link(access, row.id), f" · {title} · ended {ago(row.finished_at, now)}"],
                className="quiet",
            ),
            html.Span(shortened(row.message) or "failed", className="warn"),
        ]
        for row, title in [(row, shortened(row.title)) for row in jobs if row.state == "failed"][
            :_FAILED_JOBS
        ]
    ]
    runs: list[list[Piece]] = []
    for row in failures(access=access):
        run = row.newest
        words = f"{run.status}: {run.message}" if run.message else run.status
        message = html.Span(words, className="warn")
        one = row.configurations == 1
        which = code(row.configuration) if one else plural(row.configurations, "configuration")
        where = lens_button(
            [code(short(run.revision.name)), " · ", which, f" · {plural(row.runs, 'run')}"],
            {"revision": run.revision.name, "configuration": run.configuration.identity if one else None},
            look="quiet-link",
            title="Show these runs",
        )
        runs.append([where, output_of(message, row.output) if row.output else message])
    shown = [failure_list(rows) for rows in (ended, runs) if rows]
    refusal = role_refusal(access)
    # What was cancelled or failed half-way goes on from where its batch ends.
    going_on = {
        SubjectCheckpoint.model_validate(row.checkpoint).batch: action(
            "Go on", id_=button_id(row, RESUME), look="quiet-button", refusal=refusal
        )
        for row in jobs
        if can_resume(row)
    }
    batches = _batches(access, list_batches(access=access), going_on, now)
    return card("What failed", *shown) if shown else None, batches


def _log_link(access: Access, job_id: int) -> Piece:
    return link(f"Log of job {job_id}", address(access.slug, MEASURE, str(job_id)))


def _batches(
    access: Access, batches: tuple[BatchRow, ...], going_on: Mapping[int, Piece], now: datetime
) -> Content:
    if not batches:
        return None
    columns = [
        Column("what", "what"),
        Column("when", "when"),
        *(Column(name, name, kind="number") for name in ("runs", "failed", "invalid")),
    ]
    rows: list[dict[str, Content]] = []
    for row in batches[:_BATCHES]:
        batch = row.batch
        what, state = f"Import of {batch.source or batch.format}", batch.format
        if batch.format in _OWN:
            what, state = row.title or "Measured elsewhere", row.state if row.state != "done" else ""
        numbers = {"runs": row.runs, "failed": row.failed, "invalid": row.invalid}
        what = f"{shortened(what)} ({state})" if state else shortened(what)
        # It opens on the state of the machine that measured it.
        told = machine_text(row.machine, row.phases, row.sandbox)
        rows.append(
            {
                "what": [
                    html.Details([html.Summary(what), html.P(told, className="quiet")]) if told else what,
                    None if row.job is None else html.Div(_log_link(access, row.job)),
                    going_on.get(batch.pk),
                ],
                "when": html.Span(ago(batch.created_at, now), title=f"{batch.created_at:%Y-%m-%d %H:%M} UTC"),
                **{name: exact(count(number), number) if number else "–" for name, number in numbers.items()},
                **(
                    {"runs": f"{count(row.only_profiled)} profiled"}
                    if row.only_profiled and not row.runs
                    else {}
                ),
            }
        )
    rest = not_shown(len(batches) - len(rows), "earlier batch", "earlier batches", look="quiet")
    return card("What came in", plain_table(columns, rows, label="Batches"), rest)


def subject_card(subject: SubjectRow) -> html.Section:
    """The subject: its options with their levels, its workloads, its revisions."""
    revisions = subject.revisions
    span = f", {short(revisions[0])} to {short(revisions[-1])}" if len(revisions) > 1 else ""
    options: list[Piece] = [
        html.Div(
            [
                html.Dt(option.name, className="code", title=option.description),
                html.Dd(" · ".join(option.levels), className="quiet"),
            ],
            className="fact",
        )
        for option in subject.options
    ]
    return card(
        ["Subject ", code(subject.name)],
        html.P(subject.description) if subject.description else None,
        facts(
            [
                ("Revisions", f"{count(len(revisions))}{span}" if revisions else "not listed yet"),
                ("In the order of", _ORDERS.get(subject.order, subject.order)),
                ("Workloads", listing(subject.workloads)),
                ("A run may take", f"{subject.timeout_seconds:g} s"),
                ("Registered", ago(subject.registered_at, datetime.now(UTC))),
            ]
        ),
        html.H3(plural(len(subject.options), "option"), className="small-title") if options else None,
        html.Dl(options, className="facts"),
    )
