"""What is chosen and typed: inputs as forms and filters show them, and the button that sends a form."""

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.pages.components.blocks import Piece, attributes

# More entries than these are found by typing.
LISTED = 200

_Choices = Sequence[str] | Sequence[tuple[str, str]]


def select(
    id_: str, data: _Choices | Sequence[Mapping[str, Any]], value: str | None, **look: Any
) -> dmc.Select:
    """One of `data`: texts, values with their labels, or groups of them.

    One is always chosen, unless `allowDeselect` is set.
    """
    listed = [{"value": one[0], "label": one[1]} if isinstance(one, tuple) else one for one in data]
    return dmc.Select(id=id_, data=listed, value=value, **{"allowDeselect": False, **look})


def revision_choices(names: Sequence[str]) -> list[dict[str, str]]:
    """Revisions as a select takes them, each called by its release where it is one."""
    return [{"value": name, "label": revision_text(name)} for name in names]


def revision_select(id_: str, names: Sequence[str], value: str | None, **look: Any) -> dmc.Select:
    """One of many revisions, or none: what is not listed is found by typing."""
    return dmc.Select(
        id=id_, data=revision_choices(names), value=value, searchable=True, limit=LISTED, **look
    )


def whole_number(id_: str, value: int, **look: Any) -> dmc.NumberInput:
    """A whole number from 1."""
    return dmc.NumberInput(id=id_, value=value, min=1, allowDecimal=False, **look)


def filter_text(id_: str, value: str, *, placeholder: str, name: str, width: int) -> dmc.TextInput:
    """Words that a list is filtered by; `name` stands for a label."""
    look = {"debounce": 250, "size": "xs", "w": width, **attributes(aria_label=name)}
    return dmc.TextInput(id=id_, value=value, placeholder=placeholder, **look)


def filter_select(
    id_: str, data: _Choices, value: str | None, *, placeholder: str, name: str, width: int, **look: Any
) -> dmc.Select:
    """What a list is filtered by, or nothing; `name` stands for a label."""
    usual = {"clearable": True, "searchable": True, "size": "xs", "w": width, **attributes(aria_label=name)}
    return select(id_, data, value, allowDeselect=True, placeholder=placeholder, **usual | look)


def send_button(text: str, id_: str, outcome: str, reason: str, **look: Any) -> list[Piece]:
    """The button that sends a form, disabled with the `reason` where there is one, and where its `outcome` is said."""
    return [
        dmc.Button(text, id=id_, disabled=bool(reason), fullWidth=True, **look),
        html.P(reason, className="quiet") if reason else None,
        html.Div(id=outcome, role="status", className="outcome"),
    ]
