"""The dialog behind "Save this view": the page as it is selected now gets a name."""

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Input, Output, State, clientside_callback, html

from dashboard.access import Access, Refused
from dashboard.pages import ids
from dashboard.pages.addresses import VIEWS, Address, address, read_address, view_address
from dashboard.pages.components.blocks import action, command, link
from dashboard.pages.components.menus import dialog
from dashboard.pages.components.text import sentence
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.services.public_address import public_url
from dashboard.services.saved_views import LONGEST_NAME, save_view

# Ids. The first stands also in `static/dash/lens.js`, whose button opens the dialog.
DIALOG = "save-view"
_NAME = "save-view-name"
_SHARED = "save-view-shared"
_SAVE = "save-view-save"


def saving_dialog() -> html.Dialog:
    """The dialog, which stands once in the frame of all pages."""
    return dialog(
        DIALOG,
        "Save this view",
        html.H2("Save this view", className="card-title"),
        html.P(
            "This page with all that is selected. It shows the newest data whenever it is opened.",
            className="quiet",
        ),
        html.Div(
            [
                # Told with Enter or when one leaves the field: else the last letters may still be on their way.
                dmc.TextInput(id=_NAME, label="Name", debounce=True, inputProps={"maxLength": LONGEST_NAME}),
                dmc.Checkbox(id=_SHARED, label="Shared with all who see the system", checked=False),
                action("Save", id_=_SAVE),
                html.Div(id=ids.SAVED_VIEW, role="status"),
            ],
            className="save-view-form",
        ),
    )


@system_callback(
    output=(Output(ids.SAVED_VIEW, "children"), Output(_NAME, "value")),
    inputs={
        "_clicks": Input(_SAVE, "n_clicks"),
        "_entered": Input(_NAME, "n_submit"),
        "name": State(_NAME, "value"),
        "is_shared": State(_SHARED, "checked"),
        "href": State(ids.ADDRESS, "href"),
        "pathname": State(ids.ADDRESS, "pathname"),
        "lens": State(ids.LENS, "data"),
    },
    prevent_initial_call=True,
)
def save(
    access: Access,
    *,
    name: str | None,
    is_shared: bool | None,
    href: str,
    pathname: str,
    lens: Lens,
    _clicks: int | None = 1,
    _entered: int | None = None,
) -> tuple[Any, Any]:
    """Keep the page that is open; what is wrong with it stands in the dialog."""
    here = read_address(pathname) or Address()
    try:
        view = save_view(
            access=access,
            name=name or "",
            section=here.section,
            key=here.key,
            query=lens.whole_query(),
            is_shared=bool(is_shared),
        )
    except Refused as error:
        return html.P(sentence(error), className="field-error"), name
    permalink = public_url(view_address(view.pk, view.name), opened_at=href.partition("/app/")[0])
    kept = html.P([f"Saved as “{view.name}”. ", link("All views", address(access.slug, VIEWS))])
    return [kept, command(permalink)], ""


# What was said of one view is not said of the next.
clientside_callback(
    ClientsideFunction("lens", "nothing"),
    Output(ids.SAVED_VIEW, "children", allow_duplicate=True),
    Input(ids.ADDRESS, "pathname"),
    Input(ids.LENS, "data"),
    prevent_initial_call=True,
)
