"""The page of influences: what options and interactions add, where in the code, and from one configuration to another."""

from typing import Any

from dash import Input, Output, State, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.influences import MOST_TERMS, terms_figure, terms_scale
from dashboard.figures.influences_words import (
    amount_text,
    at_text,
    comparison_finding,
    configuration_text,
    influences_finding,
    intervals_text,
    term_text,
)
from dashboard.figures.numbers import GAP, count, fewest, number, percent
from dashboard.figures.waterfall import waterfall_figure
from dashboard.pages import ids
from dashboard.pages.components import figure_card, help_tip, page
from dashboard.pages.components.text import plural
from dashboard.pages.influences import controls, published
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences import term as term_panel
from dashboard.pages.influences.compare import side_by_side
from dashboard.pages.influences.parts import (
    RowLink,
    figure_rows,
    left_out_text,
    made_of,
    no_model,
    no_such_selection,
    selection,
    with_rows,
)
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.influences.valid import placeholder as valid_placeholder
from dashboard.pages.influences.valid import violations
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.influences import influences
from dashboard.selectors.influences.filters import TermFilter
from dashboard.selectors.model_rows import Influences, Selection, TermRow
from dashboard.selectors.performance_models import NoInfluenceModel

_HELP = (
    "A bar is what a change, or several together, adds to the base beyond what fewer of them add; its whisker is the "
    "95 % interval that the repetitions tell, or, of a learned model, its residuals. Grey may be zero."
)


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page for one system; callbacks fill it from the lens."""
    try:
        found = influences(system=access.system, selection=Selection())
    except NoInfluenceModel:
        return no_model("Influences", access)
    card = figure_card(page_ids.TERMS, height=120, help_=help_tip(_HELP, "explanation/influence-models"))
    body = html.Div(
        [
            controls.bar(found, lens),
            valid_placeholder(),
            html.Div(id=page_ids.DIFFERENCES),
            html.Div(
                [with_rows(card, page_ids.TERMS_ROWS), html.Aside(term_panel.panel(), className="aside")],
                className="beside",
            ),
            published.placeholder(),
        ],
        id=page_ids.BODY,
    )
    return page(
        html.Span(id=page_ids.SENTENCE),
        html.Span(_subtitle(found), id=page_ids.SUBTITLE),
        html.Div(id=page_ids.MESSAGE),
        body,
    )


@system_callback(
    output={
        "page": (
            Output(page_ids.MESSAGE, "children"),
            Output(page_ids.BODY, "hidden"),
            Output(page_ids.SENTENCE, "children"),
            Output(page_ids.SUBTITLE, "children"),
        ),
        "terms": (
            Output(page_ids.COUNT, "children"),
            Output(page_ids.DIFFERENCES, "children"),
            *page_ids.TERMS.outputs,
            Output(page_ids.TERMS_ROWS, "children"),
        ),
        "pickers": controls.PICKERS,
        "filters": controls.FILTERS,
        "violations": Output(page_ids.VIOLATIONS, "children"),
        "term": term_panel.PANEL,
    },
    inputs={
        "lens": Input(ids.LENS, "data"),
        "scheme": Input(ids.SCHEME, "data"),
        "chosen": State(page_ids.CHOSEN, "data"),
    },
)
def show_influences(
    access: Access, *, lens: Lens, scheme: str | None, chosen: controls.Chosen
) -> dict[str, Any]:
    """Everything on the page that depends on the selected model, which is read once."""
    try:
        found = influences(system=access.system, selection=selection(lens))
    except NotFound as error:
        unchanged = {
            "terms": (no_update,) * 7,
            "pickers": (no_update,) * len(controls.PICKERS),
            "filters": (no_update,) * len(controls.FILTERS),
            "violations": [],
            "term": (no_update,) * len(term_panel.PANEL),
        }
        return {"page": (no_such_selection(error), True, "Influences", no_update), **unchanged}
    wanted = controls.term_filter(lens, found.terms)
    shown = wanted.shown(found.terms)
    selected = lens.term or (shown[0].key if shown else "")
    return {
        "page": (None, False, _sentence(found), _subtitle(found)),
        "terms": _terms(access, found, wanted, shown, lens, scheme, selected),
        "pickers": controls.pickers(found, lens, chosen),
        "filters": controls.filters(found, wanted),
        "violations": violations(access, found, lens),
        "term": term_panel.panel_of(access, lens, selected, scheme),
    }


def _terms(  # noqa: PLR0917 - what the terms are, and how they are drawn
    access: Access,
    found: Influences,
    wanted: TermFilter,
    shown: tuple[TermRow, ...],
    lens: Lens,
    scheme: str | None,
    selected: str,
) -> tuple[Any, ...]:
    """The terms that the lens selects, or the steps to the configuration that it compares with."""
    if found.target is None:
        figure = terms_figure(shown, found.model, scheme=scheme, selected=selected)
        finding = influences_finding(shown, found.model)
    else:
        figure = waterfall_figure(found, shown, scheme=scheme, selected=selected)
        finding = comparison_finding(found)
    links = {
        term.key: RowLink(term_text(term), change={"term": term.key}, pressed=term.key == selected)
        for term in found.terms
    }
    return (
        _count(found, wanted, shown),
        side_by_side(found, access.slug, lens),
        finding,
        _axes(found),
        figure,
        terms_table(shown, found.model),
        figure_rows(figure, links),
    )


def _sentence(found: Influences) -> str:
    """What the base takes, and what it is compared with."""
    model = found.model
    at_base = amount_text(model.system_name, model, found.base_time.value, found.base_time.error)
    sentence = f"{at_base} {at_text(found.base)}"
    if found.target is None or found.target_time is None:
        # A model of end-to-end times, and a learned one, has one number for it.
        if found.base_measured is None or model.is_learned or not model.regions:
            return sentence
        return f"{sentence} by its regions, {number(found.base_measured, None, model.unit)} end to end"
    at_target = number(found.target_time.value, found.target_time.error, model.unit)
    return f"{sentence} and {at_target} {at_text(found.target)}"


def _subtitle(found: Influences) -> str:
    """What the model was made of, and how far it lies from what was measured end to end."""
    if found.accuracy is None:
        return made_of(found.model)
    if found.accuracy.left_out:
        error = percent(found.accuracy.mape)
        return f"{made_of(found.model)} · error {error} {left_out_text(found.model, found.accuracy.configurations)}"
    checked = plural(found.accuracy.configurations, "configuration")
    return f"{made_of(found.model)} · error {percent(found.accuracy.mape)} on {checked} measured end to end"


def _axes(found: Influences) -> str:
    base = configuration_text(found.base)
    intervals = intervals_text(term.influence for term in found.terms)
    if found.target is not None:
        return f"steps from {base} to {configuration_text(found.target)}, the largest first{intervals}"
    said = f"influence of each change relative to {base}{intervals}"
    if found.base_measured is None:
        return said
    measured = number(found.base_measured, None, found.model.unit)
    how = "measured" if found.model.is_learned else "without profiler"
    return f"{said}; {base}: {measured} {how}"


def _count(found: Influences, wanted: TermFilter, shown: tuple[TermRow, ...]) -> str:
    scale = terms_scale(found.terms, found.model)
    text = f"{count(len(shown))} of {count(len(found.terms))} terms"
    if wanted.threshold:
        text += f" of at least {fewest(wanted.threshold * scale.factor)}{GAP}{scale.unit}".rstrip()
    left_out = 0 if wanted.uncertain else sum(term.influence.may_be_zero for term in found.terms)
    if left_out:
        where = "together in one step" if found.target else "left out"
        text += f"; {count(left_out)} that may be zero {where}"
    if found.target is None and len(shown) > MOST_TERMS:
        text += f", the largest {MOST_TERMS} drawn"
    if found.undetermined:
        text += f"; {count(found.undetermined)} undetermined"
    return text
