"""Parts of the pages of a benchmark suite: a benchmark's name as a link, a change in words, tables of histories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dash import html

from dashboard.figures.histories_words import certain
from dashboard.figures.numbers import GAP, fixed, number
from dashboard.pages.addresses import HISTORIES, address
from dashboard.pages.components.blocks import Piece, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.sparkline import sparkline
from dashboard.pages.components.tables import Column, plain_table
from dashboard.selectors.history_list.rows import ListedChange, ListedHistory

# A step to more than so many times the level before is told as a factor.
_LARGE = 10.0
# Below, a digit after the point is told.
_SMALL = 0.1
_SHAPE = Column("shape", "Shape")
_LATEST = Column("latest", "Latest", kind="number")
_COLUMNS = (
    Column("name", "History of"),
    Column("last", "Last change", kind="number"),
    Column("day", "On"),
    Column("largest", "Largest change", kind="number"),
    Column("changes", "Changes", kind="number"),
    Column("gap", "Least certain, ±", kind="number"),
    _LATEST,
    Column("measured", "Revisions", kind="number"),
    _SHAPE,
)


def history_address(slug: str, series_id: int) -> str:
    """The address of one history: the path changes, so the page is made anew."""
    return address(slug, HISTORIES, str(series_id), series=str(series_id))


def histories_table(rows: Sequence[ListedHistory], slug: str, label: str) -> html.Div:
    """Histories with all that a list says of them."""
    table = plain_table(_COLUMNS, [_cells(row, slug) for row in rows], label=label)
    return html.Div(table, className="suite-table")


def history_name(row: ListedHistory, href: str) -> list[Piece]:
    """What the history is of, as a link to it, and where it was measured."""
    return [
        link(html.Code(row.label), href),
        html.Div(row.environment, className="suite-environment"),
    ]


def change_text(change: ListedChange, quantity: str) -> str:
    """`45 % slower`, `53 times as slow`: the size of a step and its direction.

    An influence may be zero, so its steps are shares of what the default takes: `less by 31 % of the default`.
    """
    is_time, is_influence = quantity == "time", quantity == "influence"
    if change.relative + 1 > _LARGE and not is_influence:
        return f"{fixed(change.relative + 1, 0)} times as {'slow' if is_time else 'much'}"
    if is_time:
        way = "slower" if change.is_worse else "faster"
    else:
        way = "more" if change.relative > 0 else "less"
    if change.of_share:
        way = f"{'more' if change.relative > 0 else 'less'} of the whole"
    size = _percent(abs(change.relative))
    if change.error:
        size = number(100 * abs(change.relative), 100 * change.error, "%")
    return f"{way} by {size} of the default" if is_influence else f"{size} {way}"


def day(moment: datetime | None) -> str:
    """`2 Feb 2022`, on one line."""
    return f"{moment:%-d{GAP}%b{GAP}%Y}" if moment is not None else "–"


def _cells(row: ListedHistory, slug: str) -> dict[str, Any]:
    last = row.last
    changes = str(row.changes) if row.enough_data or row.changes else "too few to tell"
    shape: Piece = "–"
    # One point has no shape.
    if len(row.shape) > 1:
        first, latest = (number(row.shape[end][1], unit=row.unit) for end in (0, -1))
        shape = sparkline(row.shape, f"From {first} to {latest}")
    return {
        "name": history_name(row, history_address(slug, row.series_id)),
        "latest": exact(number(row.latest, unit=row.unit), row.latest, row.unit),
        "last": sized(last, row.quantity),
        "day": day(last.at if last else None),
        "largest": sized(row.largest, row.quantity),
        "changes": changes if row.latest is not None else "–",
        "gap": exact(_percent(row.gap), row.gap, "share"),
        "measured": str(row.measured),
        "shape": shape,
    }


def _percent(part: float | None) -> str:
    """`46 %`, `2.4 %`: no share of a whole, so it may be 100 and more; beyond ten times it is not told apart."""
    if part is None:
        return "–"
    if part > _LARGE:
        return f">{GAP}{fixed(100 * _LARGE, 0)}{GAP}%"
    return f"{fixed(100 * part, 0 if part >= _SMALL else 1)}{GAP}%"


def sized(change: ListedChange | None, quantity: str) -> Piece:
    """The size of a change in the colour of its direction, and how certain it is; exactly a share of the level before."""
    if change is None:
        return "–"
    size = html.Span(change_text(change, quantity), className="slower" if change.is_worse else "faster")
    told: Piece = exact(size, change.relative, "share")
    if change.certainty is None:
        return told
    return html.Span(
        [told, html.Div(certain(change.certainty, is_candidate=change.is_candidate), className="quiet")]
    )
