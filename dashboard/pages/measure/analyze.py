"""Starting an analysis from the page of measuring: like a measurement it runs the subject, here, one at a time."""

import secrets
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, address
from dashboard.pages.components import Piece, card, help_tip, link
from dashboard.pages.jobs import REFUSED
from dashboard.pages.measure import ids as own
from dashboard.selectors.measuring.rows import Measuring, SubjectRow
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


def panel(measuring: Measuring) -> html.Section | None:
    """The form; nothing for a subject that cannot be traced."""
    subject = measuring.subject
    if subject is None or not subject.can_profile or not subject.options:
        return None
    content: list[Piece] = [
        html.P("Which option reaches which function, and which configurations tell it."),
        _what(subject),
        _how_far(),
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


def _what(subject: SubjectRow) -> dmc.Group:
    small = _SMALL if _SMALL in subject.workloads else subject.workloads[0]
    names = list(reversed(subject.revisions))
    return dmc.Group(
        [
            dmc.Select(
                id=own.ANALYZE_WORKLOAD,
                label="On workload",
                data=list(subject.workloads),
                value=small,
                allowDeselect=False,
            ),
            dmc.Select(
                id=own.ANALYZE_REVISION,
                label="At revision",
                data=names,
                value=names[0] if names else None,
                placeholder="The newest",
                searchable=True,
                limit=200,
            ),
        ],
        grow=True,
        align="start",
        mt="sm",
    )


def _how_far() -> dmc.Group:
    return dmc.Group(
        [
            dmc.NumberInput(
                id=own.ANALYZE_BUDGET,
                label="Traced runs at most",
                value=100,
                min=1,
                allowDecimal=False,
            ),
            dmc.NumberInput(
                id=own.ANALYZE_MINUTES, label="Minutes at most", value=30, min=1, placeholder="No limit"
            ),
        ],
        grow=True,
        align="start",
        mt="xs",
    )


@callback(
    output=(
        Output(own.ANALYZED, "children"),
        Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
        _ERRORS,
    ),
    inputs={
        "clicks": Input(own.ANALYZE, "n_clicks"),
        "values": {name: State(*source) for name, source in _INPUTS.items()},
        "slug": State(ids.SLUG, "data"),
    },
    prevent_initial_call=True,
)
def start(clicks: int | None, values: dict[str, Any], slug: str) -> tuple[Any, Any, Any]:
    """Send the analysis to the worker, and lead to what it finds."""
    if not clicks:
        return no_update, no_update, _at(None)
    try:
        request = AnalyzingRequest(
            revision=values["revision"] or "latest",
            workload=values["workload"],
            budget=_runs(values["budget"]),
            minutes=_minutes(values["minutes"]),
            published=bool(values["published"]),
        )
        start_analyzing(principal=acting(), slug=slug, request=request)
    except RequestInvalid as error:
        told = None if _field(error) in _ERRORS else html.P(str(error), className="field-error")
        return told, no_update, _at(error)
    except REFUSED as error:
        return html.P(str(error), className="field-error"), no_update, _at(None)
    said: list[Piece] = ["Sent to the worker. ", link("See what it finds", address(slug, ANALYSIS))]
    return html.P(said, className="quiet"), secrets.token_hex(4), _at(None)


def _at(error: RequestInvalid | None) -> dict[str, str]:
    return {field: str(error) if error is not None and _field(error) == field else "" for field in _ERRORS}


def _field(error: RequestInvalid) -> str:
    """The form's field; selecting the revision is the part `revisions` of a measurement's request."""
    return "revision" if error.field == "revisions" else error.field


def _runs(value: float | str | None) -> int:
    """A whole number; an input that was emptied sends an empty text."""
    if value is None or isinstance(value, str) or value != int(value):
        raise RequestInvalid("budget", "say how many runs: a whole number from 1")
    return int(value)


def _minutes(value: float | str | None) -> float | None:
    """A number, or no limit where the input is empty."""
    if value in (None, ""):
        return None
    if isinstance(value, str):
        raise RequestInvalid(
            "minutes", f"{value!r} is no number of minutes: write one, or nothing for no limit"
        )
    return value
