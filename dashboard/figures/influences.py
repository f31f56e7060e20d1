"""Figures of influence models: terms, and the regions where a term arises."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.influences_bars import Bar, bar_rows
from dashboard.figures.influences_words import (
    axis_text,
    direction,
    region_text,
    shortened,
    term_short,
    term_text,
)
from dashboard.figures.numbers import GAP, DisplayScale, number, scale_for, share
from dashboard.figures.theme import Palette, palette
from dashboard.selectors.model_rows import Estimate, ModelIdentity, TermRegion, TermRegions, TermRow

MOST_TERMS = 40
MOST_REGIONS = 8
_REGION_LENGTH = 36
REST = ""  # the key of the row that stands for all that are not shown alone


def terms_figure(
    terms: Sequence[TermRow], model: ModelIdentity, *, scheme: str | None = None, selected: str = ""
) -> go.Figure:
    """The largest `MOST_TERMS` of `terms`, in their order, as bars with their 95 % interval."""
    shown = terms[:MOST_TERMS]
    scale = terms_scale(shown, model)
    colours = palette(scheme)
    bars = [term_bar(term, model, scale, colours) for term in shown]
    return bar_rows(
        bars,
        axis=f"influence on {axis_text(model, scale)}",
        scale=scale,
        colours=colours,
        selected=selected,
    )


def term_regions_figure(
    found: TermRegions, *, scheme: str | None = None, most: int = MOST_REGIONS
) -> go.Figure:
    """What each region adds to a term; the bars sum to the term.

    Beyond `most` regions the smaller ones stand in one row; what lies outside of all regions is the last row.
    """
    model = found.model
    scale = scale_for(
        [region.influence.value for region in found.regions] or [found.term.influence.value], model.unit
    )
    colours = palette(scheme)
    drawn = alone(found, most)
    bars = [_region_bar(region, model, scale, colours) for region in drawn]
    rest = found.regions[len(drawn) :]
    if rest:
        value = sum(region.influence.value for region in rest)
        part = sum(region.share for region in rest if region.share is not None)
        bars.append(
            _sum_bar(f"{len(rest)} more regions", value, part, unit=model.unit, scale=scale, colours=colours)
        )
    outside = found.outside
    if outside is None:
        bars.append(_sum_bar("not in any region", 0.0, 0.0, unit=model.unit, scale=scale, colours=colours))
    else:
        bars.append(_region_bar(outside, model, scale, colours, label="not in any region"))
    return bar_rows(
        bars,
        axis=f"part of the influence on {axis_text(model, scale)}",
        scale=scale,
        colours=colours,
    )


def term_bar(
    term: TermRow, model: ModelIdentity, scale: DisplayScale, colours: Palette, *, start: float = 0.0
) -> Bar:
    """The row of a term, whose bar leads from `start` to `start` and its influence."""
    influence = term.influence
    text = amount(influence, model.unit, scale)
    lines = term_text(term).replace(" × ", " ×<br>")
    regions = "1 region" if term.regions == 1 else f"{term.regions} regions"
    where = f"<br>in {regions}" if model.regions else ""
    interval = interval_text(influence, model.unit, scale)
    hover = f"<b>{lines}</b><br>{text}<br>{interval}{where}"
    words = {"key": term.key, "label": term_short(term), "amount": text, "hover": hover}
    return influence_bar(influence, model, colours, start=start, **words)


def influence_bar(
    influence: Estimate, model: ModelIdentity, colours: Palette, *, start: float = 0.0, **words: str
) -> Bar:
    """The row of an influence, from `start` on, with its 95 % interval; `words` are key, label, amount and hover."""
    return Bar(
        start=start,
        end=start + influence.value,
        low=None if influence.low is None else start + influence.low,
        high=None if influence.high is None else start + influence.high,
        colour=colour(influence, model, colours),
        quiet=influence.may_be_zero,
        **words,
    )


def alone(found: TermRegions, most: int = MOST_REGIONS) -> tuple[TermRegion, ...]:
    """The regions that have a row of their own; a single smaller one needs no row for the rest."""
    return found.regions[:most] if len(found.regions) > most + 1 else found.regions


def terms_scale(terms: Sequence[TermRow], model: ModelIdentity) -> DisplayScale:
    """The unit in which a list of terms is shown."""
    return scale_for([term.influence.value for term in terms], model.unit)


def amount(influence: Estimate, unit: str, scale: DisplayScale) -> str:
    """`+30.4 ± 0.5 ms`, and whether that may be zero."""
    text = number(influence.value, influence.error, unit, scale=scale, signed=True)
    return f"may be zero  {text}" if influence.may_be_zero else text


def colour(influence: Estimate, model: ModelIdentity, colours: Palette) -> str:
    """The colour of an influence's direction."""
    return str(getattr(colours, direction(influence, lower_is_better=model.lower_is_better)))


def interval_text(influence: Estimate, unit: str, scale: DisplayScale) -> str:
    """`95 % between 29.4 and 31.4 ms`, or that there is no interval."""
    if influence.low is None or influence.high is None or influence.error is None:
        return "no interval: measured once"
    low, high = (
        number(bound, influence.error, unit, scale=scale.bare).partition(" ±")[0]
        for bound in (influence.low, influence.high)
    )
    return f"95 % between {low} and {high}{GAP}{scale.unit}"


def _region_bar(
    region: TermRegion, model: ModelIdentity, scale: DisplayScale, colours: Palette, *, label: str = ""
) -> Bar:
    influence = region.influence
    text = f"{number(influence.value, influence.error, model.unit, scale=scale, signed=True)}  {share(region.share)}"
    place = f"{region.package}<br>" if region.package else ""
    interval = interval_text(influence, model.unit, scale)
    return influence_bar(
        influence,
        model,
        colours,
        key=region.key,
        label=shortened(label or region_text(region.name), _REGION_LENGTH),
        amount=text,
        hover=f"{place}<b>{label or region.name}</b><br>{text}<br>{interval}",
    )


def _sum_bar(
    label: str, value: float, part: float, *, unit: str, scale: DisplayScale, colours: Palette
) -> Bar:
    """A row for several regions together, or for what lies outside of all of them."""
    text = f"{number(value, None, unit, scale=scale, signed=True)}  {share(part)}"
    return Bar(REST, label, text, 0.0, value, colours.uncertain, hover=f"{label}<br>{text}", quiet=True)
