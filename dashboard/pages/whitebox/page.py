"""The page of a white-box analysis: what runs, what was found, and measuring exactly what was traced."""

from datetime import UTC, datetime
from typing import Any

from dash import Input, Output, dcc, html

from dashboard.access import Access, NotFound, role_refusal
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import count, listing, plural
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    action,
    card,
    command,
    empty_state,
    labelled,
    link,
    page,
)
from dashboard.pages.components.menus import picker
from dashboard.pages.components.text import about, ago
from dashboard.pages.influences.parts import no_such_selection
from dashboard.pages.jobs import sends_job, watches_jobs
from dashboard.pages.lens import Lens
from dashboard.pages.measure.jobs import RESUME, active_cards, button_id
from dashboard.pages.system_callback import system_callback
from dashboard.pages.whitebox import findings
from dashboard.pages.whitebox import ids as own
from dashboard.pages.whitebox.limits import reads_card, source_card
from dashboard.pages.whitebox.next import next_strip
from dashboard.selectors.jobs import ANALYZED, MEASURED, active_jobs_of
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.whitebox.analyses import (
    analyzed_revisions,
    can_resume,
    newest_analysis,
    newest_job,
    reached_options,
    white_box_detail,
)
from dashboard.selectors.whitebox.rows import WhiteBoxDetail
from dashboard.services.whitebox.analysis_loop import COUNTED_PER_TRACED
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing

_EVERY_MS = 1500
# What belongs to the way from an analysis to its model.
_SHOWN = frozenset({ANALYZED, MEASURED})
_USUAL = AnalyzingRequest(minutes=30)
_TITLE = "Which option reaches which region?"
_WHAT = (
    "An analysis runs the program a few times and follows the value of each option to the decisions that it has a "
    "say in. It tells where in the code an option matters, how its value gets there, and where it never gets; and it "
    "finds the few configurations that are worth measuring."
)

_WHAT_COMMAND = (
    "An analysis builds the program once more, with counters in every function, and runs it with options moved one at a "
    "time. Counts have no noise: it tells in which functions an option changes what the program does, and by how much."
)


def layout(_access: Access, _key: str, _lens: Lens) -> html.Article:
    """The page for one system; the callbacks fill it, and again while an analysis runs."""
    return page(
        html.Span("Analysis", id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.VERSION),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS, disabled=True),
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        html.Div(id=own.NEXT),
        html.Div(id=own.MEASURED, role="status"),
        html.Div(id=own.STARTED, role="status"),
        html.Div(id=own.BODY),
        actions=[html.Div(id=own.AGAIN, className="analysis-actions")],
    )


@watches_jobs(own.ACTIVE, own.TICK, own.VERSION)
def watch(access: Access) -> tuple[Any, ...]:
    """What runs of analyzing and measuring, or the analysis that ended early."""
    refusal = role_refusal(access)
    active = tuple(job for job in active_jobs_of(access=access, lines=0) if job.kind in _SHOWN)
    last = newest_job(access=access)
    shown = active_cards(active, refusal)
    if last is not None and can_resume(last):
        when = f" {ago(last.finished_at, datetime.now(UTC))}" if last.finished_at else ""
        failed = last.state == "failed"
        go_on = action("Go on", id_=button_id(last, RESUME), refusal=refusal)
        ended = card(
            f"{last.title} {'failed' if failed else f'was {last.state}'}{when}",
            html.P(last.message, className="warn" if failed else "quiet"),
            html.P("What was traced is kept."),
            html.Div(go_on, className="card-foot"),
        )
        shown.append(ended)
    # Only an analysis that gets on changes what is shown below.
    states = [f"{job.id} {job.state} {job.message if job.kind == ANALYZED else ''}" for job in active]
    version = " ".join([str(access.system.data_version), *states])
    return shown, active, version


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
    name = access.system.name
    try:
        found = white_box_detail(system=access.system, revision=lens.revision)
    except NotFound as error:
        return "Analysis", None, None, no_such_selection(error), None
    if found is None:
        job = newest_job(access=access)
        waits = job is not None and job.active
        # What older approaches found is none of it.
        pieces = [*([] if waits else [_nothing(access)]), *_older(access, lens)]
        return (
            f"{name} was not analyzed yet",
            None,
            None,
            html.Div(pieces, className="stack") if pieces else None,
            None,
        )
    actions: list[Piece] = [link("New analysis", address(access.slug, MEASURE), quiet=True)]
    analyzed = analyzed_revisions(access.system)
    if len(analyzed) > 1:
        actions.insert(0, labelled("revision", picker("revision", found.revision, analyzed)))
    return (
        *_head(found, name),
        next_strip(found, access, lens),
        html.Div([findings.body(found, access, lens), *_older(access, lens)], className="stack"),
        actions,
    )


