"""All options of a system, those with the largest influence first."""

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.influences_words import change_name
from dashboard.figures.numbers import DisplayScale, number, scale_for, share
from dashboard.figures.option_words import options_sentence, partners
from dashboard.pages import ids
from dashboard.pages.addresses import ANALYSIS, MEASURE, REGIONS, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    action,
    attributes,
    card,
    empty_state,
    help_tip,
    link,
    page,
)
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.components.terms import option_link
from dashboard.pages.influences.parts import accuracy_text, no_such_selection
from dashboard.pages.lens import Lens
from dashboard.pages.options import ids as own
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.option_rows import OptionTerms, SystemOptions
from dashboard.selectors.options import system_options

_SHOWN = 30
_FOLDED = 300
_HELP = (
    "Alone is what changing the option adds to the base; beside it are the options that it surely interacts with. Up to so much of all "
    "that the program does changes in one function, as counts show. Grey may be zero; not varied is what was the same in all "
    "measurements."
)


def layout(access: Access, _lens: Lens) -> html.Article:
    """The list for one system; a callback fills it."""
    return page(
        html.Span(f"Options of {access.system.name}", id=own.ALL_SENTENCE),
        html.Span(id=own.ALL_SUBTITLE),
        html.Div(id=own.ALL_MESSAGE),
        html.Div(id=own.ALL_ROWS),
    )


@system_callback(
    Output(own.ALL_MESSAGE, "children"),
    Output(own.ALL_SENTENCE, "children"),
    Output(own.ALL_SUBTITLE, "children"),
    Output(own.ALL_ROWS, "children"),
    Input(ids.LENS, "data"),
)
def show_options(access: Access, lens: Lens) -> tuple[Content, ...]:
    """Every option with what is known of it."""
    lens = lens.but(compared="", term="")
    name = access.system.name
    try:
        found = system_options(access=access, selection=lens)
    except NotFound as error:
        return no_such_selection(error), f"Options of {name}", None, None
    if not found.options:
        nothing = empty_state(
            "No options are known",
            "Options come with a subject, a feature model, or the measurements that are imported.",
        )
        return nothing, f"{name} has no options", None, None
    subtitle = "" if found.found is None else accuracy_text(found.found)
    return None, options_sentence(found, name), subtitle, _table(found, access.slug, lens)


def _table(found: SystemOptions, slug: str, lens: Lens) -> list[Piece]:
    columns = [Column("option", "option", kind="code"), Column("levels", "levels")]
    scale: DisplayScale | None = None
    if found.found is not None:
        values = [one.influence.value for row in found.options for one in row.told]
        scale = scale_for(values, found.found.model.unit)
        columns += [
            Column("alone", "alone", scale.unit, "number"),
            Column("together", "interacts with"),
        ]
    if any(row.counted is not None for row in found.options):
        columns += [
            Column("counted", "changes up to", kind="number"),
            Column("where", "most of it in", kind="code"),
        ]
    analyzed = found.analysis.revision if found.analysis else ""
    rows = [_cells(row, found, scale, slug, lens) for row in found.options[:_FOLDED]]
    table = folded_table(
        columns,
        rows,
        label="Options by their influence",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(rows) - _SHOWN} more",
        revision=found.found.model.revision if found.found else analyzed,
    )
    ways: list[Piece] = []
    if found.found is None:
        ways.append(html.P("What they cost in time comes with measuring several configurations."))
        ways.append(action("Measure", href=address(slug, MEASURE, lens=lens), quiet=True))
    if found.analysis is None:
        ways.append(
            html.P("Where in the code they matter, and how their values get there, comes with an analysis.")
        )
        ways.append(action("Analyze the program", href=address(slug, ANALYSIS, lens=lens), quiet=True))
    tip = help_tip(_HELP, "explanation/trust#influences")
    ranked = (
        "The largest first, by the largest term that an option has a part in" if scale is not None else ""
    )
    axes = html.P(ranked, className="figure-axes") if ranked else None
    return [card("By influence", axes, *table, *ways, more=tip, look="card option-table")]


def _cells(
    row: OptionTerms, found: SystemOptions, scale: DisplayScale | None, slug: str, lens: Lens
) -> dict[str, Content]:
    others = partners(row)
    together: Piece = html.Span("–", className="quiet")
    if others:
        together = html.Span(
            [
                piece
                for name in others[:3]
                for piece in (", ", option_link(slug, name, lens, look="quiet-link"))
            ][1:]
            + ([f" and {len(others) - 3} more"] if len(others) > 3 else [])
        )
    untold = "not varied" if scale is not None and not row.option.varied else "–"
    alone: Content = html.Span(untold, className="quiet")
    if scale is not None and row.alone:
        first = next((one for one in row.told if one.degree == 1), row.alone[0])
        influence, level = first.influence, change_name(first.changes[0]).removeprefix(row.option.name)
        said = number(influence.value, influence.margin, scale=scale.bare, signed=True)
        look = "uncertain" if influence.may_be_zero else ""
        text = html.Span(f"{said} {level}".strip(), className=look)
        alone = exact(text, influence.value * scale.factor, scale.unit)
    where: Piece = "–"
    if row.counted_in and found.analysis is not None:
        at = lens.but(revision=found.analysis.revision, region=row.counted_in)
        href = address(slug, REGIONS, row.counted_in, at, option=row.option.name)
        where = link(row.counted_in, href, quiet=True)
    return {
        "option": option_link(slug, row.option.name, lens, **attributes(data_row="true")),
        "levels": ", ".join(row.option.levels),
        "alone": alone,
        "together": together,
        "counted": "–" if row.counted is None else exact(share(row.counted), row.counted, "share"),
        "where": where,
    }
