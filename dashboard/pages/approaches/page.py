"""Approaches: samplings and learners side by side, cost against error, beside the model composed of regions."""

from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import Input, Output, State, callback, dcc, html, no_update

from dashboard.access import Access, Permission
from dashboard.figures.approaches import HEIGHT, cost_figure
from dashboard.figures.approaches_words import CONFIGURATIONS, TIME, axes_text, cost_for, finding, notes
from dashboard.figures.numbers import count
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.approaches import form as approaches_form
from dashboard.pages.approaches import hybrid as approaches_hybrid
from dashboard.pages.approaches import ids as own
from dashboard.pages.approaches.table import approaches_table
from dashboard.pages.components import (
    Content,
    Piece,
    action,
    attributes,
    card,
    command,
    empty_state,
    figure_card,
    help_tip,
    page,
    skeleton,
)
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as measure_ids
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.evaluation_rows import EvaluationView
from dashboard.selectors.evaluations import (
    active_evaluations,
    chosen_evaluation,
    evaluation_titles,
    newest_evaluation,
)
from dashboard.selectors.measured_systems import evaluation_contexts

_EVERY_MS = 1500


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page of a system's comparisons, and what starts one."""
    found = evaluation_titles(access.system)
    contexts = evaluation_contexts(access.system)
    above = [
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        html.Div(_empty(access.slug, is_measured=bool(contexts)), id=own.EMPTY, hidden=bool(found)),
        html.Div(
            [html.Div([_picker(found, lens), _costs(lens)], className="approaches-choices"), _figure()],
            id=own.FOUND,
            hidden=not found,
            className="approaches-found",
        ),
    ]
    allowed = access.allows(Permission.EDIT)
    side = [
        approaches_form.panel(contexts, allowed=allowed),
        approaches_hybrid.panel(access, allowed=allowed),
    ]
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.VERSION, data=newest_evaluation(access.system)),
        # The buttons that cancel a job move it.
        dcc.Store(id=measure_ids.CHANGED),
        dcc.Interval(id=own.TICK, interval=_EVERY_MS, disabled=True),
        html.Div(
            [
                html.Div(above, className="approaches-main"),
                html.Aside(side, className="approaches-side stack"),
            ],
            className="approaches",
        ),
        html.Div(id=own.TABLE, className="approaches-table"),
        html.Div(id=own.NOTES),
    )


def _picker(found: dict[int, str], lens: Lens) -> dmc.Select:
    choices = _choices(found)
    wanted = lens.settings.get("comparison", "")
    known = [choice["value"] for choice in choices]
    return dmc.Select(
        id=own.CHOICE,
        data=choices,
        value=wanted if wanted in known else next(iter(known), None),
        allowDeselect=False,
        label="Comparison",
        comboboxProps={"shadow": "md"},
        w=480,
        maw="100%",
    )


def _choices(found: dict[int, str]) -> list[dict[str, str]]:
    return [{"value": str(evaluation_id), "label": title} for evaluation_id, title in found.items()]


def _costs(lens: Lens) -> html.Div:
    choice = dmc.SegmentedControl(
        id=own.COST,
        data=[{"value": TIME, "label": "time"}, {"value": CONFIGURATIONS, "label": "configurations"}],
        value=lens.settings.get("cost", TIME),
    )
    return html.Div(choice, role="group", **attributes(aria_label="Cost"))


def _figure() -> html.Section:
    return figure_card(
        own.FIGURE,
        height=HEIGHT,
        help_=help_tip(
            "An approach is a sampling, which says what to measure, with a learner, which makes a model of it. The lower and "
            "the further left, the better.",
            "reference/approaches",
        ),
    )


def _empty(slug: str, *, is_measured: bool) -> Piece:
    if not is_measured:
        return empty_state(
            "Nothing to compare approaches on",
            "Approaches learn from end-to-end measurements of many configurations: measure or import some.",
            act=action("Measure", href=address(slug, MEASURE)),
        )
    return empty_state(
        "No comparison yet",
        "Which sampling, with which learner, tells this system's performance best for its cost? Start a comparison: it "
        "runs as a job on what is measured already. Or type the command:",
        command(f".venv/bin/python manage.py approaches {slug}"),
    )


@system_callback(
    Output(own.ACTIVE, "children"),
    Output(own.TICK, "disabled"),
    Output(own.VERSION, "data"),
    Input(own.TICK, "n_intervals"),
    Input(own.STARTED, "children"),
    Input(measure_ids.CHANGED, "data"),
    State(own.VERSION, "data"),
)
def watch(
    access: Access, _ticks: int | None, _started: Content, _changed: str | None, known: str | None
) -> tuple[Content, bool, Any]:
    """What runs; whether a new comparison has been stored. With nothing running the polling rests."""
    jobs = active_evaluations(access)
    allowed = access.allows(Permission.EDIT)
    newest = newest_evaluation(access.system)
    cards = active_cards(jobs, may_edit=allowed, reason="" if allowed else "Cancelling needs the role editor")
    resting = not any(job.row.active for job in jobs)
    return cards, resting, no_update if newest == known else newest


@system_callback(
    Output(own.FOUND, "hidden"),
    Output(own.EMPTY, "hidden"),
    Output(own.CHOICE, "data"),
    Output(own.CHOICE, "value"),
    Input(own.VERSION, "data"),
    prevent_initial_call=True,
)
def renew(access: Access, _version: str | None) -> tuple[bool, bool, Any, Any]:
    """Show the comparison that has just been stored."""
    found = evaluation_titles(access.system)
    return not found, bool(found), _choices(found), str(next(iter(found))) if found else no_update


@callback(
    Output(ids.LENS, "data", allow_duplicate=True),
    Input(own.CHOICE, "value"),
    Input(own.COST, "value"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def keep(choice: str | None, cost: str, data: dict[str, str] | None) -> Any:
    """Keep the chosen comparison and cost in the address."""
    lens = Lens.read(data)
    kept = lens.setting(comparison=choice or "", cost="" if cost == TIME else cost)
    return no_update if kept == lens else kept.data()


@system_callback(
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    Output(own.FIGURE.finding, "children"),
    Output(own.FIGURE.axes, "children"),
    Output(own.FIGURE.graph, "figure"),
    Output(own.TABLE, "children"),
    Output(own.NOTES, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
)
def show(
    access: Access, lens: Lens, scheme: str | None, _version: str | None
) -> tuple[Content, Content, Content, Content, go.Figure, Content, Content]:
    """The chosen comparison, by default the newest."""
    view = chosen_evaluation(access.system, lens.settings.get("comparison", ""))
    if view is None:
        return "No approaches were compared yet", None, None, None, no_update, None, None
    cost = cost_for(view, lens.settings.get("cost"))
    items = [html.Li(note) for note in notes(view)]
    return (
        finding(view),
        _subtitle(view),
        f"Cost against error of {len([row for row in view.evaluation.rows if row.errors])} approaches",
        axes_text(view, cost),
        cost_figure(view, cost, scheme=scheme),
        card("All approaches", approaches_table(view)),
        card("Not compared, or not fully", html.Ul(items)) if items else None,
    )


def _subtitle(view: EvaluationView) -> str:
    found = view.evaluation
    held = len(found.fixed)
    fixed = f" ({held} option{'' if held == 1 else 's'} held fixed)" if held else ""
    stale = "" if view.is_current else "; the system has changed since: compare again"
    return f"{view.title}, {view.environment}; {count(found.measured)} of {count(found.valid)} configurations measured{fixed}{stale}"
