"""The page What-if: options set by hand, what that configuration would take and why, and what is better."""

from typing import Any

from dash import Input, Output, html, no_update

from dashboard.access import Access, NotFound, Refused
from dashboard.figures.influences_words import (
    amount_text,
    at_text,
    comparison_finding,
    configuration_text,
    intervals_text,
    system_text,
    together_text,
)
from dashboard.figures.numbers import number
from dashboard.figures.theme import blank
from dashboard.figures.waterfall import own_steps, waterfall_figure
from dashboard.pages import ids
from dashboard.pages.components.blocks import attributes, card, figure_card, help_tip, page, skeleton
from dashboard.pages.components.menus import picker
from dashboard.pages.ids import FigureIds
from dashboard.pages.influences.controls import model_menus
from dashboard.pages.influences.parts import accuracy_text, doubt_note, no_model, no_such_selection
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.pages.what_if.parts import (
    AGAINST,
    better_changes,
    fixed_options,
    front_rows,
    levels,
    mending,
    prediction_facts,
    recommended,
)
from dashboard.pages.what_if.scenarios import SCENARIOS
from dashboard.pages.what_if.workloads import workloads_card
from dashboard.selectors.loaded_models import load_selected
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.performance_models import NoInfluenceModel, model_choices
from dashboard.selectors.two_metrics import two_metrics
from dashboard.selectors.what_if import WhatIf, best_measured, recommendations, what_if
from dashboard.selectors.workload_factors import factors_in_workloads

SENTENCE = "what-if-sentence"
SUBTITLE = "what-if-subtitle"
MESSAGE = "what-if-message"
BODY = "what-if-body"
MODELS = "what-if-models"
MENDING = "what-if-mending"
LEVELS = "what-if-levels"
PREDICTION = "what-if-prediction"
BETTER = "what-if-better"
BEST = "what-if-best"
FRONT = "what-if-front"
OVER_WORKLOADS = "what-if-workloads"
STEPS = FigureIds.of("what-if-steps")
_PREDICTION_HELP = (
    "What the model says of this configuration, measured or not, with its 95 % interval: where the value lies when it is "
    "measured. The interval is of configurations like those that the model was made of."
)
_OPTIONS_HELP = (
    "Press a level to set the option; the prediction follows. An option that you keep stays as it is when the best and the "
    "worst configuration are searched."
)
_BEST_HELP = (
    "No other valid configuration has a better, or a worse, prediction; options that you keep stay as they are. Of many "
    "predictions the best one is likely too good: measure it before you rely on it."
)


def layout(access: Access, _key: str, _lens: Lens) -> html.Article:
    """The page for one system; callbacks fill it from the lens."""
    try:
        load_selected(access.system, Selection())
    except NoInfluenceModel:
        return no_model("What-if", access)
    prediction = card(
        "Prediction",
        html.Div(skeleton(3), id=PREDICTION),
        more=help_tip(_PREDICTION_HELP, "explanation/trust#what-if"),
    )
    best = card(
        "Best and worst",
        html.Div(skeleton(4), id=BEST),
        more=help_tip(_BEST_HELP, "explanation/trust#how-good-a-choice-by-the-model-is"),
    )
    options = card(
        "Options",
        html.Div(id=MENDING, **attributes(aria_live="polite")),
        html.Div(id=LEVELS, className="what-if-levels"),
        more=help_tip(_OPTIONS_HELP, "explanation/trust#what-if"),
    )
    models = html.Div(html.Div(id=MODELS, className="controls-models"), className="controls")
    beside = [
        prediction,
        card("Change one option", html.Div(skeleton(2), id=BETTER)),
        best,
        html.Div(id=FRONT),
    ]
    halves = html.Div([options, html.Div(beside, className="stack")], className="halves what-if")
    below = [html.Div(id=SCENARIOS), html.Div(id=OVER_WORKLOADS)]
    body = html.Div([halves, figure_card(STEPS, height=120), *below], id=BODY)
    sentence, subtitle = html.Span(id=SENTENCE), html.Span(id=SUBTITLE)
    return page(sentence, subtitle, models, html.Div(id=MESSAGE), body)


