"""Starting an analysis from the page of measuring: like a measurement it runs the subject, here, one at a time."""

import secrets
from typing import Any, Literal

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from analytics.whitebox.evidence import OLDER_APPROACHES, OlderApproach
from dashboard.access import Access
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, address
from dashboard.pages.components.blocks import card, help_tip, link
from dashboard.pages.components.inputs import revision_select, select, send_button, whole_number
from dashboard.pages.jobs import REFUSED, unsaid_by_cancel
from dashboard.pages.measure import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.measuring.rows import SubjectRow
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.whitebox.analyzing import AnalyzingRequest, start_analyzing

_HELP = (
    "An analysis follows the options' values to the decisions that they have a say in, and chooses by itself which "
    "configurations to run. A traced run takes many times as long as a measured one: a small workload is enough."
)
_MODES = (
    (
        "counts_only",
        "Counts only",
        "Trace nothing: which options matter to which function, in less time, without the way they take.",
    ),
    (
        "published",
        "As published",
        "No cap on subspaces, no counts: functions that look at many options may need very many runs.",
    ),
    (
        "reads",
        "By options read (SPLat)",
        "An older approach, to compare with: run configurations that differ in what the program reads, and nothing else.",
    ),
    (
        "static",
        "By source alone (ConfigCrusher)",
        "An older approach, to compare with: read the program's source and run nothing. It takes seconds, and tells more than is true.",
    ),
)
_WHAT = "Which option reaches which function, and which configurations tell it."
_WHAT_COMMAND = (
    "Which option changes what in which function: the program is built once more, by gcc with counters in every function, "
    "and run with options moved one at a time until nothing new is told. Without noise, and nearly as quick as ever."
)
_SMALL = "small"
_ERRORS = own.ANALYZE_FORM.errors("workload", "revision", "budget", "minutes")


def panel(subject: SubjectRow, refusal: str) -> html.Section | None:
    """The form, disabled with the `refusal`; nothing for a subject of which nothing can be counted or traced.

    A command is counted alone: there is no other way.
    """
    if not subject.can_analyze or not subject.options:
        return None
    workload = _SMALL if _SMALL in subject.workloads else subject.workloads[0]
    subjects = [
        select(own.ANALYZE_FORM["workload"], subject.workloads, workload, label="On workload"),
        revision_select(
            own.ANALYZE_FORM["revision"],
            subject.revisions[::-1],
            next(reversed(subject.revisions), None),
            label="At revision",
            placeholder="The newest",
        ),
    ]
    shown: dict[str, Any] = {} if subject.can_profile else {"display": "none"}
    limits = [
        whole_number(own.ANALYZE_FORM["budget"], 100, label="Traced runs at most", **shown),
        dmc.NumberInput(
            id=own.ANALYZE_FORM["minutes"], label="Minutes at most", value=30, min=1, placeholder="No limit"
        ),
    ]
    return card(
        "Analyze the program",
        html.P(_WHAT if subject.can_profile else _WHAT_COMMAND),
        dmc.Group(subjects, grow=True, align="start", mt="sm"),
        dmc.Group(limits, grow=True, align="start", mt="xs"),
        *(
            dmc.Switch(
                id=own.ANALYZE_FORM[name], label=label, description=said, checked=False, mt="sm", **shown
            )
            for name, label, said in _MODES
        ),
        *send_button("Start the analysis", own.ANALYZE, own.ANALYZED, refusal, mt="md"),
        more=help_tip(_HELP, "how-to/analyze-a-program"),
    )


@system_callback(
    output=(
        Output(own.ANALYZED, "children"),
        Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
        _ERRORS,
    ),
    inputs={
        "_clicks": Input(own.ANALYZE, "n_clicks"),
        "values": own.ANALYZE_FORM.given(State),
    },
    prevent_initial_call=True,
)
def start(access: Access, _clicks: int, values: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Send the analysis to the worker, and lead to what it finds."""
    try:
        start_analyzing(access=access, request=_request(values))
    except REFUSED as error:
        # Selecting the revision is the part `revisions` of a measurement's request.
        named = error.field if isinstance(error, RequestInvalid) else ""
        field = "revision" if named == "revisions" else named
        problem = None if field in _ERRORS else html.P(str(error), className="field-error")
        return problem, no_update, {name: str(error) if name == field else "" for name in _ERRORS}
    watching = link("See what it finds", address(access.slug, ANALYSIS))
    sent = html.P(["Sent to the worker. ", watching], className="quiet")
    return sent, secrets.token_hex(4), dict.fromkeys(_ERRORS, "")


unsaid_by_cancel(Output(own.ANALYZED, "children"))


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
        counts_only=bool(values["counts_only"]),
        approach=_approach(values),
    )


def _approach(values: dict[str, Any]) -> OlderApproach | Literal[""]:
    """The older approach whose switch is on, "" for none. Raises `RequestInvalid` for several."""
    chosen = [name for name in OLDER_APPROACHES if values[name]]
    if len(chosen) > 1:
        raise RequestInvalid("approach", "one older approach at a time: leave the other off")
    return chosen[0] if chosen else ""
