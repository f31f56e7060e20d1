"""Parts of the page of measuring: what failed, what came in, and the subject."""

import json
from datetime import UTC, datetime

from dash import Input, Output, html

from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.figures.plan_grid import short
from dashboard.pages.components import Content, Piece, attributes, card, code, facts
from dashboard.pages.components.tables import Column, plain_table
from dashboard.pages.components.text import ago, listing, plural
from dashboard.pages.measure import ids as own
from dashboard.pages.measure.runs import output_of
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.jobs import ANALYZED, MEASURED, list_jobs
from dashboard.selectors.measuring.rows import BatchRow, SubjectRow
from dashboard.selectors.measuring.status import list_batches
from dashboard.selectors.runs import FailureRow, failures

_FAILED_JOBS = 5
_BATCHES = 12
# Formats of batches that a job of ours wrote.
_OWN = frozenset({MEASURED, ANALYZED})


@system_callback(
    Output(own.FAILURES, "children"), Output(own.BATCHES, "children"), Input(own.VERSION, "data")
)
def show(access: Access, _version: str | None) -> tuple[Content, Content]:
    """What failed, and what came in."""
    jobs = list_jobs(principal=access.principal, system=access.system)
    now = datetime.now(UTC)
    ended = [row for row in jobs if row.state == "failed"][:_FAILED_JOBS]
    lists = [
        [
            html.Div(
                [
                    html.Div(
                        f"Job {row.id} · {row.title} · ended {ago(row.finished_at, now)}", className="quiet"
                    ),
                    html.Span(row.message or "failed", className="warn"),
                ],
                className="failure",
            )
            for row in ended
        ],
        [_failure(row) for row in failures(access=access)],
    ]
    shown = [html.Div(rows, className="failure-list") for rows in lists if rows]
    return card("What failed", *shown) if shown else None, _batches(list_batches(access=access))


def _failure(row: FailureRow) -> html.Div:
    message = html.Span(f"{row.status}: {row.message}" if row.message else row.status, className="warn")
    one = row.configurations == 1
    change = {"revision": row.revision, "configuration": row.identity if one else None}
    where = html.Button(
        [
            code(short(row.revision)),
            " · ",
            code(row.configuration) if one else plural(row.configurations, "configuration"),
            f" · {plural(row.runs, 'run')}",
        ],
        type="button",
        className="quiet-link",
        title="Show these runs",
        **attributes(data_lens=json.dumps(change)),
    )
    shown: Piece = output_of(message, row.output) if row.output else message
    return html.Div([where, shown], className="failure")


def _batches(batches: tuple[BatchRow, ...]) -> Content:
    if not batches:
        return None
    columns = [
        Column("what", "what"),
        Column("when", "when"),
        *(Column(name, name, kind="number") for name in ("runs", "failed", "invalid")),
    ]
    now = datetime.now(UTC)
    rows: list[dict[str, Content]] = []
    for row in batches[:_BATCHES]:
        if row.format in _OWN:
            what = row.title or "Measured elsewhere"
            state = f" ({row.state})" if row.state not in {"", "done"} else ""
        else:
            what, state = f"Import of {row.source or row.format}", f" ({row.format})"
        numbers = {"runs": row.runs, "failed": row.failed, "invalid": row.invalid}
        rows.append(
            {
                "what": what + state,
                "when": html.Span(ago(row.created_at, now), title=f"{row.created_at:%Y-%m-%d %H:%M} UTC"),
                **{name: count(number) if number else "–" for name, number in numbers.items()},
            }
        )
    rest = len(batches) - len(rows)
    more = html.P(f"{plural(rest, 'earlier batch', 'earlier batches')} are not shown.", className="quiet")
    return card("What came in", plain_table(columns, rows, label="Batches"), more if rest else None)


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
                ("Revisions", f"{count(len(revisions))}{span}"),
                ("In the order", subject.order),
                ("Workloads", listing(subject.workloads)),
                ("A run may take", f"{subject.timeout_seconds:g} s"),
                ("Registered", ago(subject.registered_at, datetime.now(UTC))),
            ]
        ),
        html.H3(plural(len(subject.options), "option"), className="small-title") if options else None,
        html.Dl(options, className="facts"),
    )
