"""The empty page of an analysis: what an analysis is, and one button that starts it."""

from typing import Any

from dash import Input, Output, html, no_update

from dashboard.access import Access
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components import command, empty_state, link
from dashboard.pages.jobs import send
from dashboard.pages.system_callback import system_callback
from dashboard.pages.whitebox import ids as own
from dashboard.selectors.measuring.rows import MeasuringStatus
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing

_USUAL = AnalyzingRequest(minutes=30)
_TITLE = "Which option reaches which region?"
_WHAT = (
    "An analysis runs the program a few times and follows the value of each option to the decisions that it has a "
    "say in. It tells where in the code an option matters, how its value gets there, and where it never gets; and it "
    "finds the few configurations that are worth measuring."
)


def nothing(system: MeasuringStatus) -> html.Div:
    """What an analysis is, and how one is started."""
    if system.subject is None:
        register = command(f".venv/bin/python manage.py register FOLDER --system {system.slug}")
        return empty_state(
            _TITLE, f"{_WHAT} It needs the program itself: register it at the terminal.", register
        )
    if not system.subject.can_profile:
        why = f"{system.name} is measured as a command: only a program that is called as a function can be followed."
        return empty_state(_TITLE, f"{_WHAT} {why}")
    button = html.Button(
        f"Analyze {system.name}",
        id=own.START,
        type="button",
        className="button",
        disabled=not system.may_edit,
        title=system.reason,
    )
    workload = "small" if "small" in system.subject.workloads else "regular"
    limits = (
        f"The newest revision on workload {workload}, at most {_USUAL.budget} traced runs and "
        f"{_USUAL.minutes:g} minutes. "
    )
    more = html.P([limits, link("Choose otherwise", address(system.slug, MEASURE))], className="quiet")
    return empty_state(_TITLE, _WHAT, html.Div([button, more], className="state-start"))


@system_callback(
    Output(own.STARTED, "children"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Output(own.BODY, "children", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    prevent_initial_call=True,
)
def start(access: Access, clicks: int | None) -> tuple[Any, Any, Any]:
    """Send an analysis to the worker; its card then stands on this page."""
    if not clicks:
        return no_update, no_update, no_update
    shown, wake, job_id = send(lambda: start_analyzing(access=access, request=_USUAL), "")
    if job_id is None:
        return shown, no_update, no_update
    return None, wake, None
