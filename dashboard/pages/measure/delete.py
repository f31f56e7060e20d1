"""Deleting the system: what goes with it, then its address typed by hand."""

from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.addresses import HOME
from dashboard.pages.components.blocks import Content, action, attributes, code, facts
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.services.deleting import delete_system, preview_deletion


def panel(access: Access) -> html.Details:
    """Closed until somebody opens it."""
    may_delete = access.allows(Permission.ADMIN)
    look = action("See what goes with it", id_=own.LOOK, look="quiet-button", disabled=not may_delete)
    why = None if may_delete else html.P("This needs the role admin.", className="quiet")
    return html.Details(
        [
            html.Summary(f"Delete {access.system.name}"),
            html.Div([look, why, html.Div(id=own.GOES), html.Div(id=own.DELETED, role="status")]),
        ],
        className="delete-system",
    )


@system_callback(Output(own.GOES, "children"), Input(own.LOOK, "n_clicks"), prevent_initial_call=True)
def look(access: Access, _clicks: int) -> Content:
    """Tell what goes, and ask for the address."""
    try:
        counts = preview_deletion(access=access)
    except AccessError as error:
        return html.P(str(error), className="field-error")
    rows: list[tuple[Content, Content]] = [
        (f"{words[:1].upper()}{words[1:]}", count(number)) for words, number in counts.items()
    ]
    return [
        html.Div(facts(rows), className="goes"),
        html.P("There is no way back. The subject's own folder stays as it is.", className="quiet"),
        html.Label(["Type ", code(access.slug), " to delete it for good"], htmlFor=own.TYPED),
        html.Div(
            [
                dmc.TextInput(id=own.TYPED, **attributes(aria_label="Address of the system")),
                dmc.Button("Delete for good", id=own.DELETE, color="orange.9"),
            ],
            className="run-tools",
        ),
    ]


@system_callback(
    Output(own.DELETED, "children"),
    Output(own.TYPED, "error"),
    Output(ids.ADDRESS, "href"),
    Input(own.DELETE, "n_clicks"),
    State(own.TYPED, "value"),
    prevent_initial_call=True,
)
def delete(access: Access, _clicks: int, typed: str | None) -> tuple[Any, Any, Any]:
    """Delete the system and go to the list of the others."""
    try:
        delete_system(access=access, typed=typed or "")
    except (Refused, AccessError) as error:
        return None, str(error), no_update
    return html.P("Deleted."), "", HOME
