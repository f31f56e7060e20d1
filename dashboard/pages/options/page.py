"""The page of one option: what it costs, where, why, since when, and with which others it interacts."""

from typing import Any

from dash import Input, Output, State, dcc, html, no_update

from analytics.configurations.identities import key_with
from dashboard.access import Access, NotFound
from dashboard.figures.influences import terms_figure
from dashboard.figures.influences_words import configuration_text, influences_finding, intervals_text
from dashboard.figures.option_words import counted_sentence, option_sentence
from dashboard.figures.theme import blank
from dashboard.pages import ids
from dashboard.pages.addresses import INFLUENCES, OPTIONS, WHAT_IF, address
from dashboard.pages.components.blocks import (
    Piece,
    figure_card,
    help_tip,
    link,
    page,
    skeleton,
)
from dashboard.pages.influences.controls import model_menus
from dashboard.pages.influences.parts import accuracy_text, no_such_selection, term_rows
from dashboard.pages.influences.tables import terms_table
from dashboard.pages.lens import Lens
from dashboard.pages.options import (
    history,  # noqa: F401 -- its callback is registered with it
    index,
)
from dashboard.pages.options import ids as own
from dashboard.pages.options.parts import functions_card, together_card, way_card
from dashboard.pages.system_callback import browser_callback, system_callback
from dashboard.selectors.configurations import options_of
from dashboard.selectors.influences import term_regions
from dashboard.selectors.model_rows import Influences, TermRegions
from dashboard.selectors.option_rows import OptionTerms
from dashboard.selectors.options import option_functions, system_options

