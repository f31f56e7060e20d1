"""What to do after an analysis: measure exactly the configurations that were traced, then open the model."""

import contextlib
from collections.abc import Callable
from typing import Any

from dash import Output, State, html

from dashboard.access import Access, NotFound, role_refusal
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, MEASURE, address
from dashboard.pages.components.blocks import Piece, action, link
from dashboard.pages.components.text import about, sentence
from dashboard.pages.jobs import REFUSED, sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.measure.request import ANALYSIS, in_words
from dashboard.pages.whitebox import ids as own
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.jobs import ANALYZED, MEASURED, active_in
from dashboard.selectors.loaded_models import resolve_model
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.whitebox.analyses import is_modelled, white_box_detail
from dashboard.selectors.whitebox.rows import WhiteBoxDetail
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import RevisionsNotListed, preview_measuring

# So many as the tables of docs/reference that compare the hybrid model with others begin with.
_RANDOM = 20
_WHY_RANDOM = (
    "The hybrid model (extension) learns best from both. The model that is composed of the partitions needs only the "
    "traced ones."
)


def next_strip(found: WhiteBoxDetail, access: Access, lens: Lens) -> html.Section | None:
    """What comes next: to measure what was traced, or the model of what was measured; nothing while more is traced."""
    active = active_in(access=access, revision=found.revision)
    measures = [row for row in active if row.kind == MEASURED]
    if any(row.kind == ANALYZED for row in active):
        return None
    if measures:
        watch = link("Watch it", address(access.slug, MEASURE, job=str(measures[0].id)))
        return _strip("a measurement is under way; the way to its model shows here.", watch)
    if is_modelled(system=access.system, revision=found.revision):
        href = address(access.slug, INFLUENCES, lens=lens.but(revision=found.revision))
        said = "see what these decisions cost: their configurations are measured."
        return _strip(said, action("Open the influences", href=href))
    if not found.result.explored or subject_of(access=access) is None:
        return None
    try:
        preview = preview_measuring(access=access, request=request_of(found))
    except REFUSED as error:
        # That the source is asked for its revisions first is nothing to worry about; any other reason is.
        look = "quiet" if isinstance(error, RevisionsNotListed) else "warn"
        why = html.Span(sentence(error), className=look)
        return _strip("measure what was analyzed.", link("Measure", address(access.slug, MEASURE)), note=why)
    runs = f"{in_words(preview)}, {about(preview.seconds)}"
    refusal = role_refusal(access)
    these = f"Measure these {plural(len(found.result.explored), 'configuration')}"
    more = f"With up to {_RANDOM} random ones"
    said, there = "measure exactly these configurations, to see what the decisions cost.", None
    with contextlib.suppress(NotFound):
        resolve_model(access.system, Selection(revision=found.revision))
        said = "see what the options cost, by what was measured before; or measure exactly these configurations, for a model composed of these partitions."
        there = action(
            "Open the influences",
            href=address(access.slug, INFLUENCES, lens=lens.but(revision=found.revision)),
        )
    return _strip(
        said,
        *([there] if there else []),
        action(these, id_=own.MEASURE, quiet=there is not None, refusal=refusal),
        action(more, id_=own.MEASURE_MORE, quiet=True, refusal=refusal, title=_WHY_RANDOM),
        note=html.Span(runs, className="quiet"),
    )


def request_of(found: WhiteBoxDetail, random: int = 0) -> MeasuringRequest:
    """The configurations that were traced to their end, on the workload that is measured, and up to `random` others."""
    words = (f"{ANALYSIS}={found.revision}", *((f"random={random}",) if random else ()))
    return MeasuringRequest(configurations=words, revisions=(found.revision,))


def _strip(said: str, *acts: Piece, note: html.Span | None = None) -> html.Section:
    words: list[Piece] = [html.Strong("Next: "), said]
    if note is not None:
        words += [html.Br(), note]
    return html.Section([html.P(words), html.Div(list(acts), className="next-acts")], className="card next")


def _measures(button: str, random: int) -> Callable[..., tuple[Any, ...]]:
    """Have a button send the measurement of what was traced to the worker; its card then stands on this page."""
    said = Output(own.MEASURED, "children", allow_duplicate=True)

    @sends_job(button, said, lens=State(ids.LENS, "data"))
    def measure(access: Access, *, lens: Lens) -> str | None:
        found = white_box_detail(system=access.system, revision=lens.revision)
        if found is None:
            return None
        start_measuring(access=access, request=request_of(found, random))
        return ""

    return measure


measure, measure_more = _measures(own.MEASURE, 0), _measures(own.MEASURE_MORE, _RANDOM)
