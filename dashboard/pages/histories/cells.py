"""Histories as rows of a table: name with shape, what each is now, and its largest change."""

from collections.abc import Callable, Sequence

from dash import html

from dashboard.figures.histories_words import certain, change_size, level_now, revision_text, scale_of
from dashboard.figures.numbers import GAP, estimate_text, number
from dashboard.pages.addresses import pair_address
from dashboard.pages.components.blocks import Content, Piece, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.sparkline import sparkline
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.history_list.parts import history_address
from dashboard.selectors.histories.rows import History, SeriesRow, largest_change

# A line of a word's height shows no more places.
_PLACES = 150


def changes_table(
    histories: Sequence[History],
    slug: str,
    *,
    label: str,
    of: str,
    name: Callable[[SeriesRow], str],
    shown: int,
    folded: int,
    remedy: str = "",
) -> html.Div:
    """A row for each history, called by `name` below the head `of`; so many are `shown` at once, and so many at most."""
    columns = (
        Column("name", of),
        Column("now", "now", kind="number"),
        Column("change", "largest change", kind="number"),
    )
    table = folded_table(
        columns,
        [{"name": named_shape(one, name(one.series), slug)} | change_cells(one, slug) for one in histories],
        label=label,
        shown=shown,
        folded=folded,
        summary=f"{len(histories) - shown} more",
        remedy=remedy,
    )
    return html.Div(table, className="option-histories")


def named_shape(history: History, name: str, slug: str) -> html.Span:
    """The name as a link to the history, and its line with the 95 % band; changes are marked."""
    places = history.band[:: max(1, -(-len(history.band) // _PLACES))]
    shape: Piece = None
    if len(places) > 1:
        ends = [number(end.estimate, scale=scale_of(history)) for end in (places[0], places[-1])]
        shape = sparkline(
            [(float(place.position), place.estimate) for place in places],
            f"From {ends[0]} to {ends[1]}, with its 95{GAP}% band",
            band=[(place.lower_95, place.upper_95) for place in places],
            marks=[float(change.after.position) for change in history.changes],
        )
    return html.Span([link(html.Code(name), history_address(slug, history.series.series_id)), shape])


def change_cells(history: History, slug: str) -> dict[str, Content]:
    """`now` and `change`: the level at the newest measured revision, and the largest change with its certainty."""
    scale, largest = scale_of(history), largest_change(history.changes)
    size: Piece = "none" if history.enough_data else "too few to tell"
    if largest is not None:
        look = "slower" if largest.is_slower else "faster"
        told = certain(largest.certainty, is_candidate=largest.is_candidate)
        ends = (largest.before.name, largest.after.name)
        between = html.Code(" → ".join(map(revision_text, ends)))
        size = html.Span(
            [
                html.Span(change_size(largest, scale), className=look),
                html.Div(link(between, pair_address(slug, *ends), title="Compare before and after")),
                html.Div(told, className="quiet"),
            ]
        )
    now = level_now(history)
    return {
        "now": exact(estimate_text(now, scale=scale), now.value * scale.factor, scale.unit),
        "change": size,
    }
