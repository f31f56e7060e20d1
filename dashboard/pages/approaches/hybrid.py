"""The hybrid model on the page of approaches: what it is, learning it, and the way to where it is shown."""

import json
from dataclasses import astuple
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, address
from dashboard.pages.approaches import ids as own
from dashboard.pages.components import Content, Piece, card, help_tip, link
from dashboard.pages.components.text import plural
from dashboard.pages.jobs import send
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.hybrid_inputs import contexts_to_learn, hybrid_models
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.model_rows import HYBRID
from dashboard.services.performance_models.hybrid import queue_hybrid

_WHAT = "What each function does, from counts, which have no noise; what that takes, from end-to-end times."
_HELP = (
    "An extension of the published model: it shares out the end-to-end time over functions without a profiler. "
    "Every term has an interval, in the whole program and in each function."
)


def panel(access: Access, *, allowed: bool) -> html.Section:
    """The card; the button is disabled with the reason where nothing was counted or the role is too small."""
    places = contexts_to_learn(access.system)
    reason = "" if allowed else "This needs the role editor; yours is viewer."
    if not places:
        reason = "No configurations were both counted and timed yet: measure with “Count decisions”."
    choices = [
        {
            "value": json.dumps(astuple(one.context)),
            "label": f"{one.title}: {count(one.configurations)} configurations",
        }
        for one in places
    ]
    return card(
        "Hybrid model (extension)",
        html.P(_WHAT),
        dmc.Select(
            id=own.COUNTED,
            data=choices,
            value=choices[0]["value"] if choices else None,
            label="Counted and timed",
            allowDeselect=False,
            searchable=True,
            comboboxProps={"shadow": "md"},
            display="block" if choices else "none",
            mt="sm",
        ),
        dmc.Button(
            "Learn the hybrid model",
            id=own.LEARN,
            disabled=bool(reason),
            variant="light",
            mt="sm",
            fullWidth=True,
        ),
        html.P(reason, className="quiet") if reason else None,
        html.Div(id=own.LEARNED, role="status"),
        html.Div(_known(access), id=own.HYBRID, className="card-note"),
        more=help_tip(_HELP, "explanation/hybrid-model"),
    )


def _known(access: Access) -> Content:
    """A link to each model that is there; several environments are told apart."""
    found = hybrid_models(access.system)
    several = len({one.environment for one in found}) > 1
    lenses = [
        Lens(revision=one.revision, workload=one.workload, environment=one.environment) for one in found
    ]
    rows: list[Piece] = [
        html.P(
            [
                link(
                    f"{one.revision}, {one.workload}",
                    address(access.slug, INFLUENCES, lens=lens, model=HYBRID),
                ),
                f" · {one.environment}" if several else "",
                f" · {plural(one.configurations, 'configuration')}",
                "" if one.is_current else " · measurements have changed since",
            ]
        )
        for one, lens in zip(found, lenses, strict=True)
    ]
    return rows


@system_callback(
    Output(own.LEARNED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.LEARN, "n_clicks"),
    State(own.COUNTED, "value"),
    prevent_initial_call=True,
)
def learn(access: Access, clicks: int | None, place: str | None) -> tuple[Any, Any]:
    """Queue the learning."""
    if not clicks or not place:
        return no_update, no_update
    shown, wake, _ = send(
        lambda: queue_hybrid(access=access, context=MeasurementContext(*json.loads(place))),
        "Sent to the worker; the model is linked here when it is learned.",
    )
    return shown, wake


@system_callback(
    Output(own.HYBRID, "children"),
    Input(ids.JOBS_TICK, "n_intervals"),
    Input(own.LEARNED, "children"),
    prevent_initial_call=True,
)
def show(access: Access, _ticks: int | None, _told: Content) -> Content:
    """The models that are there, as long as anything runs."""
    return _known(access)
