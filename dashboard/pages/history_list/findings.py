"""Findings as a table: one row each with its size, how certain it is and where; what was filtered, counted."""

from collections.abc import Sequence

from dash import html

from dashboard.access import Access
from dashboard.figures.counts_words import beside_time, move_text
from dashboard.figures.histories_drifts import slowly_text
from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import count, number, percent, plural
from dashboard.pages.addresses import REGIONS, address, pair_address
from dashboard.pages.components.blocks import Content, Piece, attributes, lens_button, link
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.components.triage import triage_chip, triage_control, triage_words
from dashboard.pages.history_list.parts import day, history_address, history_name, sized
from dashboard.selectors.history_list.rows import FoundChanges, HistoryQuery, ListedChange, ListedFinding
from dashboard.selectors.triage import DONE, OPEN, STATES

# Of the series between which cost moved, so many are named.
_NAMED = 3
_COLUMNS = (
    Column("state", "State"),
    Column("where", "Histories"),
    Column("size", "Change", kind="number"),
    Column("between", "Between the revisions"),
    Column("day", "On"),
)
# Why something is not told, in the words of a count: `12 went away`.
FILTERED = {
    "candidate": "candidates, not certain enough",
    "went away": "went away again",
    "cost shift": "moved within a sum that stayed",
    "machine": "of the machine, whose reference moved as well",
    "possible move": "that may only have moved, measure again",
}


def findings_content(found: FoundChanges, access: Access, *, settable: bool = True) -> list[Piece]:
    """The findings that are told. Unless they are `settable`, for who may, states are only shown."""
    done = [f"{count(many)} {state}" for state, many in found.states if state in DONE]
    nothing = "Nothing changed that needs to be told."
    if found.hidden:
        nothing = f"None is left of {plural(found.hidden, 'finding')}."
    pieces: list[Piece] = [html.P(nothing, className="quiet")]
    if found.told:
        pieces = [_table(found.told, access, "Findings", settable=settable)]
    if found.hidden and not settable:
        pieces.append(html.P(f"Not shown: {', '.join(done)}.", className="quiet"))
    if found.by_hand:
        table = _table(found.by_hand, access, "Set by hand", settable=settable)
        pieces += [html.H3("Set by hand", className="card-title triage-by-hand"), table]
    if found.unfitted:
        waiting = plural(found.unfitted, "history", "histories")
        pieces.append(html.P(f"{waiting} wait to be fitted and are not searched yet.", className="quiet"))
    if found.regions or found.unsearched:
        told = f"{plural(found.regions, 'region')} searched for changes, of what they cost and as shares of the whole."
        if found.unsearched:
            waiting = plural(found.unsearched, "configuration")
            told += f" In {waiting} regions wait to be searched, or searched again."
        pieces.append(html.P(told, className="quiet"))
    return pieces


def filtered_texts(found: FoundChanges) -> list[str]:
    """`Not told: 12 candidates, not certain enough` for each of `FILTERED`; "" where nothing was filtered for that."""
    counts = {why: many for why, many, _ in found.filtered}
    return [
        f"Not told: {count(counts[why])} {words}" if why in counts else "" for why, words in FILTERED.items()
    ]


def filtered_content(found: FoundChanges, access: Access) -> dict[str, list[Piece]]:
    """What was filtered as a table, by its reason of `FILTERED`."""
    return {
        why: [_table(some, access, FILTERED[why], settable=True), left_out(total - len(some))]
        for why, total, some in found.filtered
    }


def states_filter(found: FoundChanges, query: HistoryQuery) -> Piece:
    """What people said of the findings as buttons with counts, that leave only such; nothing where there is no finding."""
    if not found.states:
        return None
    counts = dict(found.states)
    offered = [("", "open", sum(many for state, many in found.states if state in OPEN))]
    offered += [(state, state, counts[state]) for state in STATES if state in counts]
    offered.append(("all", "all", sum(counts.values())))
    buttons = [
        lens_button(
            [html.Span(name), html.Span(count(many), className="numeral quiet")],
            {"state": state or None, "findings_page": None},
            pressed=state == query.state,
            name=f"Show {name}: {plural(many, 'finding')}",
        )
        for state, name, many in offered
    ]
    done = [f"{count(many)} {state}" for state, many in found.states if state in DONE]
    hidden = f"Not shown: {', '.join(done)}." if done and not query.state else ""
    return html.Div(
        [
            html.Div(
                buttons, className="choices", role="group", **attributes(aria_label="Findings by state")
            ),
            html.Span(hidden, className="quiet"),
        ],
        className="triage-filter",
    )