@system_callback(
    Output(MESSAGE, "children"),
    Output(BODY, "hidden"),
    Output(SENTENCE, "children"),
    Output(SUBTITLE, "children"),
    Output(MENDING, "children"),
    Output(LEVELS, "children"),
    Output(PREDICTION, "children"),
    Output(BETTER, "children"),
    *STEPS.outputs,
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_what_if(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """The configuration of the address: its options with what they violate, its prediction, and better ones beside it."""
    try:
        told = what_if(access=access, selection=lens)
    except NotFound as error:
        return (no_such_selection(error), True, "What-if", *(no_update,) * 9)
    found = told.found
    target, predicted = found.target, found.target_time
    if target is None or predicted is None:
        return (None, True, "What-if", *(no_update,) * 9)
    name = system_text(found.model, lens.revision)
    if told.violated is None:
        said = amount_text(name, found.model, predicted)
        sentence = f"{said} {at_text(target)}"
        if found.target_measured is not None:
            sentence += f"; {number(found.target_measured, None, found.model.unit)} measured"
    else:
        sentence = f"{name} is not valid {at_text(target)}"
    return (
        doubt_note(found),
        False,
        sentence,
        accuracy_text(found),
        mending(access, told, lens),
        levels(told, lens),
        prediction_facts(told),
        better_changes(told, lens),
        *_steps(told, scheme),
    )


def _steps(told: WhatIf, scheme: str | None) -> tuple[Any, ...]:
    """The steps from the base for `STEPS`; where there are none, why, without a figure and a table."""
    found, base = told.found, configuration_text(told.found.base)
    if told.violated is not None or found.target is None:
        why = f"Steps lead from {base} to a valid configuration: take the nearest valid one, or change an option that is marked"
        return "No steps: this configuration is not valid", why, blank(), None
    if not found.terms:
        why = "Set an option to another level: what makes the difference stands here, step by step"
        differs = (
            configuration_text(found.target) if found.target.differences != found.base.differences else ""
        )
        finding = f"{differs} makes no difference to {base}" if differs else f"Nothing differs from {base}"
        return finding, why, blank(), None
    between = f"steps from {base} to {configuration_text(found.target)}, the largest first"
    intervals = intervals_text(term.influence for term in found.terms)
    return (
        comparison_finding(found),
        between + intervals + together_text(len(found.terms) - len(own_steps(found))),
        waterfall_figure(found, scheme=scheme),
        terms_table(found.terms, found.model),
    )


@system_callback(Output(MODELS, "children"), Input(ids.LENS, "data"))
def show_models(access: Access, lens: Lens) -> list[Any]:
    """A menu for each of what several models differ in, as on the page of influences."""
    return model_menus(access, lens)


@system_callback(Output(BEST, "children"), Input(ids.LENS, "data"))
def show_best(access: Access, lens: Lens) -> Any:
    """The best and the worst valid configuration; the search may take longer than a prediction."""
    try:
        told = what_if(access=access, selection=lens)
        kept = fixed_options(told, lens)
        best, worst = recommendations(access=access, selection=lens, fixed=kept)
        seen = best_measured(access=access, selection=lens, fixed=kept)
    except (NotFound, Refused) as error:
        return html.P(str(error), className="quiet")
    return recommended(told, best, worst, lens, seen=seen)


@system_callback(Output(FRONT, "children"), Input(ids.LENS, "data"))
def show_front(access: Access, lens: Lens) -> Any:
    """The Pareto front with another metric, where the system has models of several."""
    try:
        now, metrics = model_choices(system=access.system, selection=lens)["metric"]
    except NotFound:
        return None
    others = [one for one in metrics if one != now]
    if not others:
        return None
    asked = lens.settings.get(AGAINST, "")
    against = asked if asked in others else others[0]
    try:
        told = what_if(access=access, selection=lens)
        fixed = fixed_options(told, lens)
        front = two_metrics(access=access, selection=lens, against=against, fixed=fixed)
        rows = front_rows(told, front)
    except NotFound as error:
        rows = [html.P(f"Not compared with {against}: {error}", className="quiet")]
    return card("Two metrics", *rows, more=picker(AGAINST, against, others, at_end=True))


@system_callback(Output(OVER_WORKLOADS, "children"), Input(ids.LENS, "data"))
def show_workloads(access: Access, lens: Lens) -> Any:
    """The configuration in each workload, where several were measured."""
    try:
        told = what_if(access=access, selection=lens)
    except NotFound:
        return None
    if told.violated is not None or told.found.target is None:
        return None
    now, kept = dict(told.found.target.differences), fixed_options(told, lens)
    fixed = {one.name: now.get(one.name, one.levels[0]) for one in told.found.options if one.name in kept}
    found = factors_in_workloads(system=access.system, found=told.found, fixed=fixed)
    return None if found is None else workloads_card(found, told.found, lens)
