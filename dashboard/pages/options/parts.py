"""Cards of the page of one option: its interactions, the functions where it matters, and its way into one of them."""

from collections.abc import Sequence

from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences import interval_text, terms_scale
from dashboard.figures.influences_words import region_text, regions_finding, term_text
from dashboard.figures.numbers import count, number, plural, scale_for, share
from dashboard.pages.addresses import ANALYSIS, HISTORIES, INFLUENCES, REGIONS, address
from dashboard.pages.components.blocks import Content, Piece, action, card, code, help_tip, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.components.terms import option_link
from dashboard.pages.lens import Lens
from dashboard.pages.regions.chain import chain_card
from dashboard.selectors.model_rows import ModelIdentity, TermRegions
from dashboard.selectors.option_rows import OptionFunction, OptionTerms
from dashboard.selectors.options import option_functions, way_into
from dashboard.selectors.whitebox.rows import WhiteBoxDetail

_TOGETHER = (
    Column("with", "together with"),
    Column("interval", "95 % interval", kind="number"),
    Column("history", "since when"),
)
_SHOWN = 10
_FOLDED = 60
_MOST_MAY = 40
_TOGETHER_HELP = (
    "What changing these options together adds beyond what each of them adds alone, with its 95 % interval. Where that holds "
    "zero, they may not interact at all."
)
_FUNCTIONS_HELP = (
    "Time is what the chosen term adds in each function. Up to so much of all that the program does changes there when "
    "the option alone is moved: counts, which have no noise."
)
_MAY = "Its value was seen on the way to decisions there, yet no count and no time told a change in any run."
_STILL = "{} changed no count in any function, in {} of runs that differ in it alone."
_END_TO_END = "Measured end to end only: in which functions it arises is not known. An analysis counts what is done in each."
_WHY = (
    "An analysis runs the program a few times and follows the value of {} from where it is read to the decisions that it "
    "has a say in. Then the way stands here, step by step, and what is done more or less in each function."
)


def together_card(terms: OptionTerms, model: ModelIdentity, slug: str, lens: Lens) -> html.Section:
    """The options that it interacts with, each with a way to its own page."""
    name, tip = terms.option.name, help_tip(_TOGETHER_HELP, "explanation/influence-models")
    told = [one for one in terms.together if not one.influence.may_be_zero]
    rest = [one for one in terms.together if one.influence.may_be_zero]
    if not terms.together:
        alone = html.P(f"No term of the model holds {name} with another option.")
        return card("No interactions", alone, more=tip)
    scale, rows = terms_scale(terms.together, model), []
    for term in (*told, *rest):
        others = [change.option for change in term.changes if change.option != name]
        names = [piece for other in others for piece in (" × ", option_link(slug, other, lens))]
        influence, at = term.influence, lens.but(term=term.key)
        said = number(influence.value, influence.margin, scale=scale.bare, signed=True)
        look = "uncertain" if influence.may_be_zero else ""
        show = link(html.Span(said, className=look), address(slug, INFLUENCES, lens=at))
        between = interval_text(influence, model, scale).removeprefix("95 % between ")
        rows.append(
            {
                "with": html.Span(names[1:]),
                "adds": exact(show, influence.value * scale.factor, scale.unit),
                "interval": between.replace(" and ", " to "),
                "history": link("history", address(slug, HISTORIES, lens=at), quiet=True),
            }
        )
    table = folded_table(
        (*_TOGETHER[:1], Column("adds", "adds", scale.unit, "number"), *_TOGETHER[1:]),
        rows,
        label=f"Interactions of {name}",
        shown=min(len(told), _SHOWN),
        folded=_FOLDED,
        summary=f"{plural(len(rest), 'interaction')} that may be zero"
        if len(told) <= _SHOWN
        else f"{len(rows) - _SHOWN} more",
        remedy="see Influences",
        revision=model.revision,
    )
    sure = f"{name} interacts with other options in {plural(len(told), 'term')}"
    title = sure if told else f"Nothing is sure to interact with {name}"
    return card(title, *table, more=tip, look="card option-table")


