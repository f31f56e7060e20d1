"""Approaches: samplings and learners side by side, cost against error, beside the model composed of regions."""

from typing import Any

import dash_mantine_components as dmc
import plotly.graph_objects as go
from dash import Input, Output, dcc, html, no_update

from analytics.evaluation import ApproachRow
from dashboard.access import Access, role_refusal
from dashboard.figures.approaches import HEIGHT, cost_figure
from dashboard.figures.approaches_words import (
    CONFIGURATIONS,
    TIME,
    axes_text,
    cost_for,
    finding,
    judged,
    kind_text,
    notes,
)
from dashboard.figures.numbers import count, fixed, long_time, number, plural
from dashboard.pages import ids
from dashboard.pages.addresses import MEASURE, address
from dashboard.pages.approaches import form as approaches_form
from dashboard.pages.approaches import hybrid as approaches_hybrid
from dashboard.pages.approaches import ids as own
from dashboard.pages.components.blocks import (
    Content,
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
from dashboard.pages.components.inputs import select
from dashboard.pages.components.saving import saved
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.jobs import watches_jobs
from dashboard.pages.lens import Lens
from dashboard.pages.measure.jobs import active_cards
from dashboard.pages.system_callback import lens_callback, system_callback
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
    """The page of a system's evaluations, and what starts one."""
    found = evaluation_titles(access.system)
    contexts = evaluation_contexts(access.system)
    nothing = empty_state(
        "No evaluation yet",
        "Which sampling, with which learner, tells this system's performance best for its cost? Start an evaluation: it "
        "runs as a job on what is measured already. Or type the command:",
        command(f".venv/bin/python manage.py approaches {access.slug}"),
    )
    if not contexts:
        nothing = empty_state(
            "Nothing to evaluate approaches on",
            "Approaches learn from end-to-end measurements of many configurations: measure or import some.",
            act=action("Measure", href=address(access.slug, MEASURE)),
        )
    above = [
        html.Div(id=own.ACTIVE, className="active-jobs", role="status"),
        html.Div(nothing, id=own.EMPTY, hidden=bool(found)),
        _shown(found, lens),
    ]
    refusal = role_refusal(access)
    side = [approaches_form.panel(contexts, refusal), approaches_hybrid.panel(access, refusal)]
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.VERSION, data=newest_evaluation(access.system)),
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


def _shown(found: dict[int, str], lens: Lens) -> html.Div:
    """Which evaluation is shown and by which cost, above the figure; hidden as long as there is none."""
    wanted = lens.settings.get("comparison", "")
    evaluation = select(
        own.CHOICE,
        [(str(evaluation_id), title) for evaluation_id, title in found.items()],
        wanted if wanted in map(str, found) else str(next(iter(found))) if found else None,
        label="Evaluation",
        comboboxProps={"shadow": "md"},
        w=480,
        maw="100%",
    )
    cost = dmc.SegmentedControl(
        id=own.COST,
        data=[{"value": TIME, "label": "time"}, {"value": CONFIGURATIONS, "label": "configurations"}],
        value=lens.settings.get("cost", TIME),
    )
    grouped = html.Div(cost, role="group", **attributes(aria_label="Cost"))
    figure = figure_card(
        own.FIGURE,
        height=HEIGHT,
        help_=help_tip(
            "An approach is a sampling, which says what to measure, with a learner, which makes a model of it. The lower and "
            "the further left, the better.",
            "reference/approaches",
        ),
    )
    above = html.Div([evaluation, grouped], className="approaches-choices")
    return html.Div([above, figure], id=own.FOUND, hidden=not found, className="approaches-found")


def _table(view: EvaluationView) -> html.Div:
    """Each approach that has an error, those that err least first."""
    threshold = view.evaluation.thresholds[0]
    columns = (
        Column("learner", "learner", width=205),
        Column("error", "error", "%", "number", digits=2, text="said", width=112),
        Column("sampling", "sampling", width=115),
        Column("range", "least to largest", "%", width=140),
        Column("rank_correlation", "rank correlation", kind="number", digits=2, width=130),
        Column("regret", "regret", "%", "number", digits=1, width=90),
        Column("configurations", "configurations", kind="number", digits=0, width=120),
        Column("once", "each once", kind="number", text="once_said", width=100),
        Column("terms", f"terms ≥ {number(threshold, unit=view.unit)}", kind="number", digits=0, width=130),
        Column("kind", "readable", width=170),
        Column("runs", "runs", kind="number", digits=0, width=80),
        Column("all", "all runs", kind="number", text="all_said", width=110),
        Column("training", "training", kind="number", text="training_said", width=110),
    )
    cells = [_cells(row) for row in judged(view)]
    return saved(data_table(columns, cells, id_=own.GRID, row_key="key", most_rows=20), name="approaches")


