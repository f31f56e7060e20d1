"""Cards of an analysis: dependent regions with their partitions, unread options, failed configurations."""

from collections.abc import Sequence

from dash import html

from analytics.whitebox.evidence import CountedEffect
from analytics.whitebox.uncounted_time import LITTLE, uncounted_time
from dashboard.access import Access
from dashboard.figures.numbers import count, plural, share
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
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, plain_table, turning
from dashboard.pages.components.terms import option_link
from dashboard.pages.lens import Lens
from dashboard.pages.whitebox.evidence import evidence_cards
from dashboard.pages.whitebox.limits import differing, limit_cards, name_list
from dashboard.selectors.whitebox.analyses import checked_in_words
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail

# A row is a dozen components, and the browser takes longer for each the more there are: the others are a press away.
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
# At which region the list begins: a setting of the page.
BEGIN = "from"
_COUNTED = "Only counts show that {} matters in {}"
_REGIONS_HELP = (
    "Each region with a decision that an option has a say in, and its partition. Press an option for the way its "
    "value gets there. Of a region with too many subspaces each pair of its options has a partition of its own."
)
_COLUMNS = (
    Column("region", "region", kind="code"),
    Column("options", "changes with"),
    Column("partition", "partition", kind="code"),
    Column("subspaces", "subspaces", kind="number"),
    Column("decisions", "decisions", kind="number"),
)


_OPTIONS_SAID = (
    "Each configuration ran once with counters in every function, branch and loop. They have no noise: where one option "
    "alone is moved and a count changes, the option matters there. Percent are of all that the program does in a run on "
    "average{}; an option may change more than that."
)
_BEYOND = "Up to {} of the time is not counted: an option that works there changes more than this shows."
_TIMED = ", each count weighted by the time that it takes"
_MAY = (
    "The value of {} was seen on the way to a decision here, yet nothing that is counted here changed in {} that differ in "
    "it alone."
)
_PROCESSES = "With {} other processes work, whose time is here; nothing of them is counted."
_REFUTED = (
    "{}: refuted. Its value was seen on the way to a decision, yet in none of {} that differ in it alone, and in which the "
    "function did something, did anything change that is counted here."
)
_OPTION_COLUMNS = (
    Column("option", "option", kind="code"),
    Column("share", "changes up to", kind="number"),
    Column("region", "most of it in", kind="code"),
    Column("regions", "functions", kind="number"),
)


def _options(found: WhiteBoxDetail, slug: str, lens: Lens) -> html.Section | None:
    """What counts prove of each option: how much it changes at most, where, and in how many functions."""
    if not found.result.effects:
        return None
    at = lens.but(revision=found.revision)
    rows = [_option(name, own, found, slug, at) for name, own in found.option_effects]
    said = _OPTIONS_SAID.format(_TIMED if found.weights else "")
    recall, checked = found.result.recall, found.result.checked
    known = ""
    if checked is not None:
        known = checked_in_words(checked)
    elif recall is not None:
        known = f"Of all pairs of a function and an option that matters to it, these runs show {share(recall)}, as estimated."
    uncounted = uncounted_time(found.result.counted)
    beyond = _BEYOND.format(share(uncounted.most)) if uncounted and uncounted.most >= LITTLE else ""
    table = html.Div(
        plain_table(_OPTION_COLUMNS, rows, label="Options by what they change", revision=found.revision),
        className="option-effects",
    )
    return card(
        "What each option changes",
        html.P(said),
        html.P(beyond) if beyond else None,
        table,
        html.P(known, className="quiet") if known else None,
        more=help_tip(_REGIONS_HELP, "explanation/white-box"),
    )


def _option(
    name: str, own: Sequence[CountedEffect], found: WhiteBoxDetail, slug: str, lens: Lens
) -> dict[str, Content]:
    if not own:
        still = f"nothing, in {plural(found.result.pairs.get(name, 0), 'pair')} of runs"
        return {
            "option": option_link(slug, name, lens),
            "share": exact(share(0.0), 0.0, "share"),
            "region": html.Span(still, className="quiet"),
            "regions": "0",
        }
    region = own[0].region
    href = address(slug, REGIONS, region, lens.but(region=region), option=name)
    return {
        "option": option_link(slug, name, lens),
        "share": exact(share(found.share(own[0])), found.share(own[0]), "share"),
        "region": link(region, href),
        "regions": exact(count(len(own)), len(own)),
    }


def body(found: WhiteBoxDetail, access: Access, lens: Lens) -> html.Div:
    """All cards; `reached` of the lens's settings is the option that regions must be reached by, `from` at which one the list begins."""
    # Options without a decision, and in how many runs that was looked at.
    runs = f"in any of {plural(len(found.result.traced), 'traced configuration')}"
    unread = f"The program never looked at them {runs}."
    undecided = (
        f"They are read, but were in no decision {runs}: nothing shows that they change which code runs. "
        "What they change in libraries and in C does not show here."
    )
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
    tables = [one for one in (_options(found, access.slug, lens), _regions(found, access.slug, lens)) if one]
    return html.Div([*tables, cards(*small)], className="stack")