def way(finding: ListedFinding) -> str:
    """`slower`, `faster`; `worse` or `better` of anything but time."""
    first = finding.shown[0]
    worse = first.last is not None and first.last.is_worse
    if first.quantity == "time" and not (first.last is not None and first.last.of_share):
        return "slower" if worse else "faster"
    return "worse" if worse else "better"


def own_place(change: ListedChange | None, finding: ListedFinding) -> str:
    """`By itself: 3.11 → 3.11.1`: where a history alone places what several together place elsewhere; "" where it agrees."""
    if change is None or (change.before, change.after) == (finding.before, finding.after):
        return ""
    return f"By itself: {revision_text(change.before)} → {revision_text(change.after)}"


def slow_text(change: ListedChange | None) -> str:
    """`Slowly over 12 months: no step explains it`; "" of a step."""
    if change is None or not change.is_slow:
        return ""
    return slowly_text(change.slow_from, change.at)


def reason_text(finding: ListedFinding) -> str:
    """Why a change is not told: `4.1 % of the module a moved from f to g; together they changed by +0.1 ± 0.5 %`; "" where its count says it."""
    if (machine := finding.machine) is not None:
        size = number(100 * abs(machine.relative), 100 * machine.error, "%")
        return f"Reference runs became {size} {'slower' if machine.relative > 0 else 'faster'} there, too"
    if (possible := finding.possible) is not None:
        odds = percent(100 * possible.probability, 0)
        return (
            f"With {odds} it only moved within {possible.domain}: "
            f"{listed(finding.may_have_moved)} scatter too much to tell. Measure again"
        )
    if (move := finding.move) is None:
        return ""
    ends = [
        f"{way} {listed(names)}" for way, names in (("from", finding.moved_from), ("to", finding.moved_to))
    ]
    left = number(100 * move.left, 100 * move.error, "%", signed=True)
    return f"{percent(100 * move.share)} of {move.domain} moved {' '.join(ends)}; together they changed by {left}"


def counts_text(finding: ListedFinding) -> str:
    """What counts say: `Work +4.9 % (render +4.8 %)`, that they are equal or never were taken there, or that they changed alone.

    "" where the system counts nothing.
    """
    counts, change = finding.counts, finding.shown[0].last
    if counts is None or change is None:
        return ""
    if counts.move is None:
        return f"{counts.quantity.capitalize()} was never counted there"
    if counts.is_alone:
        return f"Of counts alone, no change of the time is told: {move_text(counts.move, counts.quantity)}"
    said = beside_time(change.relative, counts.move, counts.quantity)
    return said[0].upper() + said[1:]


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {count(len(names) - _NAMED)} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _state(finding: ListedFinding, access: Access, *, settable: bool) -> Piece:
    if not settable:
        return triage_chip(finding.triage)
    revision = revision_text(finding.after)
    return triage_control(
        access,
        finding.triage,
        finding.key,
        of="finding",
        name=f"{finding.shown[0].label} at {revision}",
        beside=finding.beside,
        revision=revision,
    )


def _table(findings: Sequence[ListedFinding], access: Access, label: str, *, settable: bool) -> html.Div:
    rows: list[dict[str, Content]] = []
    slug = access.slug
    for finding in findings:
        pages = [
            address(slug, REGIONS, one.region) if one.region else history_address(slug, one.series_id)
            for one in finding.shown
        ]
        first, *others = (
            (one, history_name(one, page)) for one, page in zip(finding.shown, pages, strict=True)
        )
        row, where = first
        reasons = (
            own_place(row.last, finding),
            slow_text(row.last),
            reason_text(finding),
            counts_text(finding),
        )
        for reason in filter(None, reasons):
            where = [*where, html.Div(reason, className="suite-reason")]
        if others:
            items = [html.Li([*name, sized(one.last, one.quantity)]) for one, name in others]
            summary = html.Summary(f"and {plural(finding.histories - 1, 'history', 'histories')} more")
            more = left_out(finding.histories - len(finding.shown))
            where = [*where, html.Details([summary, html.Ul(items), more], className="more")]
        where = [*where, triage_words(finding.triage)]
        rows.append(
            {
                "state": _state(finding, access, settable=settable),
                "size": sized(row.last, row.quantity),
                "where": where,
                "between": link(
                    html.Code(f"{revision_text(finding.before)} → {revision_text(finding.after)}"),
                    pair_address(access.slug, finding.before, finding.after),
                    title="Compare before and after",
                ),
                "day": day(finding.at),
            }
        )
    return html.Div(plain_table(_COLUMNS, rows, label=label), className="suite-table")
