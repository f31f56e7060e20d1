"""The saved views of a system: opened, renamed, shared, and deleted with a way back."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, ctx, html, no_update

from dashboard.access import Access, AccessError, Refused
from dashboard.pages.addresses import SECTIONS, view_address
from dashboard.pages.components.blocks import (
    Content,
    attributes,
    card,
    chip,
    empty_state,
    help_tip,
    link,
    page,
)
from dashboard.pages.components.text import ago, sentence
from dashboard.pages.lens import CARRIED, Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import LONGEST_ID, series_to_fit
from dashboard.selectors.rows import SavedView
from dashboard.selectors.saved_views import list_views, may_change
from dashboard.services.saved_views import LONGEST_NAME, delete_view, rename_view, restore_view, share_view

# Ids.
_LIST = "views-list"
_SAID = "views-said"
_VERB = "saved-view-act"
_NAME = "saved-view-name"
_WORDS = {
    "base": "base",
    "compared": "compared with",
    "revision": "at",
    "since": "since",
    "environment": "on",
}
# Choices of one page.
_CHOICES = {"find": "with the words", "search": "with the words", "option": "of", "reached": "reached by"}


def layout(access: Access, _key: str, _lens: Lens) -> html.Article:
    """The views that one sees, by name."""
    return page(
        "Views keep a page with all that is selected",
        "A view shows the newest data whenever it is opened; a report keeps the numbers of one day.",
        html.Div(id=_SAID, role="status", className="report-message"),
        html.Div(_list(access), id=_LIST),
        actions=[
            help_tip(
                "“Save this view” stands above each page. A view is yours alone until you share it. Its link goes "
                "by its number: it works on after a new name.",
                "how-to/save-a-view",
            )
        ],
    )


def _list(access: Access) -> Content:
    views = list_views(access=access)
    if not views:
        return empty_state(
            "No view yet",
            "Select what matters on any page, then press “Save this view” above it.",
        )
    now = datetime.now(tz=UTC)
    chosen = (Lens.of_query(one.query).settings.get("series", "") for one in views)
    ids = {int(one) for one in chosen if one.isdecimal() and len(one) <= LONGEST_ID}
    # A history may be gone since.
    histories = (
        {str(one.series_id): one for one in series_to_fit(system=access.system, ids=ids)} if ids else {}
    )
    return html.Div([_view(access, one, histories, now) for one in views], className="saved-views")


def _view(access: Access, view: SavedView, histories: Mapping[str, SeriesRow], now: datetime) -> html.Section:
    """A card: where the view leads, and what one may do with it."""
    is_own = view.owner_id == access.principal.user_id
    whose = "you" if is_own else str(view.owner or "an account that is gone")
    content: list[Any] = [
        html.P(_described(view, histories)),
        html.P(f"Saved {ago(view.created_at, now)} by {whose}.", className="quiet"),
    ]
    if may_change(access, view):
        field = dmc.TextInput(
            id={"type": _NAME, "view": view.pk},
            value=view.name,
            inputProps={"maxLength": LONGEST_NAME},
            **attributes(aria_label=f"New name of {view.name}"),
        )
        renaming = html.Div([field, _button("rename", "Rename", view)], className="links")
        share = ("make private", "Make private") if view.is_shared else ("share", "Share")
        content.append(
            html.Div(
                [
                    _button(*share, view),
                    _button("delete", "Delete", view),
                    html.Details([html.Summary("Rename"), renaming], className="quiet"),
                ],
                className="links",
            )
        )
    state = chip(
        "shared" if view.is_shared else "private",
        title="All who see the system see it." if view.is_shared else "Its owner alone sees it.",
    )
    return card(link(view.name, view_address(view.pk, view.name)), *content, more=state, wide=True)


def _described(view: SavedView, histories: Mapping[str, SeriesRow]) -> str:
    """The page of a view, and what is selected there."""
    lens = Lens.of_query(view.query)
    said = [SECTIONS.get(view.section, view.section), view.key]
    if (chosen := histories.get(lens.settings.get("series", ""))) is not None:
        said.append(f"{chosen.label}, {chosen.measure}")
    for name in CARRIED:
        value = getattr(lens, name)
        if value and value != view.key:
            shown = value.replace("*", " × ") if name == "term" else value.replace("*", ", ")
            said.append(f"{_WORDS.get(name, name)} {shown}")
    said += [f"{words} {value}" for name, words in _CHOICES.items() if (value := lens.settings.get(name))]
    return " · ".join(one for one in said if one)


def _button(verb: str, text: str, view: SavedView) -> html.Button:
    """A button that acts on one view."""
    return html.Button(
        text,
        id={"type": _VERB, "verb": verb, "view": view.pk},
        className="quiet-button",
        **attributes(aria_label=f"{text}: {view.name}"),
    )


@system_callback(
    Output(_SAID, "children"),
    Output(_LIST, "children"),
    Input({"type": _VERB, "verb": ALL, "view": ALL}, "n_clicks"),
    State({"type": _NAME, "view": ALL}, "value"),
    State({"type": _NAME, "view": ALL}, "id"),
    prevent_initial_call=True,
)
def act(
    access: Access, _clicks: Sequence[int | None], names: Sequence[str], fields: Sequence[dict[str, Any]]
) -> tuple[Any, Any]:
    """Do what the pressed button stands for; what was deleted can be taken back at once."""
    verb, view_id = str(ctx.triggered_id["verb"]), int(ctx.triggered_id["view"])
    undo: Any = None
    try:
        if verb == "rename":
            typed = {field["view"]: name for field, name in zip(fields, names, strict=True)}
            said = f"Renamed to “{rename_view(access=access, view_id=view_id, name=typed.get(view_id, '')).name}”."
        elif verb in {"share", "make private"}:
            view = share_view(access=access, view_id=view_id, is_shared=verb == "share")
            said = (
                f"All who see the system see “{view.name}”."
                if view.is_shared
                else f"“{view.name}” is private."
            )
        elif verb == "restore":
            said = f"“{restore_view(access=access, view_id=view_id).name}” is back."
        else:
            view = delete_view(access=access, view_id=view_id)
            said, undo = f"“{view.name}” is deleted. ", _button("restore", "Undo", view)
    except (Refused, AccessError) as error:
        return html.P(sentence(error), className="field-error"), no_update
    return html.P([said, undo]), _list(access)
