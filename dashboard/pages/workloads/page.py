"""The page of workloads: influences in each as a heat map, which of them differ, and one of them at a time."""

from collections.abc import Mapping
from typing import Any

from dash import Input, Output, html, no_update

from dashboard.access import Access, NotFound
from dashboard.figures.borrowed import borrowed_axes, borrowed_figure, borrowed_finding
from dashboard.figures.numbers import plural
from dashboard.figures.theme import blank
from dashboard.figures.workload_words import (
    rate_text,
    term_finding,
    workloads_sentence,
    workloads_subtitle,
)
from dashboard.figures.workloads import MOST_TERMS, term_workloads_figure, workloads_figure
from dashboard.pages import ids
from dashboard.pages.addresses import WORKLOADS, address
from dashboard.pages.components.blocks import (
    Piece,
    action,
    empty_state,
    failed_state,
    figure_card,
    help_tip,
    import_link,
    labelled,
    page,
    skeleton,
)
from dashboard.pages.components.menus import picker
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import lens_callback, system_callback
from dashboard.pages.workloads import ids as own
from dashboard.pages.workloads.parts import borrowed_table, map_table, term_table, terms_card, workloads_card
from dashboard.selectors.borrowed_influences import borrowed_influences, little_measured
from dashboard.selectors.workloads import choose_context, compare_workloads, workload_contexts

_MAP_HELP = (
    "The factor that each term makes in each workload: orange costs, blue saves, pale may be none. ⇄ costs in one workload and saves "
    "in another, ≠ differs, = is the same in all as far as noise tells, · is nothing beyond noise."
)
_TERM_HELP = (
    "The factor that the term makes in each workload. Intervals hold for all workloads at once, at 95 %. The band is the mean over "
    "workloads with its interval."
)
_BORROWED_HELP = (
    "What its own measurements and other workloads tell together, with 95 % intervals. Own is the share of what was uncertain that its "
    "own measurements took away; the rest is borrowed from the other workloads. Hollow points are borrowed for the most part."
)
_NONE = (
    "Here the influences of options stand side by side for each workload, once the same configurations were measured in "
    "several. A table of configurations, releases and workloads can be imported as one system."
)


def layout(access: Access, _key: str, _lens: Lens) -> html.Article:
    """The page for one system; callbacks fill it from the lens."""
    if not workload_contexts(access.system):
        text = empty_state(
            "Several measured workloads are needed", _NONE, act=import_link(access.system.name)
        )
        return page(f"The workloads of {access.system.name}", None, text)
    map_card = figure_card(
        own.MAP, height=160, help_=help_tip(_MAP_HELP, "explanation/workloads"), scrolls=True
    )
    term_card = figure_card(own.TERM, height=120, help_=help_tip(_TERM_HELP, "explanation/workloads"))
    below = html.Div(
        [html.Div(id=own.TERMS), html.Div([term_card, html.Div(id=own.LIST)], className="stack")],
        className="halves workloads",
    )
    borrowed = [
        html.Div(id=own.LITTLE, className="controls-models"),
        figure_card(own.BORROWED, height=120, help_=help_tip(_BORROWED_HELP, "explanation/workloads")),
    ]
    return page(
        html.Span(skeleton(1), id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        html.Div(html.Div(id=own.CHOICES, className="controls-models"), className="controls"),
        html.Div(id=own.MESSAGE),
        html.Div(
            [map_card, html.Div(borrowed, id=own.BORROWED_PART, className="stack", hidden=True), below],
            id=own.BODY,
            className="stack",
        ),
    )


@system_callback(
    Output(own.MESSAGE, "children"),
    Output(own.BODY, "hidden"),
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    Output(own.CHOICES, "children"),
    *own.MAP.outputs,
    *own.TERM.outputs,
    Output(own.TERMS, "children"),
    Output(own.LIST, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_workloads(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """Everything on the page, for the revision, environment and metric of the lens."""
    name = access.system.name
    try:
        context, choices = choose_context(access.system, lens)
    except NotFound as error:
        act = action("Show the newest", href=address(access.slug, WORKLOADS))
        problem = failed_state("Not measured", f"{str(error)[:1].upper()}{str(error)[1:]}.", act=act)
        return problem, True, f"The workloads of {name}", *[no_update] * 12
    found = compare_workloads(system=access.system, context=context)
    head = workloads_sentence(found, name), workloads_subtitle(found), choice_menus(choices)
    term = next((one for one in found.terms if one.key == lens.term), next(iter(found.terms), None))
    if term is None:
        said = "The same configurations must be measured in at least two workloads, four of them or more."
        return (
            failed_state("Too little to compare", said),
            False,
            *head,
            *("", "", blank(), None) * 2,
            None,
            workloads_card(found),
        )
    names, more = [one.name for one in found.compared], len(found.terms) - MOST_TERMS
    below = f"{plural(more, 'more influence')} in the table below"
    axes = f"factor by which the metric changes; {below if more > 0 else 'press a cell to see its influence alone'}"
    return (
        None,
        False,
        *head,
        rate_text(found),
        axes,
        workloads_figure(found, scheme=scheme, selected=term.key),
        map_table(found),
        term_finding(term, names),
        f"factor by which {context.quantity} changes",
        term_workloads_figure(term, names, lower_is_better=context.lower_is_better, scheme=scheme),
        term_table(term, names),
        terms_card(found, term),
        workloads_card(found),
    )


@system_callback(
    Output(own.BORROWED_PART, "hidden"),
    Output(own.LITTLE, "children"),
    *own.BORROWED.outputs,
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
)
def show_borrowed(access: Access, lens: Lens, scheme: str | None) -> tuple[Any, ...]:
    """The influences in a workload of which little was measured: that of the lens, or the first."""
    try:
        context, _ = choose_context(access.system, lens)
    except NotFound:
        return True, *[no_update] * 5
    little = little_measured(compare_workloads(system=access.system, context=context))
    if not little:
        return True, *[no_update] * 5
    # A setting of this page: other pages may have no model of so little.
    asked = lens.settings.get("borrowed", lens.workload)
    workload = asked if asked in little else little[0]
    found = borrowed_influences(system=access.system, context=context, workload=workload)
    return (
        False,
        labelled("measured little", picker("borrowed", workload, little)) if len(little) > 1 else None,
        borrowed_finding(found),
        borrowed_axes(found, context.quantity),
        borrowed_figure(found, lower_is_better=context.lower_is_better, scheme=scheme),
        borrowed_table(found),
    )


@lens_callback(Input(own.MAP.graph, "clickData"))
def choose_term(lens: Lens, click: Mapping[str, Any] | None) -> Lens:
    """A press on a cell of the heat map shows its influence alone."""
    points = (click or {}).get("points") or [{}]
    # Of what a cell of a heat map holds the browser tells texts and numbers alone.
    told = points[0].get("y")
    return lens.but(term=str(told)) if told else lens


def choice_menus(choices: Mapping[str, tuple[str, tuple[str, ...]]]) -> list[Piece]:
    """A menu for each of what can be chosen; revisions the newest first."""
    return [
        labelled(label, picker(label, now, known[::-1] if label == "revision" else known))
        for label, (now, known) in choices.items()
        if len(known) > 1
    ]
