"""Parts of the page of histories: what can be chosen, the changes, the revision, the numbers as a table."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import dash_ag_grid as dag
from dash import html

from dashboard.access import Access
from dashboard.figures.histories_drifts import drift_interval, slowly_text
from dashboard.figures.histories_words import (
    annotation_text,
    certain,
    doubt_text,
    interval,
    power_text,
    revision_text,
    revision_title,
    same_code,
    scale_of,
    shortened,
    signed_percent,
)
from dashboard.figures.machine_words import adjusted_text, disturbed_text, reference_text
from dashboard.figures.numbers import DisplayScale, number, percent, plural, share, signed
from dashboard.figures.release_words import released_text
from dashboard.pages.addresses import INFLUENCES, REGIONS, address, pair_address
from dashboard.pages.components.blocks import Content, Piece, facts, link, neighbour_buttons
from dashboard.pages.components.revisions import revision_line
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.histories.ids import FIGURE
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.counted import Pair, measured_pair
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import ChangeRow, DriftRow, History, SeriesRow
from dashboard.selectors.histories.series import find_series

# So many functions are named at a change.
_MOST_MOVED = 5
_GROUPS = {
    "configuration": "Configurations",
    "term": "Terms",
    "region": "Regions",
    "benchmark": "Benchmarks",
}


def series_choices(series: Sequence[SeriesRow]) -> list[dict[str, Any]]:
    """What there is to choose from, grouped by kind; workload and environment are named where several exist."""
    places = {(row.workload, row.environment) for row in series}
    groups: dict[str, list[dict[str, str]]] = {}
    for row in sorted(series, key=lambda row: (row.kind, row.label != "default", len(row.label), row.label)):
        where = f" · {row.workload}, {row.environment}" if len(places) > 1 else ""
        label = f"{row.label} · {row.measure}{where}"
        groups.setdefault(_GROUPS[row.kind], []).append({"value": str(row.series_id), "label": label})
    return [{"group": name, "items": items} for name, items in groups.items()]


def chosen_series(access: Access, lens: Lens) -> SeriesRow:
    """The series that the lens chooses. Raises `NotFound`."""
    return find_series(system=access.system, series_id=lens.settings.get("series", ""), term=lens.term)


def reason_and_gain(reason: str, gain: float | None) -> list[str]:
    """Why a revision is worth measuring, and what that should bring where it is known."""
    return [shortened(reason), *([f"gain about {percent(100 * gain, 2)}"] if gain else [])]


def changes_list(
    history: History,
    scale: DisplayScale,
    moved: Mapping[Pair, Sequence[tuple[str, float]]],
    button: Callable[[ChangeRow], Piece] = lambda _change: None,
    again: Callable[[int, int], Piece] = lambda _first, _last: None,
) -> Content:
    """The slow drift of the last level, and the changes, the latest first, each with its bracket and size and its `button`; or why none is claimed.

    `moved` are the functions that did more or less between two revisions, where that was counted. What is not decided, from its
    first to its last position, has a button that measures it `again`.
    """
    if not history.enough_data:
        return html.P("Too few measurements to claim or deny any change.", className="quiet")
    pieces: list[html.Li] = []
    if history.drift is not None:
        pieces.append(_drifted(history.drift, history.series, scale))
    for change in reversed(history.changes):
        doubt = doubt_text(change)
        if change.unmeasured:
            doubt += f"; {plural(change.unmeasured, 'revision')} between not measured"
        elif change.probability < 0.95:
            doubt += f"; between exactly these two with {share(change.probability)}"
        doubt = "; ".join(filter(None, [doubt, released_text(change.released_in, change.place[1].name)]))
        size = html.Span(interval(change, scale), className="slower" if change.is_slower else "faster")
        where = f"{revision_text(change.before.name)} → {revision_text(change.after.name)}"
        moves = _moves(moved.get(measured_pair(history, change), ()))
        pieces.append(_change(size, where, doubt, moves, button(change)))
    pieces += [_undecided(history, at, again) for at in range(len(history.undecided))]
    if not pieces:
        least = "0.5" if history.series.clock == "count" else "2"
        return html.P(power_text(history) or f"No change of {least} % or more.", className="quiet")
    return html.Ol(pieces, className="change-list")


def last_two(slug: str, history: History) -> html.P | None:
    """The way to the last two revisions by themselves, where a history is too short: they can be told apart by their repetitions."""
    if history.enough_data or len(history.measured) < 2:
        return None
    before, after = (point.revision for point in history.measured[-2:])
    both = link("Compare the last two by themselves", pair_address(slug, before, after))
    return html.P(both, className="links")


def _undecided(history: History, at: int, again: Callable[[int, int], Piece]) -> html.Li:
    """What may be a change or an outlier, where it is, and what decides it: a revision beside it, or, where all were measured, itself."""
    one, names = history.undecided[at], history.order.names
    size = html.Span(f"{signed_percent(one.relative_size)}?", className="quiet")
    # The first and the last revision that may have changed, or the only one.
    where = " to ".join(dict.fromkeys(revision_text(names[at]) for at in (one.first, one.last)))
    if one.went_away:
        return _change(size, where, "went away again")
    open_beside = {one.first - 1, one.last + 1} & names.keys() - {p.position for p in history.points}
    what = "a revision beside it" if open_beside else "it again"
    differs = "differs from its neighbours" if one.first == one.last else "differ from their neighbours"
    return _change(size, where, f"{differs}: measure {what} to decide", again(one.first, one.last))


def _change(size: html.Span, where: str, doubt: Content, *more: Piece) -> html.Li:
    return html.Li([size, html.Span(where, className="code"), html.Span(doubt, className="quiet"), *more])


def _drifted(drift: DriftRow, series: SeriesRow, scale: DisplayScale) -> html.Li:
    told = slowly_text(drift.first.released_at, drift.last.released_at)
    told += f"; {certain(drift.certainty, is_candidate=drift.is_candidate)}"
    size = html.Span(
        drift_interval(drift, series, scale), className="slower" if drift.is_slower else "faster"
    )
    return _change(size, f"{revision_text(drift.first.name)} → {revision_text(drift.last.name)}", told)


def _moves(moved: Sequence[tuple[str, float]]) -> html.Ul | None:
    """The functions that did more or less, the largest difference first; those beyond `_MOST_MOVED` together."""
    if not moved:
        return None
    rows = [(html.Span(region, className="code"), amount) for region, amount in moved[:_MOST_MOVED]]
    if rest := moved[_MOST_MOVED:]:
        rows.append((html.Span(plural(len(rest), "more function")), fsum(amount for _, amount in rest)))
    return html.Ul([html.Li([name, html.Span(signed(amount))]) for name, amount in rows], className="moved")


def revision_card(
    history: History,
    place: RevisionPlace | None,
    access: Access,
    lens: Lens,
    beside: Sequence[tuple[Content, Content]] = (),
) -> Content:
    """The chosen revision: what it is, what was measured or is expected there, and where to look next.

    `beside` are further names and values of it, from other histories.
    """
    steps = revision_steps(history, "" if place is None else place.name)
    if place is None:
        return [html.P("Click one in the figure, or begin with the last.", className="quiet"), steps]
    scale = scale_of(history)
    point = next((point for point in history.points if point.position == place.position), None)
    band = next((row for row in history.band if row.position == place.position), None)
    rows: list[tuple[Content, Content]] = []
    if point is not None:
        rows.append(("measured", f"{number(point.median, scale=scale)}, {plural(point.n, 'run')}"))
        if point.same_as:
            rows.append(("where", same_code(point)))
        if adjusted := adjusted_text(history, point.revision):
            measured = point.median / (1 + history.adjusted[point.revision])
            rows.append(("adjusted", f"{adjusted}; {number(measured, scale=scale)} before"))
        told = {
            "reference run": reference_text(history, point.revision),
            "machine": disturbed_text(history, point),
        }
        rows += [(name, words) for name, words in told.items() if words]
    elif band is not None:
        low, high = number(band.lower_95, scale=scale), number(band.upper_95, scale=scale)
        value = number(band.estimate, scale=scale)
        rows.append(("expected", f"{value}; {low} to {high} with 95 % certainty"))
    rows += beside
    here = lens.but(revision=place.name)
    links: list[Piece] = [
        link("Influences here", address(access.slug, INFLUENCES, lens=here)),
        link("Regions here", address(access.slug, REGIONS, lens=here)),
    ]
    earlier = [one.revision for one in history.measured if one.position < place.position]
    if earlier:
        links.append(link("Compare with the one before", pair_address(access.slug, earlier[-1], place.name)))
    is_measured = point is not None and not point.same_as
    return [
        steps,
        revision_line(place, access.system.host_link),
        facts(rows),
        html.P(links, className="links") if is_measured else None,
    ]


def revision_steps(history: History, now: str) -> html.Div:
    """Buttons to the measured revisions beside `now`, and the keys `[` and `]` with them; of none to the last measured one."""
    names = [*(point.revision for point in history.measured), *([] if now else [""])]
    if now not in names:
        names = list(history.order.names.values())
    return html.Div(neighbour_buttons(names, now, ("‹ earlier", "later ›"), titled=True), className="choices")


def points_table(history: History, scale: DisplayScale) -> dag.AgGrid:
    """Every revision of the order with its band, and its measurements where there are any."""
    measured = {point.position: point for point in history.points}
    places = {place.position: place for place in history.order.revisions}
    rows = []
    for row in history.band:
        place, point = places[row.position], measured.get(row.position)
        notes = [annotation_text(one) for one in history.annotations if one.first.position == row.position]
        if point and point.same_as:
            notes.append(same_code(point))
        elif point:
            notes += [adjusted_text(history, point.revision), disturbed_text(history, point)]
        rows.append(
            {
                "revision": revision_title(place.name, place.message),
                "estimate": row.estimate * scale.factor,
                "low": row.lower_95 * scale.factor,
                "high": row.upper_95 * scale.factor,
                "median": point.median * scale.factor if point else None,
                "runs": point.n if point else None,
                "note": "; ".join(note for note in notes if note),
            }
        )
    columns = [
        Column("revision", "revision", kind="code"),
        Column("median", "measured", scale.unit, "number"),
        Column("runs", "runs", "", "number", 0),
        Column("estimate", "estimate", scale.unit, "number"),
        Column("low", "95 % from", scale.unit, "number"),
        Column("high", "to", scale.unit, "number"),
    ]
    if any(row["note"] for row in rows):
        columns.append(Column("note", "where"))
    return data_table(columns, rows, id_=f"{FIGURE.card}-grid")
