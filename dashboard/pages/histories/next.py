"""What to measure next: the revisions that tell most, ticked and sent to the worker."""

import json
import secrets
import shlex
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.figures.histories_words import revision_text, revision_title
from dashboard.figures.numbers import percent
from dashboard.pages import ids
from dashboard.pages.components import Content, card, command, help_tip, skeleton
from dashboard.pages.components.text import about
from dashboard.pages.histories import ids as own
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.rows import SuggestionRow
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.measuring.next import REPETITIONS, measure_next
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
    series = find_series(
        principal=principal, slug=slug, series_id=lens.settings.get("series", ""), term=lens.term
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
    others = dmc.TextInput(
        id=own.OTHERS,
        label="and others",
        placeholder="every=10, v1.0..v2.0, a name",
        mt="sm",
        disabled=not can.allowed,
    )
    button = dmc.Button("Measure these", id=own.START, disabled=not can.allowed, mt="sm", fullWidth=True)
    return [
        choice,
        others,
        button,
        html.P(can.reason, className="quiet") if can.reason else None,
        _export(found),
    ]


def _suggestion(row: SuggestionRow) -> dmc.Checkbox:
    notes = [row.reason]
    if row.gain > 0:
        notes.append(f"gain about {percent(100 * row.gain, 2)}")
    if row.seconds is not None:
        notes.append(about(row.seconds))
    label = revision_title(row.revision, row.message)
    return dmc.Checkbox(value=row.revision, label=label, description="; ".join(notes), mt="xs")


def _export(rows: Sequence[SuggestionRow]) -> html.Details:
    """The list to take away: names, a git command, JSON."""
    names = [row.revision for row in rows]
    found = [{"revision": row.revision, "reason": row.reason, "gain": row.gain} for row in rows]
    shown = [command(" ".join(names))]
    if all(name != revision_text(name) for name in names):
        shown.append(command(shlex.join(["git", "log", "--no-walk=unsorted", "--oneline", *names])))
    shown.append(command(json.dumps(found)))
    return html.Details([html.Summary("Take this list away"), *shown], className="export")


@callback(
    Output(own.STARTED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    State(own.CHOICE, "value"),
    State(own.OTHERS, "value"),
    State(ids.LENS, "data"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def start(
    clicks: int | None, ticked: list[str], others: str | None, data: dict[str, str] | None, slug: str
) -> tuple[Any, Any]:
    """Send the ticked and written revisions to the worker, in the configurations that the history needs."""
    if not clicks:
        return no_update, no_update
    revisions = [*ticked, *(word.strip() for word in (others or "").split(",") if word.strip())]
    if not revisions:
        return html.P("Tick a revision, or write one.", className="field-error"), no_update
    principal = acting()
    lens = Lens.read(data)
    series = find_series(
        principal=principal, slug=slug, series_id=lens.settings.get("series", ""), term=lens.term
    )
    request = MeasuringRequest(
        configurations=measurable(principal=principal, slug=slug).words_for(series),
        revisions=tuple(revisions),
        repetitions=REPETITIONS,
        workload=series.workload,
    )
    try:
        start_measuring(principal=principal, slug=slug, request=request)
    except (RunnerError, SubjectError, MeasuringError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Sent to the worker; results arrive here."), secrets.token_hex(4)
