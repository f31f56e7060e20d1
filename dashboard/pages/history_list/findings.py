"""Findings as a table: one row each with its size, how certain it is and where; what was filtered is folded below, counted."""

from collections.abc import Sequence

from dash import html

from dashboard.figures.histories_words import revision_text
from dashboard.figures.numbers import count, number, percent, plural
from dashboard.pages.addresses import REGIONS, address
from dashboard.pages.components.blocks import Content, Piece
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.history_list.parts import day, history_address, history_name, sized
from dashboard.selectors.history_list.rows import FoundChanges, ListedChange, ListedFinding

# Of the series between which cost moved, so many are named.
_NAMED = 3
# Days.
_MONTH = 365.25 / 12
_COLUMNS = (
    Column("where", "Histories"),
    Column("size", "Change", kind="number"),
    Column("between", "Between the revisions"),
    Column("day", "On"),
)
# Why something is not told, in the words of a count: `12 went away`.
_FILTERED = {
    "candidate": "candidates, not certain enough",
    "went away": "went away again",
    "cost shift": "moved within a sum that stayed",
    "machine": "of the machine, whose reference moved as well",
}


def findings_content(found: FoundChanges, slug: str) -> list[Piece]:
    """The findings that are told, and what was filtered with its count and its reason."""
    nothing = html.P("Nothing changed that needs to be told.", className="quiet")
    told = _table(found.told, slug, "Findings") if found.told else nothing
    counts = [f"{count(many)} {_FILTERED[why]}" for why, many, _ in found.filtered]
    folded: list[Piece] = (
        [
            html.Details(
                [
                    html.Summary(f"Not told: {', '.join(counts)}"),
                    *(
                        html.Section(
                            [
                                html.H3(_FILTERED[why].capitalize()),
                                _table(some, slug, _FILTERED[why]),
                                left_out(total - len(some)),
                            ]
                        )
                        for why, total, some in found.filtered
                    ),
                ],
                className="more",
            )
        ]
        if counts
        else []
    )
    unfitted = (
        html.P(
            f"{plural(found.unfitted, 'history', 'histories')} wait to be fitted and are not searched yet.",
            className="quiet",
        )
        if found.unfitted
        else None
    )
    return [told, *folded, unfitted]


def way(finding: ListedFinding) -> str:
    """`slower`, `faster`; `worse` or `better` of anything but time."""
    first = finding.shown[0]
    worse = first.last is not None and first.last.is_worse
    if first.quantity == "time":
        return "slower" if worse else "faster"
    return "worse" if worse else "better"


def slow_text(change: ListedChange | None) -> str:
    """`Slowly over 12 months: no step explains it`; "" of a step."""
    if change is None or not change.is_slow:
        return ""
    over = ""
    if change.slow_from is not None and change.at is not None:
        days = (change.at - change.slow_from).days
        months = round(days / _MONTH)
        over = f" over {plural(months, 'month') if months > 1 else plural(days, 'day')}"
    return f"Slowly{over}: no step explains it"


def reason_text(finding: ListedFinding) -> str:
    """Why a change is not told: `4.1 % of the module a moved from f to g; together they changed by +0.1 ± 0.5 %`; "" where its count says it."""
    if (machine := finding.machine) is not None:
        size = number(100 * abs(machine.relative), 100 * machine.error, "%")
        return f"Reference runs became {size} {'slower' if machine.relative > 0 else 'faster'} there, too"
    if (move := finding.move) is None:
        return ""
    ends = [
        f"{way} {listed(names)}" for way, names in (("from", finding.moved_from), ("to", finding.moved_to))
    ]
    left = number(100 * move.left, 100 * move.error, "%", signed=True)
    return f"{percent(100 * move.share)} of {move.domain} moved {' '.join(ends)}; together they changed by {left}"


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {count(len(names) - _NAMED)} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _table(findings: Sequence[ListedFinding], slug: str, label: str) -> html.Div:
    rows: list[dict[str, Content]] = []
    for finding in findings:
        pages = [
            address(slug, REGIONS, one.region) if one.region else history_address(slug, one.series_id)
            for one in finding.shown
        ]
        first, *others = (
            (one, history_name(one, page)) for one, page in zip(finding.shown, pages, strict=True)
        )
        row, where = first
        for reason in filter(None, (slow_text(row.last), reason_text(finding))):
            where = [*where, html.Div(reason, className="suite-reason")]
        if others:
            items = [html.Li([*name, sized(one.last, one.quantity)]) for one, name in others]
            summary = html.Summary(f"and {plural(finding.histories - 1, 'history', 'histories')} more")
            more = left_out(finding.histories - len(finding.shown))
            where = [*where, html.Details([summary, html.Ul(items), more], className="more")]
        rows.append(
            {
                "size": sized(row.last, row.quantity),
                "where": where,
                "between": html.Code(f"{revision_text(finding.before)} → {revision_text(finding.after)}"),
                "day": day(finding.at),
            }
        )
    return html.Div(plain_table(_COLUMNS, rows, label=label), className="suite-table")
