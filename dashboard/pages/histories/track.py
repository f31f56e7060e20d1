"""Tracking: a job that chooses the revisions itself, the log of its choices, and why it stopped."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from dashboard.access import Access
from dashboard.figures.histories_words import revision_title, shortened
from dashboard.figures.numbers import percent
from dashboard.pages import ids
from dashboard.pages.components import Content, Piece, card, help_tip
from dashboard.pages.components.text import plural
from dashboard.pages.histories import ids as own
from dashboard.pages.jobs import send
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.batch_manifests import TrackingStep
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.tracking_logs import MEASURED, messages_of, tracking_logs
from dashboard.selectors.jobs import job_detail
from dashboard.selectors.measuring.status import configurations_of_series, measuring_refusal
from dashboard.services.tracking import TrackingRequest, start_tracking

_BUDGETS = {"600": "10 min", "1800": "30 min", "3600": "1 h", "14400": "4 h", "43200": "12 h"}
_SHOWN = 8


def panel() -> html.Section:
    """How long to track, the button, and the log of choices."""
    budget = dmc.Select(
        id=own.BUDGET,
        data=[{"value": value, "label": label} for value, label in _BUDGETS.items()],
        value="1800",
        allowDeselect=False,
        label="Let it choose for",
        description="at most: it stops when nothing is worth measuring",
        comboboxProps={"shadow": "md"},
    )
    return card(
        "Track",
        budget,
        dmc.Button("Track this history", id=own.TRACK, variant="light", mt="sm", fullWidth=True),
        html.Div(id=own.TRACKED, role="status"),
        html.Div(id=own.TRAIL),
        more=help_tip(
            "A job that measures one revision after the other, each chosen by what is known so far, until the time is "
            "spent. Every choice is listed with its reason.",
            "how-to/track-a-repository",
        ),
    )


@system_callback(
    Output(own.TRAIL, "children"),
    Output(own.TRACK, "disabled"),
    # Without it nothing comes at first: the version is the answer of another callback, which may have no news.
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
)
def show_log(access: Access, lens: Lens, _version: str | None) -> tuple[Content, bool]:
    """The choices of the tracking jobs of the chosen history, the newest job's first, and what ended each."""
    series = find_series(system=access.system, series_id=lens.settings.get("series", ""), term=lens.term)
    found = tracking_logs(system=access.system, series_id=series.series_id)
    refusal = measuring_refusal(access=access)
    shown: list[Piece] = [html.P(refusal, className="quiet")] if refusal else []
    messages = messages_of(system=access.system, steps=[step for log, _ in found for step in log.trail])
    for number, (log, job_id) in enumerate(found):
        steps = [_ended(access, log.stopped, job_id), *_step_lists(log.trail[::-1], messages)]
        if number:
            title = f"An earlier job, {plural(len(log.trail), 'choice')}"
            shown.append(html.Details([html.Summary(title), *steps]))
        else:
            shown += steps
    return shown, bool(refusal)


def _ended(access: Access, stopped: str, job_id: int | None) -> Piece:
    """Why a tracking job ended; nothing while it runs."""
    if stopped:
        return html.P(f"It stopped: {shortened(stopped)}.", className="trail-end quiet")
    if job_id is None:
        return None
    found = job_detail(principal=access.principal, job_id=job_id, limit=0)
    if found.row.active:
        return None
    return html.P(f"It stopped: {found.error or f'it was {found.row.state}'}.", className="trail-end quiet")


def _step_lists(steps: Sequence[TrackingStep], messages: Mapping[str, str]) -> list[Piece]:
    """The choices, the latest first, as a list whose older ones unfold; `messages` are by revision."""

    def listed(some: Sequence[TrackingStep], last: int) -> html.Ol:
        items = [_step(step, messages.get(step.revision, "")) for step in some]
        return html.Ol(items, className="trail", reversed="reversed", start=str(last))

    if not steps:
        return []
    shown = listed(steps[:_SHOWN], len(steps))
    left = len(steps) - _SHOWN
    if left <= 0:
        return [shown]
    summary = html.Summary(plural(left, "earlier choice"))
    return [shown, html.Details([summary, listed(steps[_SHOWN:], left)])]


def _step(step: TrackingStep, message: str) -> html.Li:
    notes = [shortened(step.reason)]
    if step.gain:
        notes.append(f"gain about {percent(100 * step.gain, 2)}")
    if step.equal:
        notes.append(f"stands for {plural(step.equal, 'further revision')} with the same code")
    notes.append(f"took {step.seconds:.0f} s" if step.outcome == MEASURED else step.outcome)
    what = revision_title(step.revision, message)
    return html.Li([html.Span(what, className="code"), html.Div("; ".join(notes), className="quiet")])


@system_callback(
    Output(own.TRACKED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.TRACK, "n_clicks"),
    State(own.BUDGET, "value"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def start(access: Access, clicks: int | None, budget: str, lens: Lens) -> tuple[Any, Any]:
    """Queue the tracking of the configuration whose history is shown."""
    if not clicks:
        return no_update, no_update
    series = find_series(system=access.system, series_id=lens.settings.get("series", ""), term=lens.term)
    if series.kind != "configuration":
        words = "Choose the history of a configuration: that is what runs."
        return html.P(words, className="field-error"), no_update
    (configuration,) = configurations_of_series(access=access, series=series)
    request = TrackingRequest(
        configuration=configuration, workload=series.workload, budget_seconds=float(budget)
    )
    shown, wake, _ = send(
        lambda: start_tracking(access=access, request=request),
        "Sent to the worker; points and choices arrive here.",
    )
    return shown, wake
