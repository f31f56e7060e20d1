"""The regions that take most time, and those that options change most."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.influences import amount, influence_bar
from dashboard.figures.influences_bars import Bar, bar_rows
from dashboard.figures.influences_words import (
    at_text,
    quantity_text,
    region_text,
    shortened,
    term_names,
    term_short,
)
from dashboard.figures.numbers import DisplayScale, estimate_text, number, scale_for, share
from dashboard.figures.theme import palette
from dashboard.selectors.regions.rows import RegionList, RegionRow

MOST = 10
_LENGTH = 56


def hotspots_figure(found: RegionList, shown: Sequence[RegionRow], *, scheme: str | None = None) -> go.Figure:
    """What each of the first `MOST` regions takes at the base."""
    drawn, model, colours = shown[:MOST], found.model, palette(scheme)
    scale = scale_for([one.time for one in drawn], model.unit)
    bars = [
        Bar(
            key=one.key,
            label=shortened(region_text(one.name), _LENGTH),
            amount=f"{_taken(one, scale)}  {share(one.share)}",
            start=0.0,
            end=one.time,
            low=one.taken.low if one.taken else None,
            high=one.taken.high if one.taken else None,
            colour=colours.ink_faint,
            hover=f"{one.package}<br><b>{one.name}</b>",
        )
        for one in drawn
    ]
    axis = f"{quantity_text(model)} {at_text(found.base)}, {scale.unit}"
    return bar_rows(bars, axis=axis, scale=scale, colours=colours)


def _taken(row: RegionRow, scale: DisplayScale) -> str:
    return number(row.time, scale=scale) if row.taken is None else estimate_text(row.taken, scale=scale)


def option_hotspots_figure(
    found: RegionList, shown: Sequence[RegionRow], *, scheme: str | None = None
) -> go.Figure:
    """The largest term of each of the first `MOST` regions, with its 95 % interval."""
    model, colours = found.model, palette(scheme)
    drawn = [(one, one.largest) for one in shown[:MOST] if one.largest is not None]
    scale = scale_for([term.influence.value for _, term in drawn], model.unit)
    bars = [
        influence_bar(
            term.influence,
            model,
            colours,
            key=one.key,
            label=shortened(f"{region_text(one.name)}: {term_short(term)}", 2 * _LENGTH),
            amount=amount(term.influence, scale),
            hover=f"{one.package}<br><b>{one.name}</b><br>{term_short(term)}",
        )
        for one, term in drawn
    ]
    axis = f"largest influence on the region's {quantity_text(model)}, {scale.unit}"
    return bar_rows(bars, axis=axis, scale=scale, colours=colours)


def hotspots_finding(found: RegionList, shown: Sequence[RegionRow]) -> str:
    """Which regions take most of the time."""
    if not shown:
        return "No region is shown"
    first = shown[0]
    sentence = f"{region_text(first.name)} takes {share(first.share)}"
    shares = [one.share or 0.0 for one in shown[:MOST]]
    if len(shares) > 1:
        sentence += f"; the first {len(shares)} together {share(min(sum(shares), 1.0))}"
    total = number(found.base_time.value, None, found.model.unit)
    return f"{sentence} of {total}"


def option_hotspots_finding(found: RegionList, shown: Sequence[RegionRow]) -> str:
    """Which region options change most, and how few of all change at all."""
    if not shown or shown[0].largest is None:
        return "No option changes the time of a region that is shown"
    term = shown[0].largest
    size = number(term.influence.value, None, found.model.unit, signed=True)
    changed = sum(not row.is_program for row in shown)
    count = f"options change {changed} of {len(found.measured)} regions"
    return f"{region_text(shown[0].name)} changes most: {size} by {term_names(term)}; {count}"
