"""Cards of an analysis: dependent regions with their partitions, unread options, failed configurations."""

from dash import html

from dashboard.access import Access
from dashboard.figures.numbers import count, plural
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    attributes,
    card,
    cards,
    code,
    failure_list,
    help_tip,
    lens_button,
    link,
)
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.lens import Lens
from dashboard.pages.whitebox.evidence import evidence_cards
from dashboard.pages.whitebox.limits import differing, limit_cards, name_list
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

# A row is a dozen components, and the browser takes longer for each the more there are; the filter finds the others.
MOST_REGIONS = 40
_MOST_FORMULAS = 4
# Of more than these only so many are shown, to tell what they look like.
_FEW_FORMULAS = 2
_MOST_CHIPS = 5
_MOST_FAILED = 3
_KEY = (
    "Each formula of a partition is a subspace: its configurations take the same path through the region. "
    "& is “and”, ! is “not”: A & !B holds with A on and B off. Only counts tell of options with an outline."
)
_COUNTED = "Only counts show that {} matters in {}"
_REGIONS_HELP = (
    "Each region with a decision that an option has a say in, and its partition. Press an option for the way its "
    "value gets there. Of a region with too many subspaces each pair of its options has a partition of its own."
)
_COLUMNS = (
    Column("region", "region", kind="code"),
    Column("options", "reached by"),
    Column("partition", "partition", kind="code"),
    Column("subspaces", "subspaces", kind="number"),
    Column("decisions", "decisions", kind="number"),
)


def body(found: WhiteBoxDetail, access: Access, lens: Lens) -> html.Div:
    """All cards; `reached` of the lens's settings is the option that regions must be reached by."""
    # Options without a decision, and in how many runs that was looked at.
    runs = f"in any of {plural(len(found.result.traced), 'traced configuration')}"
    unread = f"The program never looked at them {runs}."
    undecided = f"They are read, but were in no decision {runs}: they do not change which code runs."
    small: list[Piece] = [
        card(title, html.P(said), *name_list(names, len(names)))
        for title, names, said in (
            ("Read by nothing", found.result.unread, unread),
            ("Decide nothing", found.undecided, undecided),
        )
        if names
    ]
    failed: list[list[Piece]] = [
        [
            code(differing(one.levels, found)),
            html.Div(f"{one.status}: {one.message}" if one.message else one.status, className="warn"),
            html.Div(one.place, className="quiet"),
        ]
        for one in found.result.failed
    ]
    if failed:
        content: list[Piece] = [failure_list(failed[:_MOST_FAILED])]
        if len(failed) > _MOST_FAILED:
            summary = html.Summary(f"{len(failed) - _MOST_FAILED} more")
            content.append(html.Details([summary, failure_list(failed[_MOST_FAILED:])], className="more"))
        small.append(card(f"{plural(len(failed), 'configuration')} failed", *content))
    small += [*limit_cards(found, access.slug, lens), *evidence_cards(found, access, lens)]
    return html.Div([_regions(found, access.slug, lens), cards(*small)], className="stack")


def _regions(found: WhiteBoxDetail, slug: str, lens: Lens) -> html.Section:
    """The regions that the chosen option decides in, or any; a button for each option with how many those are."""
    option = lens.settings.get("reached", "")
    chosen = [row for row in found.regions if not option or option in row.options]
    buttons: list[Piece] = []
    for name in found.result.options:
        number = sum(name in row.options for row in found.regions)
        text: list[Piece] = [name, html.Span(count(number), className="choice-count")]
        title = f"{name} decides in {plural(number, 'region')}"
        change = {"reached": None if name == option else name}
        buttons.append(lens_button(text, change, pressed=name == option, title=title))
    content: list[Piece] = [html.Div(buttons, className="choices choices-many")]
    if chosen:
        at = lens.but(revision=found.revision)
        rows = [_region(row, slug, at) for row in chosen[:MOST_REGIONS]]
        table = plain_table(_COLUMNS, rows, label="Regions and the options that reach them")
        rest = left_out(len(chosen) - len(rows), "choose an option, or see Regions")
        content += [html.P(_KEY, className="figure-axes"), html.Div(table, className="deciding"), rest]
    else:
        why = f"{option} is in no decision of any region." if option else "No option is in any decision."
        if any(option in (*site.data, *site.control) for site in found.result.sites if site.decides):
            why = f"{option} decides only in regions that are left out, because they only parse options."
        content.append(html.Div(html.Div(html.P(why, className="quiet")), className="deciding"))
    verb = "decides" if option else "decide"
    return card(
        f"{plural(len(chosen), 'region')} that {option or 'options'} {verb} in",
        *content,
        more=help_tip(_REGIONS_HELP, "explanation/white-box"),
    )


def _region(row: RegionAnalysis, slug: str, lens: Lens) -> dict[str, Content]:
    at, counted = lens.but(region=row.key), row.counted
    href = address(slug, REGIONS, row.key, at)
    chips: list[Piece] = [
        html.A(
            name,
            href=address(slug, REGIONS, row.key, at, option=name),
            className="chip chip-option chip-under" if name in counted else "chip chip-option",
            title=_COUNTED.format(name, row.key) if name in counted else f"How {name} gets to {row.key}",
        )
        for name in row.options[:_MOST_CHIPS]
    ]
    if rest := row.options[_MOST_CHIPS:]:
        said = ", ".join(rest)
        named = attributes(aria_label=f"{plural(len(rest), 'more option')}: {said}")
        chips.append(link(f"+{len(rest)}", href, quiet=True, title=said, **named))
    formulas = row.partitions[0] if row.partitions else ()
    few = formulas if len(formulas) <= _MOST_FORMULAS else formulas[:_FEW_FORMULAS]
    parts: list[Piece] = [html.Span(text, className="formula-part") for text in few]
    if len(formulas) > len(few):
        parts.append(html.Span(f"and {len(formulas) - len(few)} more", className="quiet"))
    partition = html.Span(parts, className="formula-parts")
    if len(row.partitions) > 1:
        partition = html.Span(f"split into {len(row.partitions)} pairs of options", className="quiet")
    return {
        "region": link(row.key, href, **attributes(data_row="true")),
        "options": html.Span(chips, className="chip-row"),
        "partition": partition,
        "subspaces": count(row.subspaces),
        "decisions": count(row.n_decisions),
    }
