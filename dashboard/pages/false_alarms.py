"""How often changes of a system's histories may be told where there are none, on its overview: said and set."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Output, State, html, no_update
from dash.dependencies import Input

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.histories_words import alarm_rate_text
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, card, help_tip
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.series import searched_together
from dashboard.services.false_alarm_rate import LEAST_PERCENT, MOST_PERCENT, set_false_alarm_rate

_SAID = "alarms-said"
_RATE = "alarms-rate"
_SAVE = "alarms-save"
_SAVED = "alarms-saved"
_HELP = (
    "Noise alone may look like a change. The rate is how often that may be told as a fact, in a series without any change; "
    "less of it also finds fewer small changes. What is less sure is told as a candidate."
)


def alarms_card(access: Access) -> html.Section:
    """The card: the rate in words, and setting it."""
    return card(
        "False alarms",
        html.P(_said(access), id=_SAID),
        _form(access) if access.allows(Permission.EDIT) else None,
        more=help_tip(_HELP, "explanation/change-points#the-false-alarm-rate"),
    )


def _said(access: Access) -> str:
    return alarm_rate_text(access.system.false_alarm_rate, searched_together(access.system))


def _form(access: Access) -> html.Details:
    """Closed until somebody opens it."""
    rate = dmc.NumberInput(
        id=_RATE,
        value=100 * access.system.false_alarm_rate,
        label="Per series and year of history",
        description=f"{LEAST_PERCENT:g} to {MOST_PERCENT:g} %",
        suffix=" %",
        decimalScale=4,
        step=0.5,
    )
    content: list[Piece] = [rate, action("Save", id_=_SAVE), html.Div(id=_SAVED, role="status")]
    return html.Details(
        [html.Summary("Set the rate"), html.Div(content, className="metric-form")], className="more"
    )


@system_callback(
    Output(_SAID, "children"),
    Output(_RATE, "error"),
    Output(_SAVED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(_SAVE, "n_clicks"),
    State(_RATE, "value"),
    prevent_initial_call=True,
)
def save(access: Access, _clicks: int, percent: float | str | None) -> tuple[Any, str, Content, Any]:
    """Keep the rate; what is wrong with it stands at the field."""
    if not isinstance(percent, int | float):
        return no_update, "Write a number, such as 1.", None, no_update
    try:
        job = set_false_alarm_rate(access=access, percent=percent)
    except (Refused, AccessError) as error:
        return no_update, str(error), None, no_update
    told = "Saved." if job is None else "Saved. A job fits the histories anew."
    return _said(access), "", html.P(told, className="quiet"), secrets.token_hex(4)
