"""The history's part of an overview: the last change and the latest value."""

from dash import html

from dashboard.access import Access
from dashboard.figures.histories_drifts import drifted, over
from dashboard.figures.histories_words import (
    certain,
    changed,
    is_commit,
    place_text,
    revision_text,
)
from dashboard.figures.numbers import count, fixed, number, plural
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Piece, card, code, facts, link
from dashboard.pages.components.revisions import revision_line
from dashboard.pages.components.sparkline import sparkline
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.rows import ChangeRow, History, largest_change, last_change


def history_sentence(name: str, history: History) -> str:
    """What the history tells of a system without an influence model."""
    measured = f"{name} was measured at {plural(len(history.points), 'revision')}"
    if (largest := largest_change(history.changes)) is not None:
        first = (
            f"{name} {changed(largest, history.series)} {place_text(largest)} ({certain(largest.certainty)})"
        )
        changes = len(history.changes)
        return f"{first}, the largest of its {count(changes)} changes" if changes > 1 else first
    if (drift := history.drift) is not None:
        told = f"{drifted(drift, history.series)}{over(drift.first.released_at, drift.last.released_at)}"
        return f"{name} {told} ({certain(drift.certainty, is_candidate=drift.is_candidate)})"
    if not history.enough_data:
        return f"{measured}, too few to tell a change"
    return (
        f"{measured} and did not change between {revision_text(history.points[0].revision)} and "
        f"{revision_text(history.points[-1].revision)}"
    )


def change_words(change: ChangeRow) -> str:
    """`67 % slower between 2.5.2 and 2.6.0 (97 % certain)`."""
    size = f"{fixed(100 * abs(change.relative), 0)}\N{NO-BREAK SPACE}%"
    return f"{size} {'slower' if change.is_slower else 'faster'} {place_text(change)} ({certain(change.certainty, is_candidate=change.is_candidate)})"


def history_card(access: Access, history: History, lens: Lens) -> html.Section:
    """The latest value and the last change; where that is a commit, its message, author and date."""
    first, latest, unit = history.points[0], history.points[-1], history.series.unit
    value = number(latest.median, unit=unit)
    same = len(history.points) - len(history.measured)
    rows: list[tuple[Piece, Piece]] = [
        ("Measured revisions", f"{count(len(history.measured))} of {count(len(history.order.revisions))}"),
        *([("With the same code as one of them", count(same))] if same else []),
        (f"Measured at {revision_text(latest.revision)}", value if unit else f"{value} (unknown unit)"),
    ]
    shape = sparkline(
        [(point.position, point.median) for point in history.points],
        f"From {number(first.median, unit=unit)} at {revision_text(first.revision)} "
        f"to {number(latest.median, unit=unit)} at {revision_text(latest.revision)}",
    )
    # The last change and, if that is another one, the largest.
    changes: list[Piece] = ["Too few points to tell a change."]
    commits: list[Piece] = []
    if history.changes:
        last, largest = last_change(history.changes), largest_change(history.changes)
        changes = ["Last change: ", _linked(last, history, access.slug, lens)]
        if largest not in (None, last):
            changes += ["; the largest: ", _linked(largest, history, access.slug, lens)]
        changes.append(".")
        _, after = last.place
        if is_commit(after.name):
            line = revision_line(after, access.system.host_link)
            commits = [html.P("The last commit of these:", className="quiet"), line]
    elif history.enough_data:
        changes = ["No step was found." if history.drift else "No change was found."]
    if (drift := history.drift) is not None:
        told = f"It {drifted(drift, history.series)}"
        changes += [" ", html.Span(told, className="slower" if drift.is_slower else "faster"), "."]
    return card(
        "History",
        shape,
        html.P([code(history.series.label), ". ", *changes]),
        facts(rows),
        *commits,
        more=link("Histories", address(access.slug, HISTORIES, lens=lens)),
    )


def _linked(change: ChangeRow, history: History, slug: str, lens: Lens) -> html.A:
    """The words of a change as a link to what it is made of."""
    href = address(slug, HISTORIES, lens=lens, series=str(history.series.series_id), step=change.after.name)
    return html.A(change_words(change), href=href, className="slower" if change.is_slower else "faster")
