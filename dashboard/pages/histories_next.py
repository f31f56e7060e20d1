"""What to measure next: the revisions that tell most, ticked and sent to the worker."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.figures.numbers import percent
from dashboard.pages import histories_ids as own
from dashboard.pages import ids
from dashboard.pages.components import Content, card, help_tip, skeleton
from dashboard.pages.frame_lens import Lens
from dashboard.selectors.histories_rows import SuggestionRow
from dashboard.selectors.measure_next import measure_next
from dashboard.selectors.series import default_series, list_series
from dashboard.selectors.subjects import measurable
from dashboard.services.measuring import MeasuringError, MeasuringRequest, start_measuring
from dashboard.services.subjects import SubjectError
from runner.errors import RunnerError


def panel() -> html.Section:
    """The place of the suggestions, until a callback fills it."""
    return card(
        "Measure next",
        html.Div(skeleton(3), id=own.NEXT),
        html.Div(id=own.STARTED, role="status"),
        more=help_tip(
            "Revisions in the longest gaps, and in the middle of brackets that hide a large step. The gain is how far the "
            "mean error of the whole history should fall.",
            "explanation/histories",
        ),
    )


@callback(
    Output(own.NEXT, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    State(ids.SLUG, "data"),
)
def show_next(data: dict[str, str] | None, _version: int | None, slug: str) -> Content:
    """The suggestions for the chosen history, or that every revision was measured."""
    principal = acting()
    lens = Lens.read(data)
    series = default_series(
        list_series(principal=principal, slug=slug), series_id=lens.settings.get("series", ""), term=lens.term
    )
    found = measure_next(principal=principal, slug=slug, series_id=series.series_id)
    if not found:
        return html.P("Every revision of this order was measured.", className="quiet")
    can = measurable(principal=principal, slug=slug)
    choice = dmc.CheckboxGroup(
        id=own.CHOICE,
        value=[row.revision for row in found[:3]],
        children=[_suggestion(row) for row in found],
    )
    button = dmc.Button(
        "Measure the ticked ones", id=own.START, disabled=not can.allowed, mt="sm", fullWidth=True
    )
    return [choice, button, html.P(can.reason, className="quiet") if can.reason else None]


def _suggestion(row: SuggestionRow) -> dmc.Checkbox:
    gain = f"; gain about {percent(100 * row.gain, 2)}" if row.gain > 0 else ""
    return dmc.Checkbox(value=row.revision, label=row.revision, description=row.reason + gain, mt="xs")


@callback(
    Output(own.STARTED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    State(own.CHOICE, "value"),
    State(ids.LENS, "data"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def start(
    clicks: int | None, revisions: list[str], data: dict[str, str] | None, slug: str
) -> tuple[Any, Any]:
    """Send the ticked revisions to the worker, in the configurations that the history needs."""
    if not clicks:
        return no_update, no_update
    if not revisions:
        return html.P("Tick at least one revision.", className="field-error"), no_update
    principal = acting()
    lens = Lens.read(data)
    series = default_series(
        list_series(principal=principal, slug=slug), series_id=lens.settings.get("series", ""), term=lens.term
    )
    request = MeasuringRequest(
        configurations=measurable(principal=principal, slug=slug).words_for(series),
        revisions=tuple(revisions),
        repetitions=3,
        workload=series.workload,
    )
    try:
        start_measuring(principal=principal, slug=slug, request=request)
    except (RunnerError, SubjectError, MeasuringError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Sent to the worker; results arrive here."), secrets.token_hex(4)
