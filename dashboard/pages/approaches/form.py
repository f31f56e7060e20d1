"""What is compared next, and the button that starts it."""

import json
import re
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, html, no_update

from dashboard.access import acting
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.approaches import ids as own
from dashboard.pages.components import card, help_tip
from dashboard.pages.jobs import send
from dashboard.selectors.measured_systems import MeasuredPlace
from dashboard.services.evaluation import ApproachRequest, start_evaluation

_MOST_PLACES = 200
_USUAL_SEEDS = 10
_SIZE = re.compile(r"\s*([1-9]\d{0,5})\s*")


def panel(known: Sequence[MeasuredPlace], *, allowed: bool) -> html.Section:
    """The form; disabled with the reason where nothing was measured or the role is too small."""
    reason = "" if allowed else "This needs the role editor; yours is viewer."
    if not known:
        reason = "Nothing was measured end to end yet."
    choices = [{"value": _value(place), "label": _label(place)} for place in known[:_MOST_PLACES]]
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
        more=help_tip(
            "A job that trains every learner on every sampling, out of what is measured already, and tests each on the same "
            "configurations. It measures nothing.",
            "how-to/compare-approaches",
        ),
    )


def _value(place: MeasuredPlace) -> str:
    return json.dumps(place.ids)


def _label(place: MeasuredPlace) -> str:
    where = f"{place.revision}, {place.workload}, {place.environment}"
    return f"{place.metric} at {where}: {count(place.configurations)} configurations"


@callback(
    Output(own.STARTED, "children"),
    Output(own.SIZES, "error"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    State(own.PLACE, "value"),
    State(own.SIZES, "value"),
    State(own.SEEDS, "value"),
    State(ids.SLUG, "data"),
    prevent_initial_call=True,
)
def start(
    clicks: int | None, place: str, sizes: str | None, seeds: int | str | None, slug: str
) -> tuple[Any, Any, Any]:
    """Queue a comparison."""
    if not clicks:
        return no_update, no_update, no_update
    parts = [_SIZE.fullmatch(part) for part in (sizes or "").split(",") if part.strip()]
    if any(part is None for part in parts):
        return None, "Give whole numbers separated by commas", no_update
    request = ApproachRequest.of(
        place=tuple(json.loads(place)),
        sizes=tuple(int(part[1]) for part in parts if part) or None,
        seeds=int(seeds or _USUAL_SEEDS),
    )
    sent = send(
        lambda: start_evaluation(principal=acting(), slug=slug, request=request),
        "Sent to the worker; the result arrives here.",
    )
    return sent.told, "", sent.wake