MOST_TERMS = 10
_HELP = (
    "What changing this option adds to the base, alone and together with others, with 95 % intervals. Press a term: the "
    "functions beside it are those where it arises."
)


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The list of options, or the option that the address names. Raises `NotFound` for one that the system has not."""
    if not key:
        return index.layout(access, lens)
    if all(option.name != key for option in options_of(access.system).options):
        raise NotFound(f"{access.system.name} has no option {key!r}")
    terms = figure_card(
        own.TERMS, height=96, help_=help_tip(_HELP, "explanation/trust#influences"), rows=True
    )
    costs = html.Div(
        [terms, html.Div(id=own.TOGETHER), html.Div(skeleton(3), id=own.CHAIN, className="option-way")],
        className="stack",
    )
    code = html.Div([html.Div(id=own.FUNCTIONS), html.Div(skeleton(3), id=own.HISTORY)], className="stack")
    body = [
        html.Div(id=own.FACTS, className="chips"),
        html.Div([costs, code], className="halves option"),
    ]
    return page(
        html.Span(key, id=own.SENTENCE),
        html.Span(id=own.SUBTITLE),
        dcc.Store(id=own.KEY, data=key),
        html.Div(html.Div(id=own.MODELS, className="controls-models"), className="controls"),
        html.Div(id=own.MESSAGE),
        html.Div(body, id=own.BODY),
    )


@system_callback(
    Output(own.MESSAGE, "children"),
    Output(own.BODY, "hidden"),
    Output(own.SENTENCE, "children"),
    Output(own.SUBTITLE, "children"),
    Output(own.FACTS, "children"),
    Output(own.TERMS.card, "hidden"),
    *own.TERMS.outputs_with_rows,
    Output(own.TOGETHER, "children"),
    Output(own.FUNCTIONS, "children"),
    Input(ids.LENS, "data"),
    Input(ids.SCHEME, "data"),
    State(own.KEY, "data"),
)
def show_option(access: Access, lens: Lens, scheme: str | None, key: str) -> tuple[Any, ...]:
    """The option as the lens looks at it: relative to its base, in its revision."""
    # A second configuration would leave the terms on the way to it alone.
    lens = lens.but(compared="")
    try:
        found = system_options(access=access, selection=lens)
        terms = found.by_name[key]
        where = _where(access, lens, terms)
    except NotFound as error:
        return no_such_selection(error), True, key, *[no_update] * 10
    slug, analysis = access.slug, found.analysis
    functions = functions_card(terms, where, analysis, slug, lens)
    figure: tuple[Any, ...] = "", "", blank(), None, []
    if found.found is None:
        sentence = counted_sentence(terms, access.system.name, lens.revision)
        facts = _facts(terms, None, slug, lens)
        return (None, False, sentence, terms.option.description, facts, True, *figure, None, functions)
    model, base = found.found.model, found.found.base
    every = sorted((*terms.alone, *terms.together), key=lambda one: -abs(one.influence.value))
    if every:
        # Those that are told, or all where none is.
        shown = [one for one in every if one in terms.told] or every
        selected = where.term.key if where else ""
        drawn = terms_figure(shown[:MOST_TERMS], model, scheme=scheme, selected=selected)
        axes = f"influence of each change relative to {configuration_text(base)}"
        axes += intervals_text(one.influence for one in every)
        if len(shown[:MOST_TERMS]) < len(every):
            rest = "may be zero" if len(shown) <= MOST_TERMS else "are smaller"
            axes += f"; {len(shown[:MOST_TERMS])} of {len(every)} terms, the others {rest}"
        rows = term_rows(drawn, every, selected)
        figure = influences_finding(shown, model), axes, drawn, terms_table(every, model), rows
    return (
        None,
        False,
        option_sentence(terms, model, base, where, lens.revision),
        " · ".join(filter(None, (terms.option.description, accuracy_text(found.found)))),
        _facts(terms, found.found, slug, lens),
        not terms.first,
        *figure,
        together_card(terms, model, slug, lens),
        functions,
    )


@system_callback(Output(own.CHAIN, "children"), Input(ids.LENS, "data"), State(own.KEY, "data"))
def show_way(access: Access, lens: Lens, key: str) -> Piece:
    """Its way into a function, which may take longer to find than all the rest."""
    lens = lens.but(compared="")
    try:
        found = system_options(access=access, selection=lens)
        where = _where(access, lens, found.by_name[key])
    except NotFound:
        return None
    functions, may = option_functions(key, where, found.analysis)
    # Into one that it changes; else into one that it may reach.
    keys = (*(row.key for row in functions), *may)
    return way_card(key, keys, found.analysis, access.slug, lens)


browser_callback("open", Input(own.TERMS.graph, "clickData"))


@system_callback(Output(own.MODELS, "children"), Input(ids.LENS, "data"))
def show_models(access: Access, lens: Lens) -> list[Piece]:
    """A menu for each of what several models differ in, as on the page of influences."""
    return model_menus(access, lens)


def _where(access: Access, lens: Lens, terms: OptionTerms) -> TermRegions | None:
    """The regions of the term that the lens chooses among the option's, else of the one that is looked at first."""
    mine = {one.key for one in (*terms.alone, *terms.together)}
    chosen = lens.term if lens.term in mine else terms.first.key if terms.first else ""
    return term_regions(system=access.system, selection=lens, term=chosen) if chosen else None


def _facts(terms: OptionTerms, found: Influences | None, slug: str, lens: Lens) -> list[Piece]:
    """Its levels, and where else it is met."""
    option = terms.option
    facts: list[Piece] = [
        link("All options", address(slug, OPTIONS, lens=lens.but(term="")), quiet=True),
        html.Span("levels", className="control-label"),
        html.Span(", ".join(option.levels), className="code"),
    ]
    if found is not None and option.varied:
        first = terms.alone[0] if terms.alone else None
        search = address(slug, INFLUENCES, lens=lens, search=option.name)
        facts.append(link("Among all influences", search))
        if first is not None:
            level = next(change.to_level for change in first.changes)
            levels = {one.name: one.levels for one in found.options}
            key = key_with(levels, {**dict(found.base.differences), option.name: level})
            facts.append(link("What if it is changed", address(slug, WHAT_IF, lens=lens.but(compared=key))))
    return facts
