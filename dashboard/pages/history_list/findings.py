"""Findings as a table: one row each with its size, how certain it is and where; what was filtered, counted."""

from collections.abc import Sequence

from dash import html

from dashboard.access import Access
from dashboard.figures.histories_words import FILTERED, revision_text
from dashboard.figures.numbers import count, plural
from dashboard.figures.release_words import released_text
from dashboard.pages.addresses import REGIONS, address, pair_address
from dashboard.pages.components.blocks import Content, Piece, attributes, lens_button, link
from dashboard.pages.components.tables import Column, left_out, plain_table
from dashboard.pages.components.triage import triage_chip, triage_control, triage_words
from dashboard.pages.history_list.parts import day, history_address, history_name, sized
from dashboard.pages.history_list.words import counts_text, own_place, reason_text, slow_text
from dashboard.selectors.history_list.rows import FoundChanges, HistoryQuery, ListedFinding
from dashboard.selectors.triage import DONE, OPEN, STATES

_COLUMNS = (
    Column("state", "State"),
    Column("where", "Histories"),
    Column("size", "Change", kind="number"),
    Column("between", "Between the revisions"),
    Column("day", "On"),
)


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
        searched = plural(found.regions, "history", "histories")
        told = f"{searched} of a region in one configuration searched for changes, of what it costs and as a share of the whole."
        if found.unsearched:
            waiting = plural(found.unsearched, "configuration")
            told += f" In {waiting} regions wait to be searched, or searched again."
        pieces.append(html.P(told, className="quiet"))
    return pieces


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


def _between(finding: ListedFinding, slug: str) -> Content:
    """The two revisions, which lead to what else differs, and the release in which it came first."""
    pair = link(
        html.Code(f"{revision_text(finding.before)} → {revision_text(finding.after)}"),
        pair_address(slug, finding.before, finding.after),
        title="Compare before and after",
    )
    released = released_text(finding.released_in, finding.after)
    return [pair, html.Div(released, className="suite-reason")] if released else pair


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
                "between": _between(finding, access.slug),
                "day": day(finding.at),
            }
        )
    return html.Div(plain_table(_COLUMNS, rows, label=label), className="suite-table suite-findings")
