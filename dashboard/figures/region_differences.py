"""The regions that differ between two configurations, by how much, and by which term."""

import plotly.graph_objects as go

from dashboard.figures.influences import amount, influence_bar, interval_text
from dashboard.figures.influences_bars import bar_rows
from dashboard.figures.influences_words import at_text, quantity_text, region_text, shortened, term_text
from dashboard.figures.numbers import GAP, number, plural, scale_for
from dashboard.figures.theme import palette
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate
from dashboard.selectors.regions.rows import RegionList, RegionRow

MOST = 12
_LENGTH = 90


def differing(found: RegionList) -> tuple[tuple[RegionRow, Estimate], ...]:
    """The regions that differ, the largest difference first."""
    rows = [(row, row.between) for row in found.regions if row.between is not None and row.between.value]
    return tuple(sorted(rows, key=lambda one: -abs(one[1].value)))


def differences_figure(found: RegionList, *, scheme: str | None = None) -> go.Figure:
    """The differences of the first `MOST` regions with their 95 % intervals, and what explains them."""
    rows, model = differing(found)[:MOST], found.model
    scale = scale_for([one.value for _, one in rows], model.unit)
    colours = palette(scheme)
    bars = [
        influence_bar(
            difference,
            model,
            colours,
            key=row.key,
            label=shortened(" · ".join(filter(None, (region_text(row.name), why_text(row)))), _LENGTH),
            amount=amount(difference, scale),
            hover=f"{row.package}<br><b>{row.name}</b><br>{why_text(row)}<br>{interval_text(difference, model, scale)}",
        )
        for row, difference in rows
    ]
    axis = f"difference of the region's {quantity_text(model)}, {scale.unit}"
    return bar_rows(bars, axis=axis, scale=scale, colours=colours)


def why_text(row: RegionRow) -> str:
    """Where a region runs if only at one of the two, and the term that changes it most."""
    by = f"by {term_text(row.largest)}" if row.largest is not None else ""
    return ", ".join(filter(None, (row.only_in, by)))


def differences_finding(found: RegionList) -> str:
    """Which region differs most, and how many do beyond their noise."""
    rows = differing(found)
    if not rows:
        return "No region differs between the two"
    first, difference = rows[0]
    # What is in no region is a row, too, but none of the regions.
    regions = [one.is_significant for row, one in rows if not row.is_program]
    size = number(difference.value, difference.margin, found.model.unit, signed=True)
    return f"{region_text(first.name)} differs most, {size}; {plural(sum(regions), 'region')} of {len(regions)} beyond their noise"


def differences_axes(found: RegionList, target: ChosenConfiguration) -> str:
    """What is subtracted from what."""
    return f"time of each region {at_text(target)} less that {at_text(found.base)}, with 95{GAP}% intervals"
