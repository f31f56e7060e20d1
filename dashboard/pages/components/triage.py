"""What became of a change: its state as a menu, what was said of it in words, and what both pages of changes need for that.

`static/dash/triage.js` hands on what is pressed, and keeps the focus where it was.
"""

import json
from datetime import UTC, datetime
from typing import Literal

from dash import dcc, html

from dashboard.access import Access, Permission
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Piece, attributes, link
from dashboard.pages.components.menus import dialog, menu_button
from dashboard.pages.components.text import ago
from dashboard.selectors.triage import STATES, Triage

# The key of each state; with Shift it is that of all at one revision.
KEYS = {
    "new": "r",
    "acknowledged": "a",
    "infrastructure": "i",
    "expected": "e",
    "noise": "n",
    "fixed": "f",
}
# Letters of a note that are shown in a list.
_NOTE = 160


def triage_tools() -> html.Div:
    """What a page of changes holds once: what was done, with its way back, the dialog of one change and the lines of menus."""
    stores = (ids.TRIAGE_ASKED, ids.TRIAGE_ACTION, ids.TRIAGE_VERSION, ids.TRIAGE_OPENED)
    undo = html.Button("Undo", id=ids.TRIAGE_UNDO, type="button", className="quiet-button", hidden=True)
    said = html.Div([html.Span(id=ids.TRIAGE_SAID, role="status"), undo], className="triage-said")
    form = dialog(ids.TRIAGE_DIALOG, "What became of the change", html.Div(id=ids.TRIAGE_CONTENT))
    return html.Div([*(dcc.Store(id=one) for one in stores), said, form, _menu_lines()])


def triage_control(
    access: Access,
    triage: Triage,
    key: str,
    *,
    of: Literal["finding", "change"],
    name: str,
    beside: int = 1,
    revision: str = "",
) -> Piece:
    """The state of the change with that key, as a menu for who may set it; `name` tells it to those who hear the page.

    `beside` findings are listed at its `revision`: all of them may be set at once.
    """
    look = _look(triage)
    if not access.allows(Permission.EDIT):
        return triage_chip(triage)
    more = {"data_triage_beside": f"All {plural(beside, 'finding')} at {revision}, or Shift:"}
    summary = html.Summary(
        triage.state, className=look, **attributes(data_row="true", aria_label=f"{triage.state}: {name}")
    )
    return html.Details(
        [summary, html.Div(className="menu-panel")],
        className="menu triage",
        **attributes(
            data_menu="true",
            data_triage_key=key,
            data_triage_of=of,
            data_triage_state=triage.state,
            **(more if beside > 1 else {}),
        ),
    )


def _menu_lines() -> html.Div:
    """The lines of every menu of a state, on the page once: `triage.js` puts them into the one that is opened.

    Dash tells each component on a page of each that is drawn: with lines of its own in every menu, a list of a hundred
    changes takes minutes on a busy machine.
    """
    lines: list[Piece] = [
        menu_button([html.Span(state), html.Kbd(KEYS[state])], data_triage=json.dumps({"state": state}))
        for state in STATES
    ]
    lines.append(menu_button(["Owner, note, link …", html.Kbd("o")], data_triage=json.dumps({"open": True})))
    beside = [
        menu_button(state, data_triage=json.dumps({"state": state, "beside": True})) for state in STATES
    ]
    lines += [html.P(className="menu-label"), html.Div(beside, className="triage-all")]
    return html.Div(lines, id=ids.TRIAGE_MENU, hidden=True)


def triage_chip(triage: Triage) -> html.Span:
    """The state of a change where it is not set."""
    return html.Span(triage.state, className=_look(triage))


def _look(triage: Triage) -> str:
    return f"triage-state triage-{triage.state}"


def triage_words(triage: Triage) -> Piece:
    """`bob, 2 days ago: as agreed; owner vera; link`: what was said of a change; nothing where nobody said anything."""
    if triage.said_at is None:
        return None
    said: list[Piece] = []
    if triage.placed:
        ends = " → ".join(revision_text(name) for name in triage.placed)
        said += [html.Strong(f"Set by hand by {triage.placed_by}: {ends}"), html.Br()]
    said += [f"{triage.said_by}, {ago(triage.said_at, datetime.now(UTC))}"]
    if triage.states and len(triage.states) > 1:
        said.append(f" ({', '.join(f'{many} {state}' for state, many in triage.states.items())})")
    if triage.owner:
        said.append(f"; owner {triage.owner}")
    if triage.note:
        short = triage.note if len(triage.note) <= _NOTE else f"{triage.note[:_NOTE]} …"
        said.append(f": {short}")
    if triage.link:
        said += [" ", link("link", triage.link, rel="noreferrer noopener", target="_blank")]
    return html.Div(said, className="triage-words")
