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
    system_text,
    together_text,
)
from dashboard.figures.numbers import GAP, count, estimate_text, fewest, number
from dashboard.figures.waterfall import own_steps, waterfall_figure
from dashboard.pages import ids
from dashboard.pages.components.blocks import Piece, attributes, figure_card, help_tip, page
from dashboard.pages.influences import controls, published
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.influences import term as term_panel
from dashboard.pages.influences.compare import side_by_side, violations
from dashboard.pages.influences.compared_regions import compared_regions
from dashboard.pages.influences.parts import (
    accuracy_text,
    doubt_note,
    no_model,
    no_such_selection,
    term_rows,
    uncounted_note,
)
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Influences, Selection, TermFilter, TermRow
from dashboard.selectors.performance_models import NoInfluenceModel

_HELP = (
    "A bar is what a change, or several together, adds to the base beyond what fewer of them add; its whisker is the "
    "95 % interval that the repetitions tell, or, of a learned model, how far off it is on configurations held back. Behind "
    "± stands half of it. Grey may be zero. Where effects multiply, a bar is what the factor of its change adds to the base; "
    "elsewhere the same factor adds more or less."
)


def layout(access: Access, _key: str, lens: Lens) -> html.Article:
    """The page for one system; callbacks fill it from the lens."""
    try:
        found = influences(system=access.system, selection=Selection())
    except NoInfluenceModel:
        return no_model("Influences", access)
    help_ = help_tip(_HELP, "explanation/trust#influences")
    terms = figure_card(page_ids.TERMS, height=120, help_=help_, rows=True)
    body = html.Div(
        [
            controls.bar(lens),
            html.Div(id=page_ids.VIOLATIONS, className="violations", **attributes(aria_live="polite")),
            html.Div(id=page_ids.DIFFERENCES),
            html.Div([terms, html.Aside(term_panel.panel(), className="aside")], className="beside"),
            compared_regions(),
            published.placeholder(),
        ],
        id=page_ids.BODY,
    )
    return page(
        html.Span(id=page_ids.SENTENCE),
        html.Span(accuracy_text(found), id=page_ids.SUBTITLE),
        html.Div(_notes(access, found), id=page_ids.MESSAGE),
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
            *page_ids.TERMS.outputs_with_rows,
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
        found = influences(system=access.system, selection=lens)
    except NotFound as error:
        unchanged = {
            "terms": (no_update,) * 7,
            "pickers": (no_update,) * len(controls.PICKERS),
            "filters": (no_update,) * len(controls.FILTERS),
            "violations": [],
            "term": (no_update,) * len(term_panel.PANEL),
        }
        return {"page": (no_such_selection(error), True, "Influences", no_update), **unchanged}
    model, target = found.model, found.target_time
    time = amount_text(system_text(model, lens.revision), model, found.base_time)
    sentence = f"{time} {at_text(found.base)}"
    if found.target is not None and target is not None:
        sentence += f" and {estimate_text(target, model.unit)} {at_text(found.target)}"
    elif found.base_measured is not None and model.regions and not model.is_learned:
        # A model of end-to-end times, and a learned one, has one number for it.
        sentence += f" by its regions, {number(found.base_measured, None, model.unit)} end to end"
    wanted = controls.term_filter(lens, found.terms)
    shown = wanted.shown(found.terms)
    selected = lens.term or (shown[0].key if shown else "")
    compared = side_by_side(found, access.slug, lens)
    return {
        "page": (
            _notes(access, found),
            False,
            sentence,
            accuracy_text(found),
        ),
        "terms": (_count(found, wanted, shown), compared, *_terms(found, shown, selected, scheme)),
        "pickers": controls.pickers(found, lens, chosen),
        "filters": controls.filters(found, wanted),
        "violations": violations(access, found, lens),
        "term": term_panel.panel_of(access, lens, selected, scheme),
    }


def _notes(access: Access, found: Influences) -> list[Piece] | None:
    """What stands above the figures: whether the model is better than none, and which share of the time is not counted."""
    notes = (doubt_note(found), uncounted_note(access, found.model))
    return [note for note in notes if note is not None] or None


def _terms(
    found: Influences, shown: tuple[TermRow, ...], selected: str, scheme: str | None
) -> tuple[Any, ...]:
    """The shown terms, or the steps to the configuration that is compared, for the outputs of the figure."""
    model, base = found.model, configuration_text(found.base)
    intervals = intervals_text(term.influence for term in found.terms)
    if found.target is None:
        figure = terms_figure(shown, model, scheme=scheme, selected=selected)
        finding = influences_finding(shown, model, hidden=bool(found.terms))
        axes = f"influence of each change relative to {base}{intervals}"
        if found.base_measured is not None:
            how = "measured" if model.is_learned else "without profiler"
            axes += f"; {base}: {number(found.base_measured, None, model.unit)} {how}"
    else:
        figure = waterfall_figure(found, shown, scheme=scheme, selected=selected)
        finding = comparison_finding(found)
        axes = f"steps from {base} to {configuration_text(found.target)}, the largest first{intervals}"
        axes += together_text(len(found.terms) - len(own_steps(found, shown)))
    return finding, axes, figure, terms_table(shown, model), term_rows(figure, found.terms, selected)


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