def _regions(found: WhiteBoxDetail, slug: str, lens: Lens) -> html.Section:
    """The regions that the chosen option changes, or any, then those it may; a button for each option with how many it changes."""
    option = lens.settings.get("reached", "")
    chosen = sorted(
        (row for row in found.regions if not option or option in row.options),
        key=lambda row: not _changed_by(row, option),
    )
    # Without counts nothing is proved to change.
    verb, preposition = ("change", "") if found.result.effects else ("decide", " in")
    buttons: list[Piece] = []
    for name in found.result.options:
        number = sum(_changed_by(row, name) for row in found.regions)
        text: list[Piece] = [name, html.Span(count(number), className="choice-count")]
        title = f"{name} {verb}s{preposition} {plural(number, 'region')}"
        change = {"reached": None if name == option else name, BEGIN: None}
        buttons.append(lens_button(text, change, pressed=name == option, title=title))
    content: list[Piece] = [html.Div(buttons, className="choices choices-many")]
    if chosen:
        at = lens.but(revision=found.revision)
        begin = min(lens.whole(BEGIN) or 0, (len(chosen) - 1) // MOST_REGIONS * MOST_REGIONS)
        rows = [_region(row, slug, at) for row in chosen[begin : begin + MOST_REGIONS]]
        # Without traces no decision was looked at.
        columns = _COLUMNS if any(row.n_decisions for row in found.regions) else _COLUMNS[:-1]
        table = plain_table(
            columns, rows, label="Regions and the options that reach them", revision=found.revision
        )
        turns = turning(begin, len(rows), len(chosen), most=MOST_REGIONS, setting=BEGIN, one="region")
        content += [html.P(_KEY, className="figure-axes"), html.Div(table, className="deciding"), turns]
    else:
        why = f"{option} is in no decision of any region." if option else "No option is in any decision."
        if any(option in (*site.data, *site.control) for site in found.result.sites if site.decides):
            why = f"{option} decides only in regions that are left out, because they only parse options."
        content.append(html.Div(html.Div(html.P(why, className="quiet")), className="deciding"))
    changed = sum(_changed_by(row, option) for row in chosen)
    title = f"{option or 'Options'} {verb}{'s' if option else ''}{preposition} {plural(changed, 'region')}"
    if changed < len(chosen):
        title += f", and may change {len(chosen) - changed} more"
    return card(
        title,
        *content,
        more=help_tip(_REGIONS_HELP, "explanation/white-box"),
    )


def _changed_by(row: RegionAnalysis, option: str) -> bool:
    """Whether counts prove that the option, or any, changes the region; without counts, whether it decides in it."""
    if not row.analysis.result.effects:
        return not option or option in row.options
    return any(one.option == option or not option for one in row.effects)


def _may(row: RegionAnalysis) -> html.Details:
    """The options that only taints speak for, folded away, and those that counts refute."""
    pairs = row.analysis.result.pairs
    possible = _PROCESSES if row.started else _MAY
    said = [possible.format(name, plural(pairs.get(name, 0), "pair") + " of runs") for name in row.possible]
    said += [_REFUTED.format(name, plural(many, "pair") + " of runs") for name, many in row.refuted.items()]
    parts = [f"{plural(len(row.possible), 'other' if row.effects else 'option')} may"] if row.possible else []
    parts += [f"{len(row.refuted)} refuted"] if row.refuted else []
    lines = [html.Div(line, className="quiet") for line in said]
    return html.Details([html.Summary(", ".join(parts)), *lines], className="more")


def _region(row: RegionAnalysis, slug: str, lens: Lens) -> dict[str, Content]:
    at, counted = lens.but(region=row.key), row.counted
    href = address(slug, REGIONS, row.key, at)
    proved = {one.option: share(row.analysis.share(one)) for one in row.effects}
    options = tuple(proved) if row.analysis.result.effects else row.options
    chips: list[Piece] = [
        html.A(
            f"{name} {proved[name]}" if name in proved else name,
            href=address(slug, REGIONS, row.key, at, option=name),
            className="chip chip-option chip-under" if name in counted else "chip chip-option",
            title=_COUNTED.format(name, row.key) if name in counted else f"How {name} gets to {row.key}",
        )
        for name in options[:_MOST_CHIPS]
    ]
    if (row.analysis.result.effects and row.possible) or row.refuted:
        chips.append(_may(row))
    if rest := options[_MOST_CHIPS:]:
        said = ", ".join(rest)
        named = attributes(aria_label=f"{plural(len(rest), 'more option')}: {said}")
        chips.append(link(f"{len(rest)} more", href, quiet=True, title=said, **named))
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
