"""Working through changes: what is pressed or typed is said of them, and taken back."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from dashboard.access import Access, AccessError, NotFound, Refused, role_refusal
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, attributes, link
from dashboard.pages.components.inputs import select
from dashboard.pages.history_list.list import query_of
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.histories.triaged import named_change
from dashboard.selectors.history_list.findings import named_changes
from dashboard.selectors.triage import STATES, ChangeKey, TriageStatement, owners_of, past_of
from dashboard.services.triage import LONGEST_NOTE, TriageWords, triage_changes, undo_triage

Asked = Mapping[str, Any]


def _named(access: Access, lens: Lens, asked: Asked) -> tuple[tuple[ChangeKey, int | None], ...]:
    """The changes that a page asks about. Raises `NotFound` where a new fit finds them no more."""
    key = str(asked.get("key", ""))
    if asked.get("of") == "finding":
        return named_changes(access.system, query_of(lens), key, beside=bool(asked.get("beside")))
    return (named_change(access.system, key),)


@system_callback(
    Output(ids.TRIAGE_SAID, "children"),
    Output(ids.TRIAGE_UNDO, "hidden"),
    Output(ids.TRIAGE_ACTION, "data"),
    Output(ids.TRIAGE_VERSION, "data"),
    Input(ids.TRIAGE_ASKED, "data"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def say(access: Access, asked: Asked | None, lens: Lens) -> tuple[Any, ...]:
    """Set the state that was pressed; where it cannot be set the reason is said, and nothing moves."""
    if not asked:
        return no_update, no_update, no_update, no_update
    try:
        changes = _named(access, lens, asked)
        words = TriageWords(state=str(asked.get("state", "")))
        done = triage_changes(access=access, changes=changes, words=words)
    except (Refused, AccessError) as error:
        return html.Span(str(error), className="field-error"), True, None, no_update
    said = f"{plural(len(changes), 'change')} set to {words.state}."
    return said, False, str(done), secrets.token_hex(4)


@system_callback(
    Output(ids.TRIAGE_SAID, "children", allow_duplicate=True),
    Output(ids.TRIAGE_UNDO, "hidden", allow_duplicate=True),
    Output(ids.TRIAGE_VERSION, "data", allow_duplicate=True),
    Input(ids.TRIAGE_UNDO, "n_clicks"),
    State(ids.TRIAGE_ACTION, "data"),
    prevent_initial_call=True,
)
def take_back(access: Access, _clicks: int, done: str | None) -> tuple[Any, ...]:
    """Take back what was said last."""
    try:
        changes = undo_triage(access=access, action=UUID(done or ""))
    except (Refused, AccessError, ValueError) as error:
        return html.Span(str(error), className="field-error"), True, no_update
    return f"Taken back: {plural(changes, 'change')}.", True, secrets.token_hex(4)


@system_callback(
    Output(ids.TRIAGE_CONTENT, "children"),
    Input(ids.TRIAGE_OPENED, "data"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def open_dialog(access: Access, asked: Asked | None, lens: Lens) -> Content:
    """The form of one change, or of all that a finding tells as one, and all that was said of the first."""
    if not asked:
        return None
    try:
        changes = _named(access, lens, asked)
    except NotFound as error:
        return html.P(str(error), className="field-error")
    past = next((past_of(access.system, pk) for _, pk in changes if pk is not None), ())
    what = f" in {plural(len(changes), 'history', 'histories')}" if len(changes) > 1 else ""
    return [
        html.H2(f"What became of {asked.get('name') or 'this change'}{what}", className="card-title"),
        _form(access, past[0] if past else None),
        _past(past) if past else None,
    ]


def _form(access: Access, now: TriageStatement | None) -> html.Div:
    """What holds now, to be changed."""
    owners = [(str(pk), name) for pk, name in owners_of(access)]
    owner = next((pk for pk, name in owners if now and name == now.owner), None)
    # A dialog of the browser's own lies above all else: menus open within.
    within = {"comboboxProps": {"withinPortal": False}}
    anybody = {"allowDeselect": True, "clearable": True, "placeholder": "nobody"}
    content: list[Piece] = [
        select(ids.TRIAGE_STATE, STATES, now.state if now else STATES[0], label="State", **within),
        select(ids.TRIAGE_OWNER, owners, owner, label="Owner", **anybody, **within),
        dmc.Textarea(
            id=ids.TRIAGE_NOTE,
            value=now.note if now else "",
            label="Note",
            autosize=True,
            minRows=3,
            inputProps={"maxLength": LONGEST_NOTE},
        ),
        dmc.TextInput(
            id=ids.TRIAGE_LINK, value=now.link if now else "", label="Link", placeholder="https://…"
        ),
        html.Div(id=ids.TRIAGE_FAULT, role="alert"),
        action("Save", id_=ids.TRIAGE_SAVE, refusal=role_refusal(access)),
    ]
    return html.Div(content, className="triage-form")


def _past(past: Sequence[TriageStatement]) -> html.Ol:
    """All that was said, the newest first."""
    rows = []
    for one in past:
        said: list[Piece] = [
            f"{one.said_at:%-d %b %Y, %H:%M} {one.author}: ",
            "taken back to " if one.is_undo else "",
            f"set by hand {one.placed}, " if one.placed else "",
            html.Span(one.state, className=f"triage-state triage-{one.state}"),
            f", owner {one.owner}" if one.owner else "",
            f": {one.note}" if one.note else "",
        ]
        if one.link:
            said += [" ", link("link", one.link, rel="noreferrer noopener", target="_blank")]
        rows.append(html.Li(said))
    return html.Ol(rows, className="triage-past", **attributes(aria_label="What was said before"))


@system_callback(
    Output(ids.TRIAGE_FAULT, "children"),
    Output(ids.TRIAGE_SAID, "children", allow_duplicate=True),
    Output(ids.TRIAGE_UNDO, "hidden", allow_duplicate=True),
    Output(ids.TRIAGE_ACTION, "data", allow_duplicate=True),
    Output(ids.TRIAGE_VERSION, "data", allow_duplicate=True),
    inputs={
        "_clicks": Input(ids.TRIAGE_SAVE, "n_clicks"),
        "asked": State(ids.TRIAGE_OPENED, "data"),
        "state": State(ids.TRIAGE_STATE, "value"),
        "owner": State(ids.TRIAGE_OWNER, "value"),
        "note": State(ids.TRIAGE_NOTE, "value"),
        "address": State(ids.TRIAGE_LINK, "value"),
        "lens": State(ids.LENS, "data"),
    },
    prevent_initial_call=True,
)
def save(
    access: Access,
    *,
    asked: Asked,
    state: str,
    owner: str | None,
    note: str | None,
    address: str | None,
    lens: Lens,
    _clicks: int = 1,
) -> tuple[Any, ...]:
    """Keep what was typed; what is wrong with it stands in the dialog."""
    try:
        changes = _named(access, lens, asked)
        words = TriageWords(state, int(owner or 0), note or "", address or "")
        done = triage_changes(access=access, changes=changes, words=words)
    except (Refused, AccessError) as error:
        return html.P(str(error), className="field-error"), no_update, no_update, no_update, no_update
    said = f"{plural(len(changes), 'change')} kept as {state}."
    return None, said, False, str(done), secrets.token_hex(4)


browser_callback("closeTriage", Input(ids.TRIAGE_VERSION, "data"))
