"""How often changes may be told where there are none, on a system's overview: said, set, and measured by identical runs."""

import secrets
from datetime import UTC, datetime
from typing import Any

import dash_mantine_components as dmc
from dash import Output, State, html, no_update
from dash.dependencies import Input

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.histories_words import alarm_rate_text, revision_text
from dashboard.figures.influences_words import differing_text
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content, Piece, action, card, command, help_tip
from dashboard.pages.components.text import about, ago, sentence
from dashboard.pages.jobs import REFUSED, sends_job
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.series import searched_together
from dashboard.selectors.history_list.stored import is_suite
from dashboard.selectors.measuring.false_alarms import measured_against_itself
from dashboard.selectors.measuring.status import measuring_refusal
from dashboard.services.false_alarm_rate import LEAST_PERCENT, MOST_PERCENT, set_false_alarm_rate
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RevisionsNotListed, preview_measuring

_SAID = "alarms-said"
_RATE = "alarms-rate"
_SAVE = "alarms-save"
_SAVED = "alarms-saved"
_IDENTICAL = "alarms-identical"
_MEASURE = "alarms-measure"
_MEASURED = "alarms-measured"
_AGAINST_ITSELF = MeasuringRequest(aa=True)
_HELP = (
    "Noise alone may look like a change. The rate is how often that may be told as a fact, in a series without any change; "
    "less of it also finds fewer small changes. What is less sure is told as a candidate."
)


def alarms_card(access: Access) -> html.Section:
    """The card: the rate in words and setting it; of what is measured here, how often identical runs differ, too."""
    return card(
        "False alarms",
        html.P(_said(access), id=_SAID),
        _form(access) if access.allows(Permission.EDIT) else None,
        *([] if is_suite(access.system) else _identical_runs(access)),
        more=help_tip(_HELP, "explanation/change-points#the-false-alarm-rate"),
        look="card card-spaced",
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


def _identical_runs(access: Access) -> list[Piece]:
    """What measuring a revision against itself showed, or how to do it; and the button that does it."""
    found = measured_against_itself(access.system)
    if found is None:
        told = [html.P("Nobody measured yet how often two identical sets of runs differ on this machine.")]
    else:
        told = [
            html.P(
                sentence(differing_text(found.differing, found.comparisons, found.runs_of_each)),
                id=_IDENTICAL,
            ),
            html.P(
                f"Measured {ago(found.at, datetime.now(UTC))} at {revision_text(found.revision)}, {found.environment}.",
                className="quiet",
            ),
        ]
        if found.is_elsewhere:
            told.append(
                html.P("The newest runs are of another environment: measure it again.", className="warn")
            )
        if found.is_former:
            told.append(
                html.P("A former version of the comparison said so: measure it again.", className="warn")
            )
    try:
        if refusal := measuring_refusal(access=access):
            raise Refused(refusal)
        runs = preview_measuring(access=access, request=_AGAINST_ITSELF)
        comes_to = f"{plural(runs.runs, 'run')}, {about(runs.seconds)}"
    except RevisionsNotListed:
        comes_to = "The source is asked for its revisions first."
    except REFUSED as error:
        return [*told, html.P(f"To measure a revision against itself: {error}", className="quiet")]
    button = action("Measure a revision against itself", id_=_MEASURE, look="quiet-button")
    words = html.Span(comes_to, className="quiet")
    by_hand = command(f".venv/bin/python manage.py measure {access.slug} --aa")
    return [
        *told,
        html.Div([button, words], className="change-again"),
        html.Div(id=_MEASURED, role="status"),
        *([] if found else [html.P("Or at the terminal:", className="quiet"), by_hand]),
    ]


@sends_job(_MEASURE, Output(_MEASURED, "children"))
def measure(access: Access) -> str:
    """Send the newest revision to the worker, to be measured against itself."""
    start_measuring(access=access, request=_AGAINST_ITSELF)
    return "Sent to the worker; what it shows stands here when it has ended."


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