def functions_card(
    terms: OptionTerms,
    where: TermRegions | None,
    analysis: WhiteBoxDetail | None,
    slug: str,
    lens: Lens,
) -> html.Section:
    """The functions whose time or counts it moves, the most first; those that it only may reach are folded away."""
    name = terms.option.name
    rows, may = option_functions(name, where, analysis)
    tip = help_tip(_FUNCTIONS_HELP, "explanation/white-box")
    title = f"Functions that {name} changes"
    notes: list[Piece] = []
    if where is not None and where.regions:
        title = regions_finding(where)
        notes = [html.P(f"{term_text(where.term)}, by function", className="figure-axes")]
    if not rows:
        said = _END_TO_END
        if analysis is not None and analysis.result.effects:
            said = _STILL.format(name, plural(analysis.result.pairs.get(name, 0), "pair"))
        elif where is not None and where.model.kind != "learned":
            said = f"No function is sure to take another time when {name} is changed."
        notes.append(html.P(said))
        if analysis is None:
            act = action("Analyze the program", href=address(slug, ANALYSIS, lens=lens), quiet=True)
            notes.append(html.Div(act, className="card-foot"))
    else:
        notes += _functions(name, rows, where, analysis, slug=slug, lens=lens)
    if may and analysis is not None:
        at = lens.but(revision=analysis.revision)
        links = [
            html.Li(link(code(key), address(slug, REGIONS, key, at.but(region=key), option=name)))
            for key in may[:_MOST_MAY]
        ]
        summary = html.Summary(f"{plural(len(may), 'function')} that it may reach and never changed")
        rest = _on_analysis(len(may) - len(links), name, slug, lens)
        notes.append(
            html.Details([summary, html.P(_MAY, className="quiet"), html.Ul(links), rest], className="more")
        )
    if analysis is not None and analysis.result.effects:
        notes.append(
            html.P(
                f"Counts of {revision_text(analysis.revision)}, workload {analysis.workload}",
                className="card-note",
            )
        )
    return card(title, *notes, more=tip, look="card option-table")


def _functions(
    name: str,
    rows: Sequence[OptionFunction],
    where: TermRegions | None,
    analysis: WhiteBoxDetail | None,
    *,
    slug: str,
    lens: Lens,
) -> list[Piece]:
    timed = [row.influence.value for row in rows if row.influence is not None]
    scale = scale_for(timed, where.model.unit) if where is not None and timed else None
    columns = [Column("function", "function", kind="code")]
    if scale is not None:
        columns += [
            Column("time", "adds", scale.unit, "number"),
            Column("share", "of the influence", kind="number"),
        ]
    if any(row.counted is not None for row in rows):
        columns.append(Column("counted", "changes up to", kind="number"))
    # Its page shows the way there: from the analysis, whichever revision that is of.
    at = lens if where is None or not where.model.is_learned else lens.but(revision=where.model.revision)
    cells: list[dict[str, Content]] = []
    for row in rows[:_FOLDED]:
        href = address(
            slug, REGIONS, row.key, at.but(region=row.key), **({"option": name} if analysis else {})
        )
        text, time = region_text(row.name), "–"
        if row.influence is not None and scale is not None:
            value = row.influence.value
            said = number(value, row.influence.margin, scale=scale.bare, signed=True)
            time = exact(said, value * scale.factor, scale.unit)
        cells.append(
            {
                "function": link(text, href, title=row.key) if row.has_page else text,
                "time": time,
                "share": "–" if row.share is None else exact(share(row.share), row.share, "share"),
                "counted": "–" if row.counted is None else exact(share(row.counted), row.counted, "share"),
            }
        )
    pieces = folded_table(
        columns,
        cells,
        label=f"Functions of {name}",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(cells) - _SHOWN} more",
        revision=analysis.revision if analysis else "",
    )
    return [*pieces, _on_analysis(len(rows) - _FOLDED, name, slug, lens)]


def _on_analysis(left: int, option: str, slug: str, lens: Lens) -> html.P | None:
    """`and 197 more: all of them stand on Analysis`, which leads there; nothing where none is left."""
    every = link("all of them stand on Analysis", address(slug, ANALYSIS, lens=lens, reached=option))
    return html.P([f"and {count(left)} more: ", every], className="quiet") if left > 0 else None


def way_card(
    option: str, functions: Sequence[str], analysis: WhiteBoxDetail | None, slug: str, lens: Lens
) -> html.Section:
    """The chain from where the option is read to a decision in the first of these functions (keys) that one leads to."""
    if analysis is None:
        act = action("Analyze the program", href=address(slug, ANALYSIS, lens=lens), quiet=True)
        return card(
            ["How ", code(option), " gets there is not known"],
            html.P(_WHY.format(option)),
            html.Div(act, className="card-foot"),
        )
    result, runs = analysis.result, plural(len(analysis.result.traced), "traced configuration")
    if option in result.unread:
        return card(
            [code(option), " is read by nothing"], html.P(f"The program never looked at it in any of {runs}.")
        )
    found = way_into(option, functions, analysis)
    if found is None:
        said = f"In all {runs}, {option} was seen in no decision of any function."
        if option not in result.options:
            said = f"The analysis of {analysis.revision} did not follow {option}."
        elif not result.runs:
            said = "Nothing was traced: that it matters is known from counts alone, and not the way that it takes."
        elif option in result.proven:
            said += " Counts prove that it changes which code runs: it chooses what is called, or acts in code that is not followed."
        elif option in analysis.undecided:
            said = f"It is read, but was in no decision in any of {runs}: nothing shows that it changes which code runs."
        return card(["How ", code(option), " gets there was not seen"], html.P(said))
    region, chains = found
    return chain_card(region, option, chains, slug, lens, closes=False)
