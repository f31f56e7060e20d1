"""The history's part of an overview: the last change and the latest value."""

from dash import html

from dashboard.figures.numbers import fixed, number
from dashboard.pages.components import Piece, card, code, facts, link
from dashboard.pages.components_text import plural
from dashboard.pages.frame_addresses import HISTORIES, address
from dashboard.pages.frame_lens import Lens
from dashboard.selectors.histories_rows import ChangeRow
from dashboard.selectors.overview_history import HistorySummary


def history_sentence(name: str, history: HistorySummary) -> str:
    """What the history tells of a system without an influence model."""
    measured = f"{name} was measured at {plural(len(history.points), 'revision')}"
    if history.change is not None:
        return f"{name} became {change_words(history.change)}"
    if not history.enough_data:
        return f"{measured}, too few to tell a change"
    return f"{measured} and did not change between {history.first} and {history.last}"


def change_words(change: ChangeRow) -> str:
    """`67 % slower between 2.5.2 and 2.6.0`."""
    size = f"{fixed(100 * abs(change.relative), 0)}\N{NO-BREAK SPACE}%"
    return f"{size} {'slower' if change.is_slower else 'faster'} between {change.before} and {change.after}"


def history_card(slug: str, history: HistorySummary, lens: Lens) -> html.Section:
    """The latest value and the last change."""
    latest = history.points[-1]
    rows: list[tuple[Piece, Piece]] = [
        ("Measured revisions", f"{len(history.points)} of {history.revisions}"),
        (f"At {latest.revision}", number(latest.median, latest.spread, history.series.unit)),
    ]
    words: list[Piece] = ["No change was found."]
    if history.change is not None:
        kind = "slower" if history.change.is_slower else "faster"
        words = ["Last change: ", html.Span(change_words(history.change), className=kind), "."]
    elif not history.enough_data:
        words = ["Too few points to tell a change."]
    return card(
        "History",
        html.P([code(history.series.label), ". ", *words]),
        facts(rows),
        more=link("Histories", address(slug, HISTORIES, lens=lens)),
    )
