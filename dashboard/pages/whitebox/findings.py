"""Cards of an analysis: dependent regions with their partitions, unread options, failed configurations."""

import json
from collections.abc import Sequence

from dash import html

from analytics.whitebox.region_dependencies import RegionDependencies
from dashboard.access import Access
from dashboard.figures.numbers import count
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components import Content, Piece, attributes, card, cards, code, help_tip, link
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.components.text import plural
from dashboard.pages.lens import Lens
from dashboard.pages.whitebox.evidence import evidence_cards
from dashboard.pages.whitebox.limits import differing, limit_cards, name_list
from dashboard.selectors.whitebox.rows import WhiteBoxDetail

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


def body(found: WhiteBoxDetail, access: Access, lens: Lens) -> html.Div:
    """All cards; `reached` of the lens's settings is the option that regions must be reached by."""
    slug, option = access.slug, lens.settings.get("reached", "")
    chosen = tuple(row for row in found.regions if not option or option in row.options)
    small = [
        *_options(found),
        *_failed(found),
        *limit_cards(found, slug, lens),
        *evidence_cards(found, access, lens),
    ]
    return html.Div([_regions(found, chosen, option, slug, lens), cards(*small)], className="stack")


def _regions(
    found: WhiteBoxDetail, chosen: Sequence[RegionDependencies], option: str, slug: str, lens: Lens
) -> html.Section:
    columns = [
        Column("region", "region", kind="code"),
        Column("options", "reached by"),
        Column("partition", "partition", kind="code"),
        Column("subspaces", "subspaces", kind="number"),
        Column("decisions", "decisions", kind="number"),
    ]
    rows = [_region(row, found, slug, lens) for row in chosen[:MOST_REGIONS]]
    table = plain_table(columns, rows, label="Regions and the options that reach them")
    rest = left_out(len(chosen) - len(rows), "choose an option, or see Regions")
    title = (
        f"{plural(len(chosen), 'region')} that {option or 'options'} {'decides' if option else 'decide'} in"
    )
    key: html.P | None = html.P(_KEY, className="figure-axes")
    if not chosen:
        why = f"{option} is in no decision of any region." if option else "No option is in any decision."
        if any(option in (*site.data, *site.control) for site in found.result.sites if site.decides):
            why = f"{option} decides only in regions that are left out, because they only parse options."
        table, key = html.Div(html.P(why, className="quiet")), None
    tip = help_tip(_REGIONS_HELP, "explanation/white-box")
    return card(title, _filter(found, option), key, html.Div(table, className="deciding"), rest, more=tip)


def _filter(found: WhiteBoxDetail, option: str) -> html.Div:
    """A button for each option with the number of regions that it reaches."""
    known = {name: sum(name in row.options for row in found.regions) for name in found.result.options}
    buttons: list[Piece] = [
        html.Button(
            [name, html.Span(count(number), className="choice-count")],
            type="button",
            className="choice",
            title=f"{name} decides in {plural(number, 'region')}",
            **attributes(
                data_lens=json.dumps({"reached": None if name == option else name}),
                aria_pressed=str(name == option).lower(),
            ),
        )
        for name, number in known.items()
    ]
    return html.Div(buttons, className="choices choices-many")


def _region(row: RegionDependencies, found: WhiteBoxDetail, slug: str, lens: Lens) -> dict[str, Content]:
    at = lens.but(region=row.key, revision=found.revision)
    chips: list[Piece] = [
        html.A(
            name,
            href=address(slug, REGIONS, row.key, at, option=name),
            className="chip chip-option chip-under" if name in row.counted else "chip chip-option",
            title=_COUNTED.format(name, row.key) if name in row.counted else f"How {name} gets to {row.key}",
        )
        for name in row.options[:_MOST_CHIPS]
    ]
    if len(row.options) > _MOST_CHIPS:
        rest = row.options[_MOST_CHIPS:]
        said = ", ".join(rest)
        named = attributes(aria_label=f"{plural(len(rest), 'more option')}: {said}")
        href = address(slug, REGIONS, row.key, at)
        chips.append(link(f"+{len(rest)}", href, quiet=True, title=said, **named))
    return {
        "region": link(row.key, address(slug, REGIONS, row.key, at), **attributes(data_row="true")),
        "options": html.Span(chips, className="chip-row"),
        "partition": _partition(row),
        "subspaces": count(row.subspaces),
        "decisions": count(row.decisions),
    }


def _partition(row: RegionDependencies) -> html.Span:
    if len(row.partitions) > 1:
        return html.Span(f"split into {len(row.partitions)} pairs of options", className="quiet")
    formulas = row.partitions[0] if row.partitions else ()
    few = formulas if len(formulas) <= _MOST_FORMULAS else formulas[:_FEW_FORMULAS]
    shown: list[Piece] = [html.Span(text, className="formula-part") for text in few]
    if len(formulas) > len(few):
        shown.append(html.Span(f"and {len(formulas) - len(few)} more", className="quiet"))
    return html.Span(shown, className="formula-parts")


def _options(found: WhiteBoxDetail) -> list[Piece]:
    """The options without a decision, and in how many runs that was looked at."""
    runs = f"in any of {plural(len(found.result.traced), 'traced configuration')}"
    cards_of = {
        "Read by nothing": (found.result.unread, f"The program never looked at them {runs}."),
        "Decide nothing": (
            found.undecided,
            f"They are read, but were in no decision {runs}: they do not change which code runs.",
        ),
    }
    return [
        card(title, html.P(said), *name_list(names, len(names)))
        for title, (names, said) in cards_of.items()
        if names
    ]


def _failed(found: WhiteBoxDetail) -> list[Piece]:
    failed = found.result.failed
    if not failed:
        return []
    rows: list[Piece] = [
        html.Div(
            [
                code(differing(one.levels, found)),
                html.Div(f"{one.status}: {one.message}" if one.message else one.status, className="warn"),
                html.Div(one.place, className="quiet"),
            ],
            className="failure",
        )
        for one in failed
    ]
    content: list[Piece] = [html.Div(rows[:_MOST_FAILED], className="failure-list")]
    if len(rows) > _MOST_FAILED:
        summary = html.Summary(f"{len(rows) - _MOST_FAILED} more")
        more = html.Div(rows[_MOST_FAILED:], className="failure-list")
        content.append(html.Details([summary, more], className="more"))
    return [card(f"{plural(len(failed), 'configuration')} failed", *content)]
