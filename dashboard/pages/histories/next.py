"""What to measure next: the revisions that tell most, ticked and sent to the worker."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, dcc, html, no_update
from dash.exceptions import PreventUpdate

from dashboard.access import Access
from dashboard.figures.histories_words import git_command, is_commit, revision_title
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components.blocks import Content, attributes, card, command, help_tip, link
from dashboard.pages.components.inputs import select
from dashboard.pages.components.text import about
from dashboard.pages.histories import ids as own
from dashboard.pages.histories.parts import chosen_series, reason_and_gain
from dashboard.pages.jobs import sends_job
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.next_revisions import REPETITIONS, RevisionProposal, propose
from dashboard.selectors.histories.series import get_series
from dashboard.selectors.measuring.status import configurations_of_series, measuring_refusal
from dashboard.services.measuring import MeasuringRequest, start_measuring

_COUNTS = ("3", "5", "10", "20", "50")
_USUAL = "5"
# So many are ticked at first.
_TICKED = 3


def panel() -> html.Section:
    """The form; callbacks fill the list in."""
    name = "How many revisions to propose"
    head = html.Div(
        [
            "The next",
            select(own.COUNT, _COUNTS, _USUAL, size="xs", w=64, **attributes(aria_label=name)),
            html.Button("Tick all", id=own.ALL, type="button", className="quiet-button"),
        ],
        className="next-head",
    )
    # Revisions of one's own, and the button.
    sending = [
        dmc.TextInput(
            id=own.OTHERS,
            label="and others",
            description="names, v1.0..v2.0, every=10, separated by commas",
            mt="md",
        ),
        dmc.Button("Measure", id=own.START, disabled=True, mt="sm", fullWidth=True),
    ]
    choice = dmc.CheckboxGroup(id=own.CHOICE, value=[], children=[])
    offer = [head, choice, html.Div(sending, id=own.SENDING, hidden=True)]
    return card(
        "Measure next",
        html.Div(id=own.NEXT),
        html.Div(offer, id=own.OFFER, hidden=True),
        html.Div(id=own.STARTED, role="status"),
        html.Div(id=own.EXPORT),
        dcc.Store(id=own.OFFERED),
        more=help_tip(
            "Revisions in the longest gaps, and in the middle of brackets that hide a large step. The gain is how far the "
            f"mean error of the whole history should fall. Each is run {REPETITIONS} times.",
            "explanation/histories",
        ),
    )


@system_callback(
    Output(own.NEXT, "children"),
    Output(own.OFFER, "hidden"),
    Output(own.SENDING, "hidden"),
    Output(own.ALL, "hidden"),
    Output(own.CHOICE, "children"),
    Output(own.CHOICE, "value"),
    Output(own.OFFERED, "data"),
    Output(own.EXPORT, "children"),
    Input(ids.LENS, "data"),
    Input(own.VERSION, "data"),
    Input(own.COUNT, "value"),
    State(own.OFFERED, "data"),
)
def show_next(
    access: Access, lens: Lens, _version: str | None, count: str, before: Mapping[str, Any] | None
) -> tuple[Content, bool, bool, bool, Content, Any, dict[str, Any], Content]:
    """The suggestions for the chosen history; what is ticked stays ticked while results arrive."""
    series = chosen_series(access, lens)
    found = propose(system=access.system, series_id=series.series_id, count=int(count))
    names = {str(row.place.revision_id): row.place.name for row in found.rows}
    refusal = measuring_refusal(access=access)
    ticked: Any = list(names)[:_TICKED] if not refusal and not found.stop else []
    if before is not None and before["series"] == series.series_id:
        # A person may be ticking, or sending them, right now.
        ticked = no_update
    offered = {
        "series": series.series_id,
        "revisions": names,
        "seconds": found.seconds,
        "allowed": not refusal,
    }
    duration = [] if found.seconds is None else [about(found.seconds)]
    return (
        _above(found, refusal, access.slug),
        not names,
        bool(refusal),
        bool(refusal),
        [
            dmc.Checkbox(
                value=str(row.place.revision_id),
                label=revision_title(row.place.name, row.place.message),
                description="; ".join([*reason_and_gain(row.reason, row.gain), *duration]),
                disabled=bool(refusal),
                mt="sm",
            )
            for row in found.rows
        ],
        ticked,
        offered,
        _export(found) if names else None,
    )


def _above(found: RevisionProposal, refusal: str, slug: str) -> Content:
    """What is to be known before ticking: that it is enough, what cannot be measured, and why nothing can."""
    notes: list[Content] = []
    if not found.rows:
        exception = ", or cannot be" if found.unbuildable else ""
        notes.append(f"Every revision of this order was measured{exception}.")
    elif found.stop:
        notes.append(f"It may be enough: {found.stop}.")
    if found.unbuildable:
        failures = link("why", address(slug, MEASURE))
        notes.append([plural(found.unbuildable, "revision"), " never ran: ", failures, "."])
    if found.rows and refusal:
        notes.append(refusal)
    return [html.P(note, className="quiet") for note in notes]


@callback(
    Output(own.CHOICE, "value", allow_duplicate=True),
    Input(own.ALL, "n_clicks"),
    State(own.CHOICE, "value"),
    State(own.OFFERED, "data"),
    prevent_initial_call=True,
)
def tick_all(_clicks: int | None, ticked: list[str], offered: Mapping[str, Any]) -> list[str]:
    """All of them, or none where all are ticked."""
    every = list(offered["revisions"])
    return [] if set(every) <= set(ticked) else every


@callback(
    Output(own.ALL, "children"),
    Output(own.START, "children"),
    Output(own.START, "disabled"),
    Input(own.CHOICE, "value"),
    Input(own.OTHERS, "value"),
    Input(own.OFFERED, "data"),
)
def tell_total(
    ticked: list[str], others: str | None, offered: Mapping[str, Any] | None
) -> tuple[str, str, bool]:
    """What the two buttons would do now."""
    if offered is None:
        return "Tick all", "Measure", True
    ticked, written = _still(ticked, offered), _written(others)
    words = f"Measure {plural(len(ticked), 'revision')}" if ticked else "Measure"
    if written:
        words += " and others" if ticked else " what is written"
    elif ticked and offered["seconds"] is not None:
        words += f", {about(len(ticked) * offered['seconds'])}"
    every = "Tick none" if set(offered["revisions"]) <= set(ticked) else "Tick all"
    return every, words, not offered["allowed"] or not (ticked or written)


def _still(ticked: Sequence[str], offered: Mapping[str, Any]) -> list[str]:
    """What is ticked and not measured meanwhile."""
    return [one for one in ticked if one in offered["revisions"]]


def _written(others: str | None) -> Sequence[str]:
    return [word.strip() for word in (others or "").split(",") if word.strip()]


@sends_job(
    own.START,
    Output(own.STARTED, "children"),
    Output(own.CHOICE, "value", allow_duplicate=True),
    Output(own.OTHERS, "value"),
    ticked=State(own.CHOICE, "value"),
    offered=State(own.OFFERED, "data"),
    others=State(own.OTHERS, "value"),
)
def start(
    access: Access, *, ticked: list[str], offered: Mapping[str, Any], others: str | None
) -> tuple[str, list[str], str]:
    """Send the ticked and written revisions to the worker, in the configurations that the history needs."""
    chosen, written = _still(ticked, offered), _written(others)
    if not (chosen or written):
        raise PreventUpdate
    series = get_series(system=access.system, series_id=offered["series"])
    # What is written has to be read; beside it the ticked ones go by name, else by id.
    named = [offered["revisions"][one] for one in chosen]
    request = MeasuringRequest(
        configurations=configurations_of_series(access=access, series=series),
        revisions=(*named, *written),
        revision_ids=() if written else tuple(map(int, chosen)),
        repetitions=REPETITIONS,
        workload=series.workload,
    )
    start_measuring(access=access, request=request)
    return "Sent to the worker; results arrive here.", [], ""


def _export(found: RevisionProposal) -> html.Details:
    """The list as texts to copy; a git command only where all revisions are commits."""
    names = [row.place.name for row in found.rows]
    texts = {"Names": "\n".join(names)}
    if all(is_commit(name) for name in names):
        texts["A git command that shows them"] = git_command(names)
    rows = [
        {"revision": row.place.name, "reason": row.reason, "gain": row.gain, "seconds": found.seconds}
        for row in found.rows
    ]
    texts["JSON"] = json.dumps(rows, indent=1, ensure_ascii=False)
    shown = [
        html.Div([html.H3(title, className="small-title"), command(text)]) for title, text in texts.items()
    ]
    return html.Details([html.Summary("Take this list away"), *shown], className="export")
