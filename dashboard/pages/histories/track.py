"""Tracking: a job that chooses the revisions itself, the log of its choices, and why it stopped."""

from collections.abc import Mapping, Sequence

from dash import Input, Output, State, html

from dashboard.access import Access, Refused
from dashboard.figures.histories_words import revision_title, shortened
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, card, help_tip
from dashboard.pages.components.inputs import select, send_button
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series, reason_and_gain
from dashboard.pages.jobs import sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.batch_manifests import TrackingStep
from dashboard.selectors.histories.next_revisions import MEASURED, messages_of, tracking_logs
from dashboard.selectors.jobs import job_detail
from dashboard.selectors.measuring.status import configurations_of_series, measuring_refusal
from dashboard.services.tracking.loop import TrackingRequest, start_tracking

_BUDGETS = {"600": "10 min", "1800": "30 min", "3600": "1 h", "14400": "4 h", "43200": "12 h"}
_SHOWN = 8


def panel() -> html.Section:
    """How long to track, the button, and the log of choices."""
    budget = select(
        own.BUDGET,
        list(_BUDGETS.items()),
        "1800",
        label="Let it choose for",
        description="at most: it stops when nothing is worth measuring",
        comboboxProps={"shadow": "md"},
    )
    return card(
        "Track",
        budget,
        *send_button("Track this history", own.TRACK, own.TRACKED, "", variant="light", mt="sm"),
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
    series = chosen_series(access, lens)
    found = tracking_logs(system=access.system, series_id=series.series_id)
    refusal = measuring_refusal(access=access)
    shown: list[Piece] = [html.P(refusal, className="quiet")] if refusal else []
    messages = messages_of(system=access.system, steps=[step for log, _ in found for step in log.trail])
    for number, (log, job_id) in enumerate(found):
        # Why the job ended; nothing while it runs.
        stopped = shortened(log.stopped) if log.stopped else ""
        if not stopped and job_id is not None:
            job = job_detail(principal=access.principal, job_id=job_id, limit=0)
            stopped = "" if job.active else shortened(job.error) or f"it was {job.state}"
        end = html.P(f"It stopped: {stopped}.", className="trail-end quiet") if stopped else None
        changes = [html.P(shortened(change.sentence), className="trail-end") for change in log.changes]
        by_counts = html.P(shortened(log.counted), className="trail-end quiet") if log.counted else None
        steps = [end, by_counts, *changes, *_step_lists(log.trail[::-1], messages)]
        if number:
            title = f"An earlier job, {plural(len(log.trail), 'choice')}"
            shown.append(html.Details([html.Summary(title), *steps]))
        else:
            shown += steps
    return shown, bool(refusal)


def _step_lists(steps: Sequence[TrackingStep], messages: Mapping[str, str]) -> list[Piece]:
    """The choices, the latest first, as a list whose older ones unfold; `messages` are by revision."""

    def listed(some: Sequence[TrackingStep], last: int) -> html.Ol:
        items = []
        for step in some:
            notes = reason_and_gain(step.reason, step.gain)
            if step.equal:
                notes.append(f"stands for {plural(step.equal, 'further revision')} with the same code")
            notes.append(f"took {step.seconds:.0f} s" if step.outcome == MEASURED else step.outcome)
            what = html.Span(revision_title(step.revision, messages.get(step.revision, "")), className="code")
            items.append(html.Li([what, html.Div("; ".join(notes), className="quiet")]))
        return html.Ol(items, className="trail", reversed="reversed", start=str(last))

    if not steps:
        return []
    shown = listed(steps[:_SHOWN], len(steps))
    left = len(steps) - _SHOWN
    if left <= 0:
        return [shown]
    summary = html.Summary(plural(left, "earlier choice"))
    return [shown, html.Details([summary, listed(steps[_SHOWN:], left)])]


@sends_job(
    own.TRACK,
    Output(own.TRACKED, "children"),
    budget=State(own.BUDGET, "value"),
    lens=State(ids.LENS, "data"),
)
def start(access: Access, *, budget: str, lens: Lens) -> str:
    """Queue the tracking of the configuration whose history is shown."""
    series = chosen_series(access, lens)
    if series.kind != "configuration":
        raise Refused("Choose the history of a configuration: that is what runs.")
    (configuration,) = configurations_of_series(access=access, series=series)
    request = TrackingRequest(
        configuration=configuration, workload=series.workload, budget_seconds=float(budget)
    )
    start_tracking(access=access, request=request)
    return "Sent to the worker; points and choices arrive here."
