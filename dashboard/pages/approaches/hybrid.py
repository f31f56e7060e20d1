"""The hybrid model on the page of approaches: what it is, learning it, and the way to where it is shown."""

import json
from dataclasses import astuple

from dash import Input, Output, State, html

from dashboard.access import Access
from dashboard.figures.numbers import count, plural
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, address
from dashboard.pages.approaches import ids as own
from dashboard.pages.approaches.form import LOOK, context_select
from dashboard.pages.components.blocks import Content, Piece, card, help_tip, link
from dashboard.pages.components.inputs import send_button
from dashboard.pages.jobs import sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.hybrid_inputs import counted_contexts, hybrid_models
from dashboard.selectors.model_rows import HYBRID
from dashboard.services.performance_models.hybrid import queue_hybrid

_WHAT = (
    "What each function does, from counts, which have no noise; what that takes, from end-to-end times. Without times it "
    "says what options add to the counts."
)
_HELP = (
    "An extension of the published model: it shares out the end-to-end time over functions without a profiler. "
    "Every term has an interval, in the whole program and in each function."
)


def panel(access: Access, refusal: str) -> html.Section:
    """The card; the button is disabled with the reason where nothing was counted or the role is too small."""
    choices = {
        json.dumps([astuple(one.context), one.quantity]): (
            f"{one.title}: {count(one.configurations)} configurations"
            + ("" if one.clock == "cpu" else f", {one.quantity} without times")
        )
        for one in counted_contexts(access.system)
    }
    if not choices:
        refusal = (
            "No counts of two configurations are stored here: analyze, or measure with “Count decisions”. An imported "
            "analysis brings none."
        )
    return card(
        "Hybrid model (extension)",
        html.P(_WHAT),
        context_select(own.COUNTED, "Counted", choices, display="block" if choices else "none", mt="sm"),
        *send_button("Learn the hybrid model", own.LEARN, own.LEARNED, refusal, **LOOK),
        html.Div(_known(access), id=own.HYBRID, className="card-note"),
        more=help_tip(_HELP, "explanation/hybrid-model"),
    )


def _known(access: Access) -> Content:
    """A link to each model that is there; several environments are told apart."""
    found = hybrid_models(access.system)
    several = len({one.environment for one in found}) > 1
    rows: list[Piece] = []
    for one in found:
        lens = Lens(
            revision=one.revision,
            workload=one.workload,
            environment=one.environment,
            metric=one.metric if one.is_counted else "",
        )
        href = address(access.slug, INFLUENCES, lens=lens, model=HYBRID)
        notes = [
            f" · {one.environment}" if several else "",
            f" · {one.quantity}" if one.is_counted else "",
            f" · {plural(one.configurations, 'configuration')}",
            "" if one.is_current else " · measurements have changed since",
        ]
        rows.append(html.P([link(f"{one.revision}, {one.workload}", href), *notes]))
    return rows


@sends_job(own.LEARN, Output(own.LEARNED, "children"), place=State(own.COUNTED, "value"))
def learn(access: Access, *, place: str) -> str:
    """Queue the learning."""
    context, metric = json.loads(place)
    queue_hybrid(access=access, context=MeasurementContext(*context), metric=metric)
    return "Sent to the worker; the model is linked here when it is learned."


@system_callback(
    Output(own.HYBRID, "children"),
    Input(ids.JOBS_TICK, "n_intervals"),
    Input(own.LEARNED, "children"),
    prevent_initial_call=True,
)
def show(access: Access, _ticks: int | None, _told: Content) -> Content:
    """The models that are there, as long as anything runs."""
    return _known(access)
