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
from dashboard.figures.numbers import GAP, DisplayScale, interval_ends, number, plural, scale_for, share
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
    axis = f"influence on {axis_text(model, scale)}"
    return bar_rows(bars, axis=axis, scale=scale, colours=colours, selected=selected)


def term_regions_figure(found: TermRegions, *, scheme: str | None = None) -> go.Figure:
    """What each region adds to a term; the bars sum to the term.

    Beyond `MOST_REGIONS` the smaller ones stand in one row; what lies outside of all regions is the last row.
    """
    model, regions, colours = found.model, found.regions, palette(scheme)
    scale = scale_for([one.influence.value for one in regions] or [found.term.influence.value], model.unit)
    drawn = drawn_regions(found)
    bars = [_region_bar(region, model, scale, colours) for region in drawn]
    if rest := regions[len(drawn) :]:
        value = sum(region.influence.value for region in rest)
        part = sum(region.share for region in rest if region.share is not None)
        bars.append(_sum_bar(plural(len(rest), "more region"), value, part, scale, colours))
    if found.outside is None:
        bars.append(_sum_bar("not in any region", 0.0, 0.0, scale, colours))
    else:
        bars.append(_region_bar(found.outside, model, scale, colours, label="not in any region"))
    axis = f"part of the influence on {axis_text(model, scale)}"
    return bar_rows(bars, axis=axis, scale=scale, colours=colours)


def drawn_regions(found: TermRegions) -> Sequence[TermRegion]:
    """The regions with a row of their own: a single smaller one needs no row for the rest."""
    regions = found.regions
    return regions[:MOST_REGIONS] if len(regions) > MOST_REGIONS + 1 else regions


def term_bar(
    term: TermRow, model: ModelIdentity, scale: DisplayScale, colours: Palette, *, start: float = 0.0
) -> Bar:
    """The row of a term, whose bar leads from `start` to `start` and its influence."""
    influence = term.influence
    text = amount(influence, scale)
    lines = term_text(term).replace(" × ", " ×<br>")
    where = f"<br>in {plural(term.regions, 'region')}" if model.regions else ""
    hover = f"<b>{lines}</b><br>{text}<br>{interval_text(influence, model, scale)}{where}"
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
        colour=getattr(colours, direction(influence, lower_is_better=model.lower_is_better)),
        quiet=influence.may_be_zero,
        **words,
    )


def terms_scale(terms: Sequence[TermRow], model: ModelIdentity) -> DisplayScale:
    """The unit in which a list of terms is shown."""
    return scale_for([term.influence.value for term in terms], model.unit)


def amount(influence: Estimate, scale: DisplayScale) -> str:
    """`+30.4 ± 0.5 ms`, and whether that may be zero."""
    text = number(influence.value, influence.margin, scale=scale, signed=True)
    return f"may be zero  {text}" if influence.may_be_zero else text


def interval_text(influence: Estimate, model: ModelIdentity, scale: DisplayScale) -> str:
    """`95 % between 29.4 and 31.4 ms`, or why there is no interval."""
    ends = interval_ends(influence, scale)
    if ends is None:
        if model.is_learned:
            return "no interval: too few configurations, or learned by an earlier version"
        return "too few runs for an interval: at least 3 repetitions"
    return f"95 % between {' and '.join(ends)}{GAP}{scale.unit}"


def _region_bar(
    region: TermRegion, model: ModelIdentity, scale: DisplayScale, colours: Palette, *, label: str = ""
) -> Bar:
    influence = region.influence
    text = f"{number(influence.value, influence.margin, scale=scale, signed=True)}  {share(region.share)}"
    place = f"{region.package}<br>" if region.package else ""
    return influence_bar(
        influence,
        model,
        colours,
        key=region.key,
        label=shortened(label or region_text(region.name), _REGION_LENGTH),
        amount=text,
        hover=f"{place}<b>{label or region.name}</b><br>{text}<br>{interval_text(influence, model, scale)}",
    )


def _sum_bar(label: str, value: float, part: float, scale: DisplayScale, colours: Palette) -> Bar:
    """A row for several regions together, or for what lies outside of all of them."""
    text = f"{number(value, scale=scale, signed=True)}  {share(part)}"
    return Bar(REST, label, text, 0.0, value, colours.uncertain, hover=f"{label}<br>{text}", quiet=True)
