"""The page of a white-box analysis: what runs, what was found, and measuring exactly what was traced."""

import secrets
from datetime import UTC, datetime
from typing import Any

from dash import ALL, Input, Output, State, ctx, dcc, html, no_update

from dashboard.access import Access, AccessError, NotFound
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components import Content, Piece, card, link, page
from dashboard.pages.components.menus import picker
from dashboard.pages.components.text import about, ago, listing, plural
from dashboard.pages.influences.parts import no_such_selection
from dashboard.pages.lens import Lens
from dashboard.pages.measure.ids import CHANGED
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import system_callback
from dashboard.pages.whitebox import findings
from dashboard.pages.whitebox import ids as own
from dashboard.pages.whitebox.next import next_strip
from dashboard.pages.whitebox.start import nothing
from dashboard.selectors.jobs import ANALYZED, MEASURED, JobRow, active_jobs_of
from dashboard.selectors.measuring.status import measuring_status
from dashboard.selectors.whitebox.analyses import analyzed_revisions, white_box_detail
from dashboard.selectors.whitebox.jobs import can_resume, newest_job
from dashboard.selectors.whitebox.rows import WhiteBoxDetail
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import NotResumable, resume

_EVERY_MS = 1500
# What belongs to the way from an analysis to its model.
_SHOWN = frozenset({ANALYZED, MEASURED})


def layout(_access: Access, _key: str, _lens: Lens) -> html.Article:
    """The page for one system; the callbacks fill it, and again while an analysis runs."""
    return page(
        html.Span("Analysis", id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.VERSION),
        dcc.Store(id=CHANGED),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS, disabled=True),
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        html.Div(id=own.NEXT),
        html.Div(id=own.MEASURED, role="status"),
        html.Div(id=own.STARTED, role="status"),
        html.Div(id=own.BODY),
        actions=[html.Div(id=own.AGAIN, className="analysis-actions")],
    )


@system_callback(
    Output(own.ACTIVE, "children"),
    Output(own.TICK, "disabled"),
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    Input(ids.JOBS_WAKE, "data"),
    Input(CHANGED, "data"),
    State(own.VERSION, "data"),
)
def watch(
    access: Access, _ticks: int | None, _woken: str | None, _changed: str | None, known: str | None
) -> tuple[Content, bool, Any]:
    """What runs of analyzing and measuring, or the analysis that ended early. With nothing left the polling rests."""
    found = measuring_status(access=access)
    active = tuple(job for job in active_jobs_of(access=access, lines=0) if job.row.kind in _SHOWN)
    last = newest_job(access=access)
    shown: list[Piece] = active_cards(active, may_edit=found.may_edit, reason=found.reason)
    if last is not None and can_resume(last):
        shown.append(_ended(last, may_edit=found.may_edit))
    # Only an analysis that gets on changes what is shown below.
    states = [
        f"{job.row.id} {job.row.state} {job.row.message if job.row.kind == ANALYZED else ''}"
        for job in active
    ]
    version = " ".join([str(found.data_version), *states])
    # What is paused stays as it is until somebody resumes it.
    resting = not any(job.row.active for job in active)
    return shown, resting, no_update if version == known else version


def _ended(row: JobRow, *, may_edit: bool) -> html.Section:
    """An analysis that was cancelled or failed and may go on: why it ended, and the button."""
    when = f" {ago(row.finished_at, datetime.now(UTC))}" if row.finished_at else ""
    said = "failed" if row.state == "failed" else f"was {row.state}"
    go_on = html.Button(
        "Go on", id={own.RESUME: row.id}, type="button", className="button", disabled=not may_edit
    )
    return card(
        f"{row.title} {said}{when}",
        html.P(row.message, className="warn" if row.state == "failed" else "quiet"),
        html.P("What was traced is kept."),
        html.Div(go_on, className="card-foot"),
    )


@system_callback(
    Output(CHANGED, "data", allow_duplicate=True),
    Output(ids.PROBLEM, "children", allow_duplicate=True),
    Input({own.RESUME: ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def go_on(access: Access, clicks: list[int | None]) -> tuple[Any, Any]:
    """Go on with the analysis that ended early."""
    if not any(clicks) or not ctx.triggered_id:
        return no_update, no_update
    try:
        resume(principal=access.principal, job_id=JobId(int(ctx.triggered_id[own.RESUME])))
    except (AccessError, NotResumable) as error:
        return no_update, html.P(str(error), className="field-error")
    return secrets.token_hex(4), None


@system_callback(
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    Output(own.NEXT, "children"),
    Output(own.BODY, "children"),
    Output(own.AGAIN, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
)
def show(access: Access, lens: Lens, _version: str | None) -> tuple[Content, ...]:
    """What the newest analysis of the chosen revision found so far."""
    system = measuring_status(access=access)
    try:
        found = white_box_detail(system=access.system, revision=lens.revision)
    except NotFound as error:
        return "Analysis", None, None, no_such_selection(error), None
    if found is None:
        job = newest_job(access=access)
        waits = job is not None and job.active
        return f"{system.name} was not analyzed yet", None, None, None if waits else nothing(system), None
    actions: list[Piece] = [link("New analysis", address(access.slug, MEASURE), quiet=True)]
    analyzed = analyzed_revisions(access.system)
    if len(analyzed) > 1:
        label = html.Span("revision", className="control-label")
        other = html.Div([label, picker("revision", found.revision, analyzed)], className="control")
        actions.insert(0, other)
    return (
        _sentence(found, system.name),
        _subtitle(found),
        next_strip(found, system, access, lens),
        findings.body(found, access, lens),
        actions,
    )


def _sentence(found: WhiteBoxDetail, name: str) -> str:
    options, unread = found.result.options, found.result.unread
    deciding = {option for row in found.regions for option in row.options}
    where = plural(len(found.regions), "region")
    many = plural(len(options), "option")
    some = f"All {many}" if len(deciding) == len(options) > 1 else f"{len(deciding)} of {many}"
    verb = "decides" if len(options) == 1 else "decide"
    sentence = f"{some} {verb} in {where} of {name}"
    if unread:
        verb = "is" if len(unread) == 1 else "are"
        sentence += f"; {listing(unread)} {verb} read by nothing"
    return sentence


def _subtitle(found: WhiteBoxDetail) -> str:
    result, coverage = found.result, found.coverage
    took = sum(run.seconds or 0.0 for run in result.runs)
    traced = f"{plural(len(result.runs), 'configuration')} traced in {about(took)}"
    parts = (
        found.revision,
        f"workload {found.workload}",
        f"{traced}, {count(len(result.counted))} counted" if result.counted else traced,
        f"{coverage.seen} of {plural(coverage.subspaces, 'subspace')} seen",
        ago(found.at, datetime.now(UTC)),
    )
    return " · ".join(parts)