def _cells(row: ApproachRow) -> dict[str, Any]:
    """What the table says of an approach."""
    places = 1 if (row.error or 0.0) >= 1 else 2
    spread = "" if row.deviation is None else f", sd {fixed(row.deviation, places)}"
    return {
        "key": row.key,
        "learner": row.learner_title,
        "sampling": row.sampling_title,
        "error": row.error,
        "said": f"{fixed(row.error or 0.0, places)}{spread}{' (seen)' if row.seen else ''}",
        "range": f"{fixed(min(row.errors), places)} to {fixed(max(row.errors), places)}",
        "rank_correlation": row.rank_correlation,
        "regret": row.regret,
        "configurations": row.configurations,
        "once": row.seconds_once,
        "once_said": long_time(row.seconds_once),
        "all": row.machine_seconds,
        "all_said": long_time(row.machine_seconds),
        "runs": row.executions,
        "terms": row.terms[0][1] if row.terms else None,
        "training": row.training_seconds,
        "training_said": long_time(row.training_seconds),
        "kind": kind_text(row),
    }


@watches_jobs(own.ACTIVE, own.TICK, own.VERSION)
def watch(access: Access) -> tuple[Any, ...]:
    """What runs; whether a new evaluation has been stored."""
    jobs = active_evaluations(access)
    return active_cards(jobs, role_refusal(access)), jobs, newest_evaluation(access.system)


@system_callback(
    Output(own.FOUND, "hidden"),
    Output(own.EMPTY, "hidden"),
    Output(own.CHOICE, "data"),
    Output(own.CHOICE, "value"),
    Input(own.VERSION, "data"),
    prevent_initial_call=True,
)
def renew(access: Access, _version: str | None) -> tuple[bool, bool, Any, Any]:
    """Show the evaluation that has just been stored."""
    found = evaluation_titles(access.system)
    choices = [{"value": str(evaluation_id), "label": title} for evaluation_id, title in found.items()]
    return not found, bool(found), choices, str(next(iter(found))) if found else no_update


@lens_callback(Input(own.CHOICE, "value"), Input(own.COST, "value"))
def keep(lens: Lens, choice: str | None, cost: str) -> Lens:
    """Keep the chosen evaluation and cost in the address."""
    return lens.setting(comparison=choice or "", cost="" if cost == TIME else cost)


@system_callback(
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    *own.FIGURE.outputs[:3],
    Output(own.TABLE, "children"),
    Output(own.NOTES, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    Input(own.VERSION, "data"),
)
def show(
    access: Access, lens: Lens, scheme: str | None, _version: str | None
) -> tuple[Content, Content, Content, Content, go.Figure, Content, Content]:
    """The chosen evaluation, by default the newest."""
    view = chosen_evaluation(access.system, lens.settings.get("comparison", ""))
    if view is None:
        return "No approaches were evaluated yet", None, None, None, no_update, None, None
    cost = cost_for(view, lens.settings.get("cost"))
    items = [html.Li(note) for note in notes(view)]
    found, held = view.evaluation, len(view.evaluation.fixed)
    fixed = f" ({plural(held, 'option')} held fixed)" if held else ""
    stale = "" if view.is_current else "; the system has changed since: evaluate again"
    measured = f"{count(found.measured)} of {count(found.valid)} configurations measured"
    return (
        finding(view),
        f"{view.title}, {view.environment}; {measured}{fixed}{stale}",
        f"Cost against error of {len(judged(view))} approaches",
        axes_text(view, cost),
        cost_figure(view, cost, scheme=scheme),
        card("All approaches", _table(view)),
        card("Not evaluated, or not fully", html.Ul(items)) if items else None,
    )
