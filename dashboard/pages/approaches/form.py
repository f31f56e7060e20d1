"""What is evaluated next, and the button that starts it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Output, State, html

from analytics.evaluation import DISTANCE, DIVERSIFIED, SAMPLING_TITLES, ApproachSettings
from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.pages.approaches import ids as own
from dashboard.pages.components.blocks import card, help_tip
from dashboard.pages.components.inputs import select, send_button
from dashboard.pages.jobs import sends_job
from dashboard.selectors.end_to_end import MeasuredContext
from dashboard.services.evaluation import ApproachRequest, start_evaluation

# Of the buttons of this page.
LOOK: Any = {"variant": "light", "mt": "sm"}
_MOST_PLACES = 200
_USUAL_SEEDS = 10
_BY_DISTANCE = {
    DISTANCE: "by distance (of the sizes of random ones)",
    DIVERSIFIED: "by distance, diversified (likewise)",
}
_SIZE = re.compile(r"\s*([1-9]\d{0,5})\s*")
_ABOUT = (
    "A job that trains every learner on every sampling, out of what is measured already, and tests each on the same "
    "configurations. It measures nothing."
)


def panel(contexts: Sequence[MeasuredContext], refusal: str) -> html.Section:
    """The form; disabled with the reason where nothing was measured, or with the `refusal`."""
    choices = {
        json.dumps(
            one.ids
        ): f"{one.metric} at {one.revision}, {one.workload}, {one.environment}: {count(one.configurations)} configurations"
        for one in contexts[:_MOST_PLACES]
    }
    return card(
        "Evaluate approaches",
        context_select(own.PLACE, "Measured", choices),
        dmc.MultiSelect(
            id=own.SAMPLINGS,
            label="Samplings beside random ones",
            data=[
                {"value": name, "label": title} for name, title in (SAMPLING_TITLES | _BY_DISTANCE).items()
            ],
            value=list(ApproachSettings().samplings),
            comboboxProps={"shadow": "md"},
            mt="sm",
        ),
        dmc.TextInput(
            id=own.SIZES, label="Sizes of random samples", placeholder="50, 200, as far as they fit", mt="sm"
        ),
        dmc.NumberInput(id=own.SEEDS, label="Test sets", value=_USUAL_SEEDS, min=1, max=100, mt="sm"),
        *send_button(
            "Evaluate approaches",
            own.START,
            own.STARTED,
            refusal if contexts else "No two configurations were measured end to end at one revision yet.",
            **LOOK,
        ),
        more=help_tip(_ABOUT, "how-to/compare-approaches"),
    )


def context_select(id_: str, label: str, choices: Mapping[str, str], **look: Any) -> dmc.Select:
    """Where a job is to learn from; the first of the `choices` is chosen."""
    look |= {"label": label, "searchable": True, "comboboxProps": {"shadow": "md"}}
    return select(id_, list(choices.items()), next(iter(choices), None), **look)


@sends_job(
    own.START,
    Output(own.STARTED, "children"),
    Output(own.SIZES, "error"),
    place=State(own.PLACE, "value"),
    samplings=State(own.SAMPLINGS, "value"),
    sizes=State(own.SIZES, "value"),
    seeds=State(own.SEEDS, "value"),
)
def start(
    access: Access, *, place: str, samplings: Sequence[str], sizes: str | None, seeds: int | str | None
) -> tuple[Any, str]:
    """Queue an evaluation."""
    parts = [_SIZE.fullmatch(part) for part in (sizes or "").split(",") if part.strip()]
    if any(part is None for part in parts):
        return None, "Give whole numbers separated by commas"
    wanted = tuple(int(part[1]) for part in parts if part) or None
    settings = ApproachSettings(samplings=tuple(samplings), sizes=wanted, seeds=int(seeds or _USUAL_SEEDS))
    start_evaluation(access, ApproachRequest(settings=settings, place=tuple(json.loads(place))))
    return "Sent to the worker; the result arrives here.", ""
