"""Which model the page of influences shows: its revision, workload and metric, where there are several."""

import json
from collections.abc import Sequence

from dash import Input, Output, html
from dash.exceptions import PreventUpdate

from dashboard.access import Access, NotFound
from dashboard.pages import ids
from dashboard.pages.components import Piece, attributes
from dashboard.pages.components.menus import picker
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences.parts import selection
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.influences.choices import ModelChoices, model_choices
from dashboard.selectors.model_rows import HYBRID

_KINDS = {"": "without counts", HYBRID: "hybrid (extension)"}


def placeholder() -> html.Div:
    """The empty element that the callback fills with menus."""
    return html.Div(id=page_ids.MODELS, className="controls-models")


@system_callback(Output(page_ids.MODELS, "children"), Input(ids.LENS, "data"))
def show_models(access: Access, lens: Lens) -> list[Piece]:
    """A menu for each of what several models differ in."""
    try:
        found = model_choices(system=access.system, selection=selection(lens))
    except NotFound:
        raise PreventUpdate from None
    return pickers(found)


def pickers(found: ModelChoices) -> list[Piece]:
    """A menu for each of what several models differ in; revisions have their neighbours beside it."""
    controls: list[Piece] = []
    if len(found.models) > 1:
        controls.append(_control("model", [picker("model", found.model, found.models, _KINDS)]))
    if len(found.revisions) > 1:
        controls.append(
            _control(
                "revision",
                [
                    _step(found.revisions, found.revision, -1),
                    picker("revision", found.revision, tuple(reversed(found.revisions))),
                    _step(found.revisions, found.revision, 1),
                ],
            )
        )
    if len(found.workloads) > 1:
        controls.append(_control("workload", [picker("workload", found.workload, found.workloads)]))
    if len(found.metrics) > 1:
        controls.append(_control("metric", [picker("metric", found.metric, found.metrics)]))
    return controls


def _control(label: str, parts: Sequence[Piece]) -> html.Div:
    return html.Div([html.Span(label, className="control-label"), *parts], className="control")


def _step(revisions: Sequence[str], now: str, by: int) -> html.Button:
    """A button to the revision before or after."""
    at = revisions.index(now) + by
    known = 0 <= at < len(revisions)
    word = "previous" if by < 0 else "next"
    return html.Button(
        "‹" if by < 0 else "›",
        type="button",
        className="quiet-button",
        disabled=not known,
        title=f"{revisions[at]}" if known else "",
        **attributes(
            data_step=word,
            data_lens=json.dumps({"revision": revisions[at] if known else now}),
            aria_label=f"{word} revision",
        ),
    )
