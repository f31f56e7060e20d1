"""The metrics of a system on its overview: their units and directions, and saying those that nobody said."""

from collections import Counter
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, dcc, html, no_update

from dashboard.access import Access, Permission
from dashboard.figures.histories_words import shortened
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, card, facts
from dashboard.pages.components.inputs import select
from dashboard.pages.jobs import sends_job
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.jobs import job_detail
from dashboard.selectors.rows import Metric
from dashboard.selectors.systems import system_metrics
from dashboard.services.metrics import MetricRequest, start_setting_metric

_CONTENT = "metrics-content"
_WHICH = "metrics-which"
_UNIT = "metrics-unit"
_BETTER = "metrics-better"
_SAVE = "metrics-save"
_SAID = "metrics-said"
_JOB = "metrics-job"
_UNKNOWN = "unknown unit"
_NO_CLOCK = "none"
# In what a choice is called: the name may hold anything but this.
_APART = "\n"


def metrics_card(access: Access) -> list[Piece]:
    """The card of a system whose metrics came from elsewhere; none where all were measured by a clock."""
    if all(one.clock != _NO_CLOCK for one in system_metrics(access.system)):
        return []
    return [
        card(
            "Metrics",
            html.Div(_content(access), id=_CONTENT),
            dcc.Store(id=_JOB),
        )
    ]


def _content(access: Access) -> list[Piece]:
    metrics = system_metrics(access.system)
    rows: list[tuple[Content, Content]] = []
    for metric in metrics:
        clock = "" if metric.clock == _NO_CLOCK else f" ({metric.clock})"
        unit = metric.unit or html.Span(_UNKNOWN, className="warn")
        higher = metric.better == "higher"
        rows.append((f"{metric.quantity}{clock}", [unit, ", higher is better"] if higher else unit))
    # What a clock measured has a unit beyond doubt.
    open_ = [one for one in metrics if one.clock == _NO_CLOCK]
    return [facts(rows), *([_form(open_)] if access.allows(Permission.EDIT) else [])]


def _form(metrics: list[Metric]) -> html.Details:
    """Closed until somebody opens it."""
    first = next((one for one in metrics if not one.unit), metrics[0])
    quantities = Counter(one.quantity for one in metrics)
    names = [
        (
            _key(one),
            f"{one.quantity}, {one.unit or _UNKNOWN}" if quantities[one.quantity] > 1 else one.quantity,
        )
        for one in metrics
    ]
    return html.Details(
        [
            html.Summary("Say a unit"),
            html.Div(
                [
                    select(_WHICH, names, _key(first), label="Metric"),
                    dmc.TextInput(
                        id=_UNIT, label="Unit", placeholder="ms", description="Values stay as they are."
                    ),
                    select(_BETTER, ("lower", "higher"), first.better, label="Better is"),
                    action("Save", id_=_SAVE),
                    html.Div(id=_SAID, role="status"),
                ],
                className="metric-form",
            ),
        ],
        className="more",
    )


def _key(metric: Metric) -> str:
    return f"{metric.quantity}{_APART}{metric.unit}{_APART}{metric.better}"


@callback(
    Output(_BETTER, "value"),
    Output(_UNIT, "value"),
    Input(_WHICH, "value"),
    prevent_initial_call=True,
)
def choose(key: str) -> tuple[str, str]:
    """What is known of the chosen metric."""
    _, unit, better = key.split(_APART)
    return better, unit


@sends_job(
    _SAVE,
    Output(_SAID, "children"),
    Output(_JOB, "data"),
    key=State(_WHICH, "value"),
    unit=State(_UNIT, "value"),
    better=State(_BETTER, "value"),
)
def save(access: Access, *, key: str, unit: str | None, better: str) -> tuple[str, int]:
    """Queue the job that keeps what was said."""
    quantity, present, _ = key.split(_APART)
    request = MetricRequest(quantity=quantity, unit=unit or "", better=better, present_unit=present)
    return "Saving ...", start_setting_metric(access=access, request=request)


@system_callback(
    Output(_CONTENT, "children"),
    Output(_JOB, "data", allow_duplicate=True),
    Output(_SAID, "children", allow_duplicate=True),
    Input(ids.JOBS_TICK, "n_intervals"),
    Input(ids.JOBS_WAKE, "data"),
    State(_JOB, "data"),
    prevent_initial_call=True,
)
def follow(access: Access, _ticks: int | None, _woken: str | None, job: int | None) -> Any:
    """Show the metrics again once the job is done, or why it failed."""
    detail = job_detail(principal=access.principal, job_id=job) if job else None
    if detail is None or detail.active:
        return no_update, no_update, no_update
    if detail.state != "done":
        # The error is a trace; its last line says what was wrong.
        last = detail.error.strip().rpartition("\n")[2].partition(": ")[2]
        return no_update, None, html.P(shortened(last) or detail.state, className="field-error")
    return _content(access), None, no_update
