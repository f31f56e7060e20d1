"""Menus and dialogs of the browser's own: they work by keyboard, and are told right to those who hear the page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from dashboard.figures.histories_words import shortened
from dashboard.pages.components.blocks import Content, Piece, attributes


def menu(
    label: Content,
    content: Content = None,
    *,
    name: str,
    id_: str = "",
    look: str = "bar-button",
    at_end: bool = False,
) -> html.Details:
    """A button with a panel behind it, filled by callbacks through the panel's `id_`.

    `name` tells the button to those who hear the page, `look` is its class; the panel ends where the button ends
    with `at_end`. It closes by Escape, by a click elsewhere, and by a click on what `menu_link` and `menu_button` made.
    """
    summary = html.Summary(label, className=look, title=name, **attributes(aria_label=name))
    where = "menu-panel menu-panel-end" if at_end else "menu-panel"
    panel = html.Div(content, id=id_, className=where) if id_ else html.Div(content, className=where)
    return html.Details([summary, panel], className="menu", **attributes(data_menu="true"))


def menu_link(text: str, href: str, *, here: bool = False) -> html.A:
    """A line of a menu that leads somewhere; `here` marks where one is."""
    more: Any = attributes(aria_current="true") if here else {}
    return html.A(text, href=href, className="menu-item", **more)


def menu_button(text: Content, **named: str) -> html.Button:
    """A line of a menu that does something, told by `data-` attributes: `data_opens=...`, `data_action=...`."""
    return html.Button(text, type="button", className="menu-item", **attributes(**named))


def picker(
    setting: str,
    now: str,
    choices: Sequence[str],
    texts: Mapping[str, str] | None = None,
    *,
    at_end: bool = False,
) -> html.Details:
    """A menu of the values of one setting of the lens, the one of `now` marked; `texts` are what is read instead.

    Hashes of commits are told by their beginning.
    """
    said = {one: texts[one] if texts else shortened(one) for one in choices}
    items = [
        menu_button(text, data_lens=json.dumps({setting: one or None}), aria_current=str(one == now).lower())
        for one, text in said.items()
    ]
    shown = said.get(now, shortened(now))
    label = [html.Span(shown, className="picker-name"), html.Span(className="icon icon-chevron")]
    return menu(label, items, name=f"Choose: {setting}, now {shown}", look="picker", at_end=at_end)


def dialog(id_: str, title: str, *content: Piece, look: str = "dialog") -> html.Dialog:
    """A dialog that a button with `data-opens` opens; Escape and a click beside it close it."""
    return html.Dialog(list(content), id=id_, className=look, **attributes(aria_label=title))
