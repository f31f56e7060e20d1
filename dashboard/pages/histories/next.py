"""What to measure next: the revisions that tell most, ticked and sent to the worker."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, callback, dcc, html, no_update

from dashboard.access import Access
from dashboard.figures.histories_words import is_commit, revision_title, shortened
from dashboard.figures.numbers import percent
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.components import Content, Piece, attributes, card, command, help_tip, link
from dashboard.pages.components.text import about, plural
from dashboard.pages.histories import ids as own
from dashboard.pages.jobs import send
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.histories.next_revisions import REPETITIONS, RevisionProposal, propose
from dashboard.selectors.histories.rows import NextRevision
from dashboard.selectors.histories.series import find_series, get_series
from dashboard.selectors.measuring.status import configurations_of_series, measuring_refusal
from dashboard.services.measuring import MeasuringRequest, start_measuring

_COUNTS = ("3", "5", "10", "20", "50")
_USUAL = "5"
# So many are ticked at first.
_TICKED = 3


def panel() -> html.Section:
    """The form; callbacks fill the list in."""
    head = html.Div(
        [
            "The next",
            dmc.Select(
                id=own.COUNT,
                data=list(_COUNTS),
                value=_USUAL,
                allowDeselect=False,
                size="xs",
                w=64,
                **attributes(aria_label="How many revisions to propose"),
            ),
            html.Button("Tick all", id=own.ALL, type="button", className="quiet-button"),
        ],
        className="next-head",
    )
    offer = [
        head,
        dmc.CheckboxGroup(id=own.CHOICE, value=[], children=[]),
        _sending(),
    ]
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


def _sending() -> html.Div:
    """Revisions of one's own, and the button."""
    sending = [
        dmc.TextInput(
            id=own.OTHERS,
            label="and others",
            description="names, v1.0..v2.0, every=10, separated by commas",
            mt="md",
        ),
        dmc.Button("Measure", id=own.START, disabled=True, mt="sm", fullWidth=True),
    ]
    return html.Div(sending, id=own.SENDING, hidden=True)


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
    series = find_series(system=access.system, series_id=lens.settings.get("series", ""), term=lens.term)
    found = propose(system=access.system, series_id=series.series_id, count=int(count))
    names = {str(row.revision_id): row.revision for row in found.rows}
    refusal = measuring_refusal(access=access)
    ticked: Any = list(names)[:_TICKED] if not refusal and not found.stop else []
    if before is not None and before["series"] == series.series_id:
        # A person may be ticking, or sending them, right now.
        ticked = no_update
    seconds = found.rows[0].seconds if found.rows else None
    offered = {
        "series": series.series_id,
        "revisions": names,
        "seconds": seconds,
        "allowed": not refusal,
    }
    return (
        _above(found, refusal, access.slug),
        not names,
        bool(refusal),
        bool(refusal),
        [_suggestion(row, disabled=bool(refusal)) for row in found.rows],
        ticked,
        offered,
        _export(found.rows) if names else None,
    )


def _above(found: RevisionProposal, refusal: str, slug: str) -> Content:
    """What is to be known before ticking: that it is enough, what cannot be measured, and why nothing can."""
    said: list[Piece] = []
    if not found.rows:
        words = "Every revision of this order was measured, or cannot be."
        said.append(
            html.P(
                words if found.unbuildable else "Every revision of this order was measured.",
                className="quiet",
            )
        )
    elif found.stop:
        said.append(html.P(f"It may be enough: {found.stop}.", className="quiet"))
    if found.unbuildable:
        failures = link("why", address(slug, MEASURE))
        said.append(
            html.P([plural(found.unbuildable, "revision"), " never ran: ", failures, "."], className="quiet")
        )
    if found.rows and refusal:
        said.append(html.P(refusal, className="quiet"))
    return said


def _suggestion(row: NextRevision, *, disabled: bool) -> dmc.Checkbox:
    notes = [shortened(row.reason)]
    if row.gain > 0:
        notes.append(f"gain about {percent(100 * row.gain, 2)}")
    if row.seconds is not None:
        notes.append(about(row.seconds))
    label = revision_title(row.revision, row.message)
    return dmc.Checkbox(
        value=str(row.revision_id),
        label=label,
        description="; ".join(notes),
        disabled=disabled,
        mt="sm",
    )


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


@system_callback(
    Output(own.STARTED, "children"),
    Output(own.CHOICE, "value", allow_duplicate=True),
    Output(own.OTHERS, "value"),
    Output(ids.JOBS_WAKE, "data", allow_duplicate=True),
    Input(own.START, "n_clicks"),
    State(own.CHOICE, "value"),
    State(own.OFFERED, "data"),
    State(own.OTHERS, "value"),
    prevent_initial_call=True,
)
def start(
    access: Access,
    clicks: int | None,
    ticked: list[str],
    offered: Mapping[str, Any],
    others: str | None,
) -> tuple[Any, Any, Any, Any]:
    """Send the ticked and written revisions to the worker, in the configurations that the history needs."""
    chosen, written = _still(ticked, offered), _written(others)
    if not clicks or not (chosen or written):
        return (no_update,) * 4
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
    shown, wake, job_id = send(
        lambda: start_measuring(access=access, request=request),
        "Sent to the worker; results arrive here.",
    )
    if job_id is None:
        return shown, no_update, no_update, wake
    return shown, [], "", wake


def _export(rows: Sequence[NextRevision]) -> html.Details:
    """The list as texts to copy; a git command only where all revisions are commits."""
    names = [row.revision for row in rows]
    shown: list[Piece] = [_part("Names", "\n".join(names))]
    if all(is_commit(name) for name in names):
        shown.append(
            _part(
                "A git command that shows them",
                shlex.join(["git", "log", "--no-walk=unsorted", "--oneline", *names]),
            )
        )
    found = [
        {"revision": row.revision, "reason": row.reason, "gain": row.gain, "seconds": row.seconds}
        for row in rows
    ]
    shown.append(_part("JSON", json.dumps(found, indent=1, ensure_ascii=False)))
    return html.Details([html.Summary("Take this list away"), *shown], className="export")


def _part(title: str, text: str) -> html.Div:
    return html.Div([html.H3(title, className="small-title"), command(text)])
