"""What to do after an analysis: measure exactly the configurations that were traced, then open the model."""

import secrets
from typing import Any

from dash import Input, Output, State, html, no_update

from dashboard.access import Access
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, MEASURE, address
from dashboard.pages.components import Piece, action, link
from dashboard.pages.components.text import plural
from dashboard.pages.jobs import REFUSED
from dashboard.pages.lens import Lens
from dashboard.pages.measure.request import ANALYSIS, about, in_words
from dashboard.pages.system_callback import system_callback
from dashboard.pages.whitebox import ids as own
from dashboard.selectors.jobs import ANALYZED, MEASURED, active_in
from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.selectors.measuring.rows import MeasuringStatus
from dashboard.selectors.whitebox.analyses import white_box_detail
from dashboard.selectors.whitebox.jobs import is_modelled
from dashboard.selectors.whitebox.rows import WhiteBoxDetail
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import PlanPreview, preview_measuring

# So many as the tables of docs/reference that compare the hybrid model with others begin with.
_RANDOM = 20
_WHY_RANDOM = (
    "The hybrid model (extension) learns best from both. The model that is composed of the partitions needs only the "
    "traced ones."
)


def next_strip(
    found: WhiteBoxDetail, system: MeasuringStatus, access: Access, lens: Lens
) -> html.Section | None:
    """What comes next: to measure what was traced, or the model of what was measured; nothing while more is traced."""
    active = active_in(access=access, revision=found.revision)
    measures = [row for row in active if row.kind == MEASURED]
    if any(row.kind == ANALYZED for row in active):
        return None
    if measures:
        watch = link("Watch it", address(system.slug, MEASURE, job=str(measures[0].id)))
        return _strip("a measurement is under way; the way to its model shows here.", None, watch)
    if is_modelled(system=access.system, revision=found.revision):
        href = address(system.slug, INFLUENCES, lens=lens.but(revision=found.revision))
        said = "see what these decisions cost: their configurations are measured."
        return _strip(said, None, action("Open the influences", href=href))
    if not found.result.traced or system.subject is None:
        return None
    try:
        preview = preview_measuring(access=access, request=request_of(found))
    except REFUSED as error:
        return _strip("measure what was traced.", str(error), link("Measure", address(system.slug, MEASURE)))
    said = "measure exactly these configurations, to see what the decisions cost."
    return _strip(said, preview, *_buttons(found, system))


def request_of(found: WhiteBoxDetail, random: int = 0) -> MeasuringRequest:
    """The configurations that were traced to their end, on the workload that is measured, and up to `random` others."""
    words = (f"{ANALYSIS}={found.revision}", *((f"random={random}",) if random else ()))
    return MeasuringRequest(configurations=words, revisions=(found.revision,))


def _buttons(found: WhiteBoxDetail, system: MeasuringStatus) -> tuple[html.Button, html.Button]:
    shared: dict[str, Any] = {"type": "button", "disabled": not system.may_edit}
    these = f"Measure these {plural(len(found.result.traced), 'configuration')}"
    return (
        html.Button(these, id=own.MEASURE, className="button", title=system.reason, **shared),
        html.Button(
            f"With up to {_RANDOM} random ones",
            id=own.MEASURE_MORE,
            className="button button-quiet",
            title=system.reason or _WHY_RANDOM,
            **shared,
        ),
    )


def _strip(said: str, preview: PlanPreview | str | None, *acts: Piece) -> html.Section:
    words: list[Piece] = [html.Strong("Next: "), said]
    if isinstance(preview, PlanPreview):
        runs = f"{in_words(preview)}, {about(preview.seconds)}"
        words += [html.Br(), html.Span(runs, className="quiet")]
    elif preview is not None:
        words += [html.Br(), html.Span(preview, className="warn")]
    return html.Section([html.P(words), html.Div(list(acts), className="next-acts")], className="card next")


@system_callback(
    Output(own.MEASURED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.MEASURE, "n_clicks"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def measure(access: Access, clicks: int | None, lens: Lens) -> tuple[Any, Any]:
    """Send the measurement of what was traced to the worker; its card then stands on this page."""
    return _send(access, lens, 0) if clicks else (no_update, no_update)


@system_callback(
    Output(own.MEASURED, "children", allow_duplicate=True),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.MEASURE_MORE, "n_clicks"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def measure_more(access: Access, clicks: int | None, lens: Lens) -> tuple[Any, Any]:
    """The same with random configurations besides."""
    return _send(access, lens, _RANDOM) if clicks else (no_update, no_update)


def _send(access: Access, lens: Lens, random: int) -> tuple[Any, Any]:
    try:
        found = white_box_detail(system=access.system, revision=lens.revision)
        if found is None:
            return no_update, no_update
        start_measuring(access=access, request=request_of(found, random))
    except REFUSED as error:
        return html.P(str(error), className="field-error"), no_update
    return None, secrets.token_hex(4)
