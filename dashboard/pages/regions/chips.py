"""Chips of options on lines that decide: pressed, they lead to the chain."""

import json
from collections.abc import Sequence

from dash import html

from dashboard.pages.components import Piece, attributes
from dashboard.selectors.tracings.rows import DecisionRow

_DATA = "{} is in the value that is tested here. Show how it gets here"
_UNDER = "{} decides whether this line is reached. Show how"


def decision_chips(decisions: Sequence[DecisionRow], *, option: str, line: int | None) -> html.Span | None:
    """The options of the decisions of one line, once each; `option` and `line` tell the one whose chain is shown."""
    inside = dict.fromkeys(name for one in decisions for name in one.options)
    under = dict.fromkeys(name for one in decisions for name in one.under if name not in inside)
    if not inside and not under:
        return None
    at = decisions[0].line
    chips: list[Piece] = [
        option_chip(name, line=at, under=False, pressed=name == option and line == at) for name in inside
    ]
    if under:
        chips.append(html.Span("under", className="source-under"))
    chips += [option_chip(name, line=at, under=True, pressed=name == option and line == at) for name in under]
    return html.Span(chips, className="source-chips")


def option_chip(name: str, *, line: int | None, under: bool, pressed: bool) -> html.Button:
    """One option: filled where it is in the value, outlined where it decides whether the line is reached."""
    said = (_UNDER if under else _DATA).format(name)
    change = {"option": name, "line": None if line is None else str(line)}
    return html.Button(
        name,
        type="button",
        className="chip chip-option chip-under" if under else "chip chip-option",
        title=said,
        **attributes(data_lens=json.dumps(change), aria_pressed=str(pressed).lower(), aria_label=said),
    )
