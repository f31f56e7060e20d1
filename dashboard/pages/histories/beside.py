"""The card that shows time and counts of one configuration side by side."""

from dash import html

from dashboard.figures.histories_words import count_text, meaning, revision_text, scale_of, time_text
from dashboard.figures.numbers import number
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Content, card, link
from dashboard.selectors.histories.beside_rows import HistoriesBeside
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import History

# Counts may change at each revision: the latest are shown, the others folded.
_SHOWN = 5


def values_beside(
    found: HistoriesBeside | None, chosen: History, place: RevisionPlace | None
) -> list[tuple[Content, Content]]:
    """What the other of the two histories says at a revision, with its name; empty where nothing."""
    if found is None or place is None:
        return []
    other = found.other(chosen)
    scale = scale_of(other)
    return [
        (other.series.measure, number(point.median, scale=scale))
        for point in other.points
        if point.position == place.position
    ]


def beside_card(found: HistoriesBeside | None, chosen: History, slug: str) -> html.Section | None:
    """Where time or counts changed, what each says there, and what it means; None where only one of them is known."""
    if found is None:
        return None
    other = found.other(chosen)
    # What another workload says is no judgement of this one.
    is_same = other.series.workload == chosen.series.workload
    quantity, measure = (
        one.series.measure
        if is_same or one is chosen
        else f"{one.series.measure} (workload {one.series.workload})"
        for one in (found.counted, found.time)
    )
    rows = [
        html.Li(
            [
                html.Span(
                    f"{revision_text(change.before.name)} → {revision_text(change.after.name)}",
                    className="code",
                ),
                html.Span(time_text(change, measure)),
                html.Span(count_text(change, quantity)),
                html.Span(meaning(change, quantity) if is_same else "", className="quiet"),
            ]
        )
        for change in reversed(found.changes)
    ]
    nothing = html.P("Neither changed where both were measured.", className="quiet")
    listed = html.Ol(rows[:_SHOWN], className="change-list") if rows else nothing
    earlier = rows[_SHOWN:]
    summary = html.Summary(f"{len(earlier)} earlier")
    folded = html.Details([summary, html.Ol(earlier, className="change-list")], className="more")
    return card(
        f"{measure} and {quantity}",
        listed,
        folded if earlier else None,
        more=link("The other history", address(slug, HISTORIES, series=str(other.series.series_id))),
    )