def _older(access: Access, lens: Lens) -> list[Piece]:
    """What older approaches have found at the revision, a card each."""
    cards: list[Piece] = []
    if (walked := newest_analysis(access.system, lens.revision, "reads")) is not None:
        names = {"revision": walked.revision.name, "workload": walked.workload.name}
        cards.append(reads_card(walked.result, access.slug, **names))
    if (static := newest_analysis(access.system, lens.revision, "static")) is not None:
        reached = reached_options(access.system, static.result)
        cards.append(source_card(static.result, reached, access.slug, revision=static.revision.name))
    return cards


def _head(found: WhiteBoxDetail, name: str) -> tuple[str, str]:
    """What the analysis found, and what that stands on."""
    result = found.result
    options, unread = result.options, result.unread
    changing = {one.option for one in result.effects}
    deciding = {option for row in found.regions for option in row.options}
    many = plural(len(options), "option")
    some = f"All {many}" if len(deciding) == len(options) > 1 else f"{len(deciding)} of {many}"
    verb = "decides" if len(options) == 1 else "decide"
    if changing:
        still = tuple(one for one in options if one not in changing)
        some = f"All {many}" if not still else f"{len(changing)} of {many}"
        verb = "changes" if len(changing) == 1 else "change"
        unchanging = (
            f"; {listing(still)} {'changes' if len(still) == 1 else 'change'} nothing that is counted"
            if still
            else ""
        )
        return f"{some} {verb} what {name} does{unchanging}", _stands_on(found)
    sentence = f"{some} {verb} in {plural(len(found.regions), 'region')} of {name}"
    if unread:
        sentence += f"; {listing(unread)} {'is' if len(unread) == 1 else 'are'} read by nothing"
    return sentence, _stands_on(found)


def _stands_on(found: WhiteBoxDetail) -> str:
    """What the analysis stands on: how many runs of each kind, and how long these took."""
    result, coverage = found.result, found.coverage
    took = sum(run.seconds or 0.0 for run in result.runs)
    traced = f"{plural(len(result.runs), 'configuration')} traced in {about(took)}"
    if result.effects:
        counting = sum(run.seconds or 0.0 for run in result.counted)
        counted = f"{plural(len(result.counted), 'configuration')} counted in {about(counting)}"
        runs = (counted, *((f"{count(len(result.runs))} traced in {about(took)}",) if result.runs else ()))
    else:
        runs = (f"{traced}, {count(len(result.counted))} counted" if result.counted else traced,)
    parts = (
        revision_text(found.revision),
        f"workload {found.workload}",
        *runs,
        *([f"{coverage.seen} of {plural(coverage.subspaces, 'subspace')} seen"] if result.runs else []),
        f"stored {ago(found.at, datetime.now(UTC))}",
    )
    return " · ".join(parts)


def _nothing(access: Access) -> html.Div:
    """What an analysis is, and how one is started."""
    subject, name = subject_of(access=access), access.system.name
    if subject is None:
        register = command(f".venv/bin/python manage.py register FOLDER --system {access.slug}")
        return empty_state(
            _TITLE, f"{_WHAT} It needs the program itself: register it at the terminal.", register
        )
    if not subject.can_analyze:
        why = (
            f"{name} is a command that is not built here: with install.commands in subject.toml that build it from its "
            "source, gcc can put counters into its functions."
        )
        return empty_state(_TITLE, why)
    button = action(f"Analyze {name}", id_=own.START, refusal=role_refusal(access))
    workload = "small" if "small" in subject.workloads else "regular"
    runs = (
        f"{_USUAL.budget} traced" if subject.can_profile else f"{COUNTED_PER_TRACED * _USUAL.budget} counted"
    )
    limits = (
        f"The newest revision on workload {workload}, at most {runs} runs and {_USUAL.minutes:g} minutes. "
    )
    more = html.P([limits, link("Choose otherwise", address(access.slug, MEASURE))], className="quiet")
    what = _WHAT if subject.can_profile else _WHAT_COMMAND
    return empty_state(_TITLE, what, html.Div([button, more], className="state-start"))


@sends_job(own.START, Output(own.STARTED, "children"), Output(own.BODY, "children", allow_duplicate=True))
def start(access: Access) -> tuple[str, None]:
    """Send an analysis to the worker; its card then stands on this page."""
    start_analyzing(access=access, request=_USUAL)
    return "", None
