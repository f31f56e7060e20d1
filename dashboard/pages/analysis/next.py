"""What to do after an analysis: measure exactly the configurations that were traced, then open the model."""

import secrets
from typing import Any

from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, MEASURE, address
from dashboard.pages.analysis import ids as own
from dashboard.pages.components import Piece, action, link
from dashboard.pages.components.text import plural
from dashboard.pages.jobs import REFUSED
from dashboard.pages.lens import Lens
from dashboard.pages.measure.request import ANALYSIS, about, in_words
from dashboard.selectors.measuring.rows import Measuring
from dashboard.selectors.tracings import tracing
from dashboard.selectors.tracings.jobs import is_modelled
from dashboard.selectors.tracings.rows import TracingDetail
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import MeasuringRequest, Preview, preview_measuring


def next_strip(found: TracingDetail, system: Measuring, lens: Lens) -> html.Section | None:
    """One button: to measure what was traced, or to the model where that was measured."""
    if is_modelled(principal=acting(), slug=system.slug, revision=found.revision):
        href = address(system.slug, INFLUENCES, lens=lens.but(revision=found.revision))
        said = "see what these decisions cost: their configurations are measured."
        return _strip(said, None, action("Open the influences", href=href))
    if not found.traced or system.subject is None:
        return None
    try:
        preview = preview_measuring(principal=acting(), slug=system.slug, request=request_of(found))
    except REFUSED as error:
        return _strip("measure what was traced.", str(error), link("Measure", address(system.slug, MEASURE)))
    button = html.Button(
        f"Measure these {plural(found.traced, 'configuration')}",
        id=own.MEASURE,
        type="button",
        className="button",
        disabled=not system.may_edit,
        title=system.reason,
    )
    return _strip("measure exactly these configurations, to see what the decisions cost.", preview, button)


def request_of(found: TracingDetail) -> MeasuringRequest:
    """Exactly the configurations that were traced to their end, on the workload that is measured."""
    return MeasuringRequest(configurations=(f"{ANALYSIS}={found.revision}",), revisions=(found.revision,))


def _strip(said: str, preview: Preview | str | None, act: Piece) -> html.Section:
    words: list[Piece] = [html.Strong("Next: "), said]
    if isinstance(preview, Preview):
        runs = f"{in_words(preview)}, {about(preview.seconds)}"
        words += [html.Br(), html.Span(runs, className="quiet")]
    elif preview is not None:
        words += [html.Br(), html.Span(preview, className="warn")]
    return html.Section([html.P(words), act], className="card next")


@callback(
    Output(own.MEASURED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.MEASURE, "n_clicks"),
    State(ids.LENS, "data"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def measure(clicks: int | None, data: dict[str, str] | None, slug: str) -> tuple[Any, Any]:
    """Send the measurement to the worker, and lead to where it is watched."""
    if not clicks:
        return no_update, no_update
    try:
        found = tracing(principal=acting(), slug=slug, revision=Lens.read(data).revision)
        if found is None:
            return no_update, no_update
        job_id = start_measuring(principal=acting(), slug=slug, request=request_of(found))
    except REFUSED as error:
        return html.P(str(error), className="field-error"), no_update
    told: list[Piece] = ["Sent to the worker. ", link("Watch it", address(slug, MEASURE, job=str(job_id)))]
    return html.P(told), secrets.token_hex(4)
