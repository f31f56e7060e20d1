"""Ids that pages share: the frame's own, and the parts of a figure card.

A page's own ids stand beside that page. No id is glued together elsewhere.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from dash import Input, Output, State

Dependency = TypeVar("Dependency", Input, State)

# The frame.
PROVIDER = "provider"
ADDRESS = "address"
CONTENT = "content"
TITLE = "title"
TITLE_SINK = "title-sink"
# What is selected: a flat {name: text}; mirrors the address's query string.
LENS = "lens"
LENS_SINK = "lens-sink"
CHIPS = "lens-chips"
# "light" or "dark": give it to the figures.
SCHEME = "scheme"
# The present system's slug, "" outside of one.
SLUG = "slug"
SECTIONS = "sections"
KEYS = "keys"
SWITCHER = "system-switcher"
SWITCHER_NAME = "system-switcher-name"
NAVIGATION = "navigation"
PROBLEM = "problem"
SEARCH = "search"
SEARCH_QUERY = "search-query"
SEARCH_RESULTS = "search-results"
JOBS = "jobs"
JOBS_TICK = "jobs-tick"
# Give it any new value after a job was sent or changed: the indicator and the page then look at once.
JOBS_WAKE = "jobs-wake"
JOBS_COUNT = "jobs-count"
JOBS_LIST = "jobs-list"

# Working through changes: what is asked for, what came of it, and a version that moves with it.
TRIAGE_ASKED = "triage-asked"
# What was said of the view that was saved last.
SAVED_VIEW = "save-view-said"
TRIAGE_SAID = "triage-said"
TRIAGE_ACTION = "triage-action"
TRIAGE_VERSION = "triage-version"
TRIAGE_UNDO = "triage-undo"
# Owner, note and link, and the past, in a dialog.
TRIAGE_OPENED = "triage-opened"
TRIAGE_MENU = "triage-menu"
TRIAGE_DIALOG = "triage-dialog"
TRIAGE_CONTENT = "triage-content"
TRIAGE_STATE = "triage-state"
TRIAGE_OWNER = "triage-owner"
TRIAGE_NOTE = "triage-note"
TRIAGE_LINK = "triage-link"
TRIAGE_FAULT = "triage-fault"
TRIAGE_SAVE = "triage-save"


@dataclass(frozen=True, slots=True)
class FigureIds:
    """The parts of one figure card that callbacks fill."""

    card: str
    graph: str
    finding: str
    axes: str
    table: str

    @classmethod
    def of(cls, name: str) -> "FigureIds":
        """The ids of the card called `name`; names are unique within a page."""
        return cls(name, f"{name}-graph", f"{name}-finding", f"{name}-axes", f"{name}-table")

    @property
    def rows(self) -> str:
        """What lies over a figure of bars: a line of text for each."""
        return f"{self.card}-rows"

    @property
    def outputs(self) -> tuple[Output, Output, Output, Output]:
        """What a callback fills, in this order: the finding, the axes, the figure, its numbers as a table."""
        return (
            Output(self.finding, "children"),
            Output(self.axes, "children"),
            Output(self.graph, "figure"),
            Output(self.table, "children"),
        )

    @property
    def outputs_with_rows(self) -> tuple[Output, ...]:
        """The same, and then the rows."""
        return (*self.outputs, Output(self.rows, "children"))


@dataclass(frozen=True, slots=True)
class TreeIds:
    """The parts of a card with a flame graph: the figure's, what it is searched by, and what stands in its place."""

    figure: FigureIds
    find: str
    message: str

    @classmethod
    def of(cls, name: str) -> "TreeIds":
        """The ids of the card called `name`."""
        return cls(FigureIds.of(name), f"{name}-find", f"{name}-message")


@dataclass(frozen=True, slots=True)
class FormIds:
    """The inputs of a form by name; those in `switches` are on or off, the others have a value."""

    form: str
    names: tuple[str, ...]
    switches: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> str:
        if name not in (*self.names, *self.switches):
            raise KeyError(f"{name!r} is no input of the form {self.form}")
        return f"{self.form}-{name}"

    def given(self, kind: type[Dependency]) -> dict[str, Dependency]:
        """What callbacks are handed by name: as `Input` when it changes, as `State` when something else does."""
        named = {name: kind(self[name], "value") for name in self.names}
        return named | {name: kind(self[name], "checked") for name in self.switches}

    def errors(self, *names: str) -> dict[str, Output]:
        """Where the error of an input is shown."""
        return {name: Output(self[name], "error") for name in names}


def home_model(slug: Any) -> dict[str, Any]:
    """A system's row on the list of systems; `slug` may be Dash's MATCH."""
    return {"page": "home-model", "slug": slug}
