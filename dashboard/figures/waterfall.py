"""The change from one configuration to another as a waterfall of terms."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.influences import amount, colour, interval_text
from dashboard.figures.influences_bars import Bar, bar_line, bar_rows
from dashboard.figures.influences_words import configuration_text, quantity_text, term_short, term_text
from dashboard.figures.numbers import number, scale_for
from dashboard.figures.theme import palette
from dashboard.selectors.influences_rows import Influences, Term

MOST_STEPS = 24


def waterfall_figure(
    found: Influences, shown: Sequence[Term] | None = None, *, scheme: str | None = None, selected: str = ""
) -> go.Figure:
    """Steps from the base's value to the target's; the last step ends exactly there.

    The largest `MOST_STEPS` of `shown` (unasked, of all that are told from zero) have a step of their own, all other
    terms one together. Where larger terms cancel, a step comes later if it would lead below zero now. The axis does
    not begin at zero: the two values are points, not bars. `found` must have a target.
    """
    target, target_time = found.target, found.target_time
    if target is None or target_time is None:
        raise ValueError("a waterfall needs the configuration that it leads to")
    analysis, colours = found.analysis, palette(scheme)
    unit, start = analysis.unit, found.base_time.value
    scale = scale_for([start, target_time.value], unit)
    if shown is None:
        shown = [term for term in found.terms if not term.influence.may_be_zero]
    alone = _in_order(shown[:MOST_STEPS], start)

    def point(name: str, value: float) -> Bar:
        text = number(value, None, unit, scale=scale)
        return Bar("", name, text, value, value, colours.ink, hover=f"{name}<br>{text}")

    bars = [point(configuration_text(found.base), start)]
    level = start
    for term in alone:
        after = level + term.influence.value
        low, high = term.influence.low, term.influence.high
        text = amount(term.influence, unit, scale)
        bars.append(
            Bar(
                key=term.key,
                label=term_short(term),
                amount=text,
                start=level,
                end=after,
                low=None if low is None else level + low,
                high=None if high is None else level + high,
                colour=colour(term.influence, analysis, colours),
                hover=f"<b>{term_text(term)}</b><br>{text}<br>{interval_text(term.influence, unit, scale)}",
                quiet=term.influence.may_be_zero,
            )
        )
        level = after
    if len(alone) < len(found.terms):
        rest = number(target_time.value - level, None, unit, scale=scale, signed=True)
        left = len(found.terms) - len(alone)
        label = "1 other term" if left == 1 else f"{left} other terms together"
        bars.append(Bar("", label, rest, level, target_time.value, colours.uncertain, quiet=True))
    bars.append(point(configuration_text(target), target_time.value))
    figure = bar_rows(
        bars,
        axis=f"{quantity_text(analysis)}, {scale.unit}",
        scale=scale,
        scheme=scheme,
        selected=selected,
        from_zero=False,
    )
    _connect(figure, bars, scale.factor, colours.ink_faint)
    ends = (0, len(bars) - 1)
    figure.add_scatter(
        name="configurations",
        mode="markers",
        x=[bars[row].end * scale.factor for row in ends],
        y=[bar_line(row) for row in ends],
        marker={"size": 10, "color": colours.ink},
        hoverinfo="skip",
    )
    return figure


def _in_order(terms: Sequence[Term], start: float) -> list[Term]:
    """The largest first, but as long as there is another way no step leads below zero."""
    waiting, ordered, level = list(terms), [], start
    while waiting:
        step = next((term for term in waiting if level + term.influence.value >= 0), waiting[0])
        waiting.remove(step)
        ordered.append(step)
        level += step.influence.value
    return ordered


def _connect(figure: go.Figure, bars: list[Bar], factor: float, ink: str) -> None:
    """A thin line from where each step ends down to where the next begins."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, bar in enumerate(bars[:-1]):
        x += [bar.end * factor, bar.end * factor, None]
        y += [bar_line(row), bar_line(row + 1), None]
    figure.add_scatter(
        name="connectors",
        mode="lines",
        x=x,
        y=y,
        line={"color": ink, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
