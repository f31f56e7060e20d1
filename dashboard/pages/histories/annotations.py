"""What people noted at the revisions of a history: the list, and the form for who may add to it."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, ctx, dcc, html, no_update

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.histories_words import ANNOTATION_KINDS, annotation_text
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, card, help_tip, link
from dashboard.pages.components.inputs import select
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.annotations import load_annotations
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.services.annotations import LONGEST_TEXT, annotate, remove_annotation

_HELP = (
    "Notes at revisions are drawn in every history. Where the benchmark was changed a new level begins: the step there is no "
    "change of the program and is not told as one."
)


def panel(access: Access) -> html.Section:
    """The card: the list, filled by the page's callback, and the form."""
    return card(
        "Annotations",
        dcc.Store(id=own.NOTED_VERSION),
        html.Div(id=own.NOTED),
        html.Div(id=own.NOTED_SAID, role="status"),
        _form() if access.allows(Permission.EDIT) else None,
        more=help_tip(_HELP, "how-to/work-through-changes#annotate-revisions"),
    )


def _form() -> html.Details:
    """Closed until somebody opens it."""
    content: list[Piece] = [
        select(own.NOTE_KIND, tuple(ANNOTATION_KINDS.items()), "note", label="What"),
        dmc.TextInput(
            id=own.NOTE_FIRST, label="At the revision", placeholder="click one in the figure, or type it"
        ),
        dmc.TextInput(id=own.NOTE_LAST, label="Until", placeholder="the same, or a later one"),
        dmc.TextInput(id=own.NOTE_TEXT, label="Text", inputProps={"maxLength": LONGEST_TEXT}),
        dmc.TextInput(id=own.NOTE_LINK, label="Link", placeholder="https://…"),
        dmc.Checkbox(id=own.NOTE_OWN, label="Of this history alone", checked=False, size="xs"),
        action("Add", id_=own.NOTE_ADD),
    ]
    return html.Details(
        [html.Summary("Add an annotation"), html.Div(content, className="triage-form")], className="more"
    )


@system_callback(
    Output(own.NOTED, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    Input(own.NOTED_VERSION, "data"),
)
def show(access: Access, lens: Lens, *_versions: str | None) -> Content:
    """The annotations of the chosen history, by their places, each with its way out for who may take it away."""
    order = ordered_revisions(system=access.system)
    found = load_annotations(access.system, order).of(chosen_series(access, lens).series_id)
    if not found:
        return html.P("Nothing is noted.", className="quiet")
    rows = []
    for one in found:
        text = annotation_text(one)
        whose = "this history" if one.is_own else "all histories"
        parts: list[Piece] = [
            html.Span(text),
            html.Span(f"{one.author}, {one.created_at:%-d %b %Y}; {whose}", className="quiet"),
        ]
        if one.link:
            parts.append(link("link", one.link, rel="noreferrer noopener", target="_blank"))
        if access.allows(Permission.EDIT):
            remove = {"type": own.NOTE_REMOVE, "annotation": one.annotation_id}
            parts.append(action("Remove", id_=remove, look="quiet-button", title=f"Remove: {text}"))
        rows.append(html.Li(parts))
    return html.Ol(rows, className="change-list annotations")


@system_callback(Output(own.NOTE_FIRST, "value"), Input(ids.LENS, "data"))
def choose_revision(_access: Access, lens: Lens) -> Any:
    """The revision that is chosen in the figure is the one to note something at."""
    return lens.revision or no_update


@system_callback(
    output=(
        Output(own.NOTED_SAID, "children"),
        Output(own.NOTED_VERSION, "data"),
        Output(own.NOTE_TEXT, "value"),
    ),
    inputs={
        "_clicks": Input(own.NOTE_ADD, "n_clicks"),
        "kind": State(own.NOTE_KIND, "value"),
        "first": State(own.NOTE_FIRST, "value"),
        "last": State(own.NOTE_LAST, "value"),
        "text": State(own.NOTE_TEXT, "value"),
        "address": State(own.NOTE_LINK, "value"),
        "is_own": State(own.NOTE_OWN, "checked"),
        "lens": State(ids.LENS, "data"),
    },
    prevent_initial_call=True,
)
def add(
    access: Access,
    *,
    kind: str,
    first: str | None,
    last: str | None,
    text: str | None,
    address: str | None,
    is_own: bool,
    lens: Lens,
    _clicks: int = 1,
) -> tuple[Any, ...]:
    """Note what was typed; what is wrong with it stands above the form."""
    series = chosen_series(access, lens).series_id if is_own else None
    try:
        annotate(
            access=access,
            kind=kind,
            first=first or "",
            last=last or "",
            text=text or "",
            link=address or "",
            series_id=series,
        )
    except (Refused, AccessError) as error:
        return html.P(str(error), className="field-error"), no_update, no_update
    anew = " A job fits the histories anew." if kind == "benchmark" else ""
    return html.P(f"Noted.{anew}", className="quiet"), secrets.token_hex(4), ""


@system_callback(
    Output(own.NOTED_SAID, "children", allow_duplicate=True),
    Output(own.NOTED_VERSION, "data", allow_duplicate=True),
    Input({"type": own.NOTE_REMOVE, "annotation": ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def remove(access: Access, _clicks: list[int | None]) -> tuple[Any, Any]:
    """Take the annotation away whose button was pressed."""
    try:
        remove_annotation(access=access, annotation_id=int(ctx.triggered_id["annotation"]))
    except (Refused, AccessError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Removed.", className="quiet"), secrets.token_hex(4)
