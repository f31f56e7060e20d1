"""Choosing the two revisions: by words of any, kept in the address."""

from collections.abc import Collection
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html

from dashboard.access import Access
from dashboard.figures.histories_words import revision_title
from dashboard.figures.two_revisions_words import KINDS
from dashboard.pages.components.blocks import Piece, action, attributes, lens_button
from dashboard.pages.components.inputs import filter_select, filter_text, select
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import lens_callback, system_callback
from dashboard.pages.two_revisions import ids as own
from dashboard.selectors.two_revisions.choosing import find_revisions


def picker(access: Access, id_: str, label: str, value: str) -> dmc.Select:
    """Chooses one of the latest revisions; any other is found by typing words of its name, commit or message."""
    _, more = find_revisions(system=access.system)
    return select(
        id_,
        revision_choices(access, keep=(value,)),
        value,
        searchable=True,
        label=label,
        description=f"{more} earlier ones: type to find them" if more else None,
        nothingFoundMessage="No revision has these words",
        comboboxProps={"shadow": "md"},
    )


def revision_choices(access: Access, *, words: str = "", keep: Collection[str] = ()) -> list[dict[str, Any]]:
    """Revisions to choose from, as a select takes them; a chosen one's own label is not searched for."""
    found, _ = find_revisions(system=access.system, words=words, keep=keep)
    labels = {place.name: revision_title(place.name, place.message) for place in found}
    if words in labels.values():
        found, _ = find_revisions(system=access.system, keep=keep)
        labels = {place.name: revision_title(place.name, place.message) for place in found}
    return [{"value": name, "label": label} for name, label in labels.items()]


@lens_callback(Input(own.BEFORE, "value"), Input(own.AFTER, "value"))
def choose_pair(lens: Lens, before: str | None, after: str | None) -> Lens:
    """Keep both revisions in the address."""
    return lens.but(since=before or lens.since, revision=after or lens.revision).setting(page="")


@system_callback(
    Output(own.BEFORE, "data", allow_duplicate=True),
    Input(own.BEFORE, "searchValue"),
    State(own.BEFORE, "value"),
    prevent_initial_call=True,
)
def search_before(access: Access, words: str | None, value: str | None) -> Any:
    """Revisions with the words that are typed."""
    return revision_choices(access, words=words or "", keep=(value or "",))


@system_callback(
    Output(own.AFTER, "data", allow_duplicate=True),
    Input(own.AFTER, "searchValue"),
    State(own.AFTER, "value"),
    prevent_initial_call=True,
)
def search_after(access: Access, words: str | None, value: str | None) -> Any:
    """Revisions with the words that are typed."""
    return revision_choices(access, words=words or "", keep=(value or "",))


def steps(names: tuple[str, str]) -> list[Piece]:
    """Buttons from one pair of revisions to another."""
    before, after = names
    return [
        lens_button(
            "⇄ Swap", {"since": after, "revision": before, "page": None}, name="Swap before and after"
        ),
        lens_button(
            "Previous measured",
            {"since": None, "revision": after, "page": None},
            title="Compare with the revision that was measured before",
        ),
    ]


def filters(lens: Lens) -> list[Piece]:
    """What the list is filtered by, and taken away with."""
    return [
        filter_text(
            own.TEXT,
            lens.settings.get("find", ""),
            placeholder="Words of the name, workload or machine",
            name="Find series by words",
            width=300,
        ),
        filter_select(
            own.KIND,
            list(KINDS.items()),
            lens.settings.get("kind") or None,
            placeholder="All kinds",
            name="Kind of series",
            width=180,
            searchable=False,
        ),
        action("Download as CSV", id_=own.EXPORT, quiet=True),
        html.Span(id=own.COUNT, className="control-count", **attributes(aria_live="polite")),
    ]
