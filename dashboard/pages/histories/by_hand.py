"""Setting a change by hand at the chosen revision of a history, moving one there, and taking that away."""

import secrets
from typing import Any

from dash import ALL, Input, Output, State, ctx, html, no_update

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.histories_words import revision_text
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.history import history_of
from dashboard.selectors.histories.triaged import named_change, triage_of_history
from dashboard.services.changes_by_hand import move_change, set_change, take_hand_away

# So many changes are offered to be moved: the ones nearest to the chosen revision.
_OFFERED = 3


@system_callback(
    Output(own.PLACE, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    Input(ids.TRIAGE_VERSION, "data"),
)
def show(access: Access, lens: Lens, *_versions: str | None) -> Content:
    """What can be set at the chosen revision; nothing for viewers."""
    if not access.allows(Permission.EDIT):
        return None
    history = history_of(system=access.system, series=chosen_series(access, lens))
    place = next((one for one in history.order.revisions if one.name == lens.revision), None)
    content: list[Piece] = [html.Summary("Set or move a change by hand")]
    if place is None:
        content.append(html.P("Choose a revision in the figure first.", className="quiet"))
        return html.Details(content, className="more")
    at = revision_text(place.name)
    content.append(_button(f"Set a change at {at}", "new"))
    triaged = sorted(
        zip(history.changes, triage_of_history(access.system, history), strict=True),
        key=lambda one: abs(one[0].after.position - place.position),
    )
    for change, (key, _) in triaged[:_OFFERED]:
        content.append(_button(f"Move the one of {revision_text(change.after.name)} to {at}", key.text))
    return html.Details(content, className="more by-hand")


def _button(text: str, key: str) -> Piece:
    return action(text, id_={"type": own.PLACE_SET, "key": key}, look="quiet-button")


@system_callback(
    Output(own.PLACE_SAID, "children"),
    Output(ids.TRIAGE_VERSION, "data", allow_duplicate=True),
    Input({"type": own.PLACE_SET, "key": ALL}, "n_clicks"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def place(access: Access, _clicks: list[int | None], lens: Lens) -> tuple[Any, Any]:
    """Set a change at the chosen revision, or move the one there whose button was pressed."""
    key = str(ctx.triggered_id["key"])
    try:
        if key == "new":
            series = chosen_series(access, lens).series_id
            set_change(access=access, series_id=series, revision=lens.revision)
        else:
            change = named_change(access.system, key)
            move_change(access=access, change=change, revision=lens.revision)
    except (Refused, AccessError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Set by hand.", className="quiet"), secrets.token_hex(4)


@system_callback(
    Output(own.PLACE_SAID, "children", allow_duplicate=True),
    Output(ids.TRIAGE_VERSION, "data", allow_duplicate=True),
    Input({"type": own.PLACE_REMOVE, "triage": ALL}, "n_clicks"),
    prevent_initial_call=True,
)
def take_away(access: Access, _clicks: list[int | None]) -> tuple[Any, Any]:
    """Take away what was set by hand."""
    try:
        take_hand_away(access=access, triage_id=int(ctx.triggered_id["triage"]))
    except (Refused, AccessError) as error:
        return html.P(str(error), className="field-error"), no_update
    return html.P("Taken away.", className="quiet"), secrets.token_hex(4)
