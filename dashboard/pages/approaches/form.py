"""What is compared next, and the button that starts it."""

import json
import re
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, no_update

from analytics.evaluation.rows import ApproachSettings
from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.approaches import ids as own
from dashboard.pages.components import card, help_tip
from dashboard.pages.jobs import send
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.measured_systems import EvaluationContext
from dashboard.services.evaluation import ApproachRequest, start_evaluation

_MOST_PLACES = 200
_USUAL_SEEDS = 10
_SIZE = re.compile(r"\s*([1-9]\d{0,5})\s*")
_ABOUT = (
    "A job that trains every learner on every sampling, out of what is measured already, and tests each on the same "
    "configurations. It measures nothing."
)


def panel(contexts: Sequence[EvaluationContext], *, allowed: bool) -> html.Section:
    """The form; disabled with the reason where nothing was measured or the role is too small."""
    reason = "" if allowed else "This needs the role editor; yours is viewer."
    if not contexts:
        reason = "Nothing was measured end to end yet."
    choices = [{"value": json.dumps(one.ids), "label": _label(one)} for one in contexts[:_MOST_PLACES]]
    return card(
        "Compare approaches",
        dmc.Select(
            id=own.PLACE,
            data=choices,
            value=choices[0]["value"] if choices else None,
            label="Measured",
            allowDeselect=False,
            searchable=True,
            comboboxProps={"shadow": "md"},
        ),
        dmc.TextInput(
            id=own.SIZES, label="Sizes of random samples", placeholder="50, 200, as far as they fit", mt="sm"
        ),
        dmc.NumberInput(id=own.SEEDS, label="Test sets", value=_USUAL_SEEDS, min=1, max=100, mt="sm"),
        dmc.Button(
            "Compare approaches",
            id=own.START,
            disabled=bool(reason),
            variant="light",
            mt="sm",
            fullWidth=True,
        ),
        html.P(reason, className="quiet") if reason else None,
        html.Div(id=own.STARTED, role="status"),
        more=help_tip(_ABOUT, "how-to/compare-approaches"),
    )


def _label(where: EvaluationContext) -> str:
    context = f"{where.revision}, {where.workload}, {where.environment}"
    return f"{where.metric} at {context}: {count(where.configurations)} configurations"


@system_callback(
    Output(own.STARTED, "children"),
    Output(own.SIZES, "error"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    State(own.PLACE, "value"),
    State(own.SIZES, "value"),
    State(own.SEEDS, "value"),
    prevent_initial_call=True,
)
def start(
    access: Access, clicks: int | None, place: str, written: str | None, seeds: int | str | None
) -> tuple[Any, Any, Any]:
    """Queue an evaluation."""
    if not clicks:
        return no_update, no_update, no_update
    parts = [_SIZE.fullmatch(part) for part in (written or "").split(",") if part.strip()]
    if any(part is None for part in parts):
        return None, "Give whole numbers separated by commas", no_update
    sizes = tuple(int(part[1]) for part in parts if part) or None
    request = ApproachRequest(
        settings=ApproachSettings(sizes=sizes, seeds=int(seeds or _USUAL_SEEDS)),
        place=tuple(json.loads(place)),
    )
    shown, wake, _ = send(
        lambda: start_evaluation(access, request),
        "Sent to the worker; the result arrives here.",
    )
    return shown, "", wake
