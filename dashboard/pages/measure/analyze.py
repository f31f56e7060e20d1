"""Starting an analysis from the page of measuring: like a measurement it runs the subject, here, one at a time."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from dashboard.access import Access
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, address
from dashboard.pages.components import Piece, card, help_tip, link
from dashboard.pages.jobs import REFUSED
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.measuring.rows import MeasuringStatus, SubjectRow
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing

_HELP = (
    "An analysis follows the options' values to the decisions that they have a say in, and chooses by itself which "
    "configurations to run. A traced run takes many times as long as a measured one: a small workload is enough."
)
_SMALL = "small"
_ERRORS = {
    "workload": Output(own.ANALYZE_WORKLOAD, "error"),
    "revision": Output(own.ANALYZE_REVISION, "error"),
    "budget": Output(own.ANALYZE_BUDGET, "error"),
    "minutes": Output(own.ANALYZE_MINUTES, "error"),
}


_INPUTS = {
    "workload": (own.ANALYZE_WORKLOAD, "value"),
    "revision": (own.ANALYZE_REVISION, "value"),
    "budget": (own.ANALYZE_BUDGET, "value"),
    "minutes": (own.ANALYZE_MINUTES, "value"),
    "published": (own.ANALYZE_PUBLISHED, "checked"),
}


def panel(measuring: MeasuringStatus) -> html.Section | None:
    """The form; nothing for a subject that cannot be traced."""
    subject = measuring.subject
    if subject is None or not subject.can_profile or not subject.options:
        return None
    content: list[Piece] = [
        html.P("Which option reaches which function, and which configurations tell it."),
        *_inputs(subject),
        dmc.Switch(
            id=own.ANALYZE_PUBLISHED,
            label="As published",
            description="No cap on subspaces, no counts: functions that look at many options may need very many runs.",
            checked=False,
            mt="sm",
        ),
        dmc.Button(
            "Start the analysis", id=own.ANALYZE, disabled=not measuring.may_edit, fullWidth=True, mt="md"
        ),
        html.P(measuring.reason, className="quiet") if measuring.reason else None,
        html.Div(id=own.ANALYZED, role="status"),
    ]
    return card("Analyze the program", *content, more=help_tip(_HELP, "how-to/analyze-a-program"))


def _inputs(subject: SubjectRow) -> list[Piece]:
    """On what, and how far."""
    names = list(reversed(subject.revisions))
    workload = dmc.Select(
        id=own.ANALYZE_WORKLOAD,
        label="On workload",
        data=list(subject.workloads),
        value=_SMALL if _SMALL in subject.workloads else subject.workloads[0],
        allowDeselect=False,
    )
    revision = dmc.Select(
        id=own.ANALYZE_REVISION,
        label="At revision",
        data=names,
        value=names[0] if names else None,
        placeholder="The newest",
        searchable=True,
        limit=200,
    )
    budget = dmc.NumberInput(
        id=own.ANALYZE_BUDGET, label="Traced runs at most", value=100, min=1, allowDecimal=False
    )
    minutes = dmc.NumberInput(
        id=own.ANALYZE_MINUTES, label="Minutes at most", value=30, min=1, placeholder="No limit"
    )
    return [
        dmc.Group([workload, revision], grow=True, align="start", mt="sm"),
        dmc.Group([budget, minutes], grow=True, align="start", mt="xs"),
    ]


@system_callback(
    output=(
        Output(own.ANALYZED, "children"),
        Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
        _ERRORS,
    ),
    inputs={
        "clicks": Input(own.ANALYZE, "n_clicks"),
        "values": {name: State(*source) for name, source in _INPUTS.items()},
    },
    prevent_initial_call=True,
)
def start(access: Access, clicks: int | None, values: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Send the analysis to the worker, and lead to what it finds."""
    errors = dict.fromkeys(_ERRORS, "")
    if not clicks:
        return no_update, no_update, errors
    try:
        start_analyzing(access=access, request=_request(values))
    except RequestInvalid as error:
        # Selecting the revision is the part `revisions` of a measurement's request.
        field = "revision" if error.field == "revisions" else error.field
        problem = None if field in errors else html.P(str(error), className="field-error")
        return problem, no_update, {name: str(error) if name == field else "" for name in errors}
    except REFUSED as error:
        return html.P(str(error), className="field-error"), no_update, errors
    confirmation: list[Piece] = [
        "Sent to the worker. ",
        link("See what it finds", address(access.slug, ANALYSIS)),
    ]
    return html.P(confirmation, className="quiet"), secrets.token_hex(4), errors


def _request(values: dict[str, Any]) -> AnalyzingRequest:
    """What the form's inputs mean; one that was emptied sends an empty text. Raises `RequestInvalid`."""
    budget, minutes = values["budget"], values["minutes"]
    if budget is None or isinstance(budget, str) or budget != int(budget):
        raise RequestInvalid("budget", "say how many runs: a whole number from 1")
    if isinstance(minutes, str) and minutes:
        raise RequestInvalid(
            "minutes", f"{minutes!r} is no number of minutes: write one, or nothing for no limit"
        )
    return AnalyzingRequest(
        revision=values["revision"] or "latest",
        workload=values["workload"],
        budget=int(budget),
        minutes=None if minutes == "" else minutes,
        published=bool(values["published"]),
    )
