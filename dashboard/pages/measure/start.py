"""The preview of a measurement while its form is filled in, and sending it to the worker."""

from typing import Any

from dash import Input, Output, State, callback, html

from dashboard.access import Access
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.components.blocks import Content
from dashboard.pages.components.inputs import send_button
from dashboard.pages.components.text import about, sentence
from dashboard.pages.jobs import REFUSED, sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.pages.measure.request import (
    ANALYSIS,
    AS_NEEDED,
    CHOSEN,
    EVERY,
    FIXED,
    OVER,
    RANGE,
    WRITTEN,
    in_words,
    request_of,
)
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.measuring.status import largest_options
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import RequestInvalid, RevisionsNotListed, preview_measuring

# Where the error of a part of a request is shown.
_ERRORS = own.FORM.errors(
    "configurations", "revisions", "repetitions", "most", "half_width", "workload", "environment"
)
# Inputs that the choices above them need, with the choice.
_UNFOLDED = {
    own.FORM["analysis"]: ANALYSIS,
    own.FORM["options"]: OVER,
    own.FORM["written"]: WRITTEN,
    own.FORM["every"]: EVERY,
    own.ENDS: RANGE,
    own.FORM["chosen"]: CHOSEN,
    own.AS_NEEDED: AS_NEEDED,
    own.FORM["repetitions"]: FIXED,
}


def outcome(refusal: str) -> html.Div:
    """What the form comes to, and the button that starts it."""
    preview_ = html.Div(id=own.PREVIEW, className="preview", role="status")
    return html.Div([preview_, *send_button("Start measuring", own.START, own.STARTED, refusal, mt="sm")])


@callback(
    *(Output(id_, "display") for id_ in _UNFOLDED),
    Input(own.FORM["configurations"], "value"),
    Input(own.FORM["revisions"], "value"),
    Input(own.FORM["repeating"], "value"),
)
def unfold(*choices: str) -> tuple[str, ...]:
    """Show the inputs that the choices above them need."""
    ways = {choice: "flex" if choice in {RANGE, AS_NEEDED} else "block" for choice in choices}
    return tuple(ways.get(choice, "none") for choice in _UNFOLDED.values())


@system_callback(
    output=(Output(own.PREVIEW, "children"), _ERRORS),
    inputs={"values": own.FORM.given(Input)},
)
def preview(access: Access, values: dict[str, Any]) -> tuple[Content, dict[str, str]]:
    """How many runs the form comes to and how long they should take, or what is wrong and where."""
    errors = dict.fromkeys(_ERRORS, "")
    try:
        found = preview_measuring(access=access, request=request_of(values))
    except RequestInvalid as error:
        return None, {field: str(error) if error.field == field else "" for field in errors}
    except RevisionsNotListed as error:
        return html.P(sentence(str(error)), className="quiet"), errors
    except REFUSED as error:
        return html.P(str(error), className="field-error"), errors
    builds = ""
    if found.new_revisions:
        builds = f"; before, {plural(found.new_revisions, 'revision')} to build"
    return [html.P(in_words(found)), html.P(about(found.seconds) + builds, className="quiet")], errors


@sends_job(
    own.START,
    Output(own.STARTED, "children"),
    Output(ids.LENS, "data", allow_duplicate=True),
    values=own.FORM.given(State),
    lens=State(ids.LENS, "data"),
)
def start(access: Access, *, values: dict[str, Any], lens: Lens) -> tuple[str, dict[str, str]]:
    """Send the measurement to the worker and show its plan."""
    job_id = start_measuring(access=access, request=request_of(values))
    shown = lens.setting(job=str(job_id), configuration="").data()
    return "Sent to the worker. The plan fills as results arrive.", shown


@system_callback(
    Output(own.FORM["configurations"], "value"),
    Output(own.FORM["options"], "value"),
    Output(own.FORM["revisions"], "value"),
    Output(own.FORM["repeating"], "value"),
    Input(own.PRESET, "n_clicks"),
    prevent_initial_call=True,
)
def fill_in(access: Access, _clicks: int) -> tuple[Any, ...]:
    """Fill the form in with a small selection: the options that matter most, on the newest revision."""
    options = largest_options(access=access)
    return (OVER if options else "default"), list(options), "latest", AS_NEEDED
