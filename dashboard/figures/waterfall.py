"""The change from one configuration to another as a waterfall of terms."""

from collections.abc import Sequence
from math import isclose

import plotly.graph_objects as go

from dashboard.figures.drawing import Trace
from dashboard.figures.influences import term_bar
from dashboard.figures.influences_bars import Bar, bar_line, bar_rows
from dashboard.figures.influences_words import axis_text, configuration_text
from dashboard.figures.numbers import DisplayScale, number, plural, scale_for
from dashboard.figures.theme import Palette, palette
from dashboard.selectors.model_rows import ChosenConfiguration, Influences, TermRow

MOST_STEPS = 24
_LONGEST_END = 40  # letters of a configuration that leave its value room on a phone


def waterfall_figure(
    found: Influences,
    shown: Sequence[TermRow] | None = None,
    *,
    scheme: str | None = None,
    selected: str = "",
) -> go.Figure:
    """Steps from the base's value to the target's; the last step ends exactly there.

    The largest `MOST_STEPS` of `shown` (unasked, of all that are significant) have a step of their own, all other
    terms one together. Where larger terms cancel, a step comes later if it would lead below zero now. The axis does
    not begin at zero: the two values are points, not bars. `found` must have a target.
    """
    target, target_time = found.target, found.target_time
    if target is None or target_time is None:
        raise ValueError("a waterfall needs the configuration that it leads to")
    model, colours = found.model, palette(scheme)
    scale = scale_for([found.base_time.value, target_time.value], model.unit)
    bars = [
        _point(found.base, found.base_time.value, scale, colours),
        *_steps(found, own_steps(found, shown), target_time.value, scale, colours),
        _point(target, target_time.value, scale, colours),
    ]
    axis = axis_text(model, scale)
    # A thin line from where each step ends down to where the next begins.
    x: list[float | None] = []
    y: list[float | None] = []
    for row, bar in enumerate(bars[:-1]):
        x += [bar.end * scale.factor, bar.end * scale.factor, None]
        y += [bar_line(row), bar_line(row + 1), None]
    dotted = {"color": colours.ink_faint, "width": 1, "dash": "dot"}
    ends = (0, len(bars) - 1)
    more = [
        Trace(type="scatter", name="connectors", mode="lines", x=x, y=y, line=dotted, hoverinfo="skip"),
        Trace(
            type="scatter",
            name="configurations",
            mode="markers",
            x=[bars[row].end * scale.factor for row in ends],
            y=[bar_line(row) for row in ends],
            marker={"size": 10, "color": colours.ink},
            hoverinfo="skip",
        ),
    ]
    return bar_rows(
        bars, axis=axis, scale=scale, colours=colours, selected=selected, from_zero=False, more=more
    )


def own_steps(found: Influences, shown: Sequence[TermRow] | None = None) -> Sequence[TermRow]:
    """The terms that have a step of their own: the largest of `shown`, unasked of all that are significant."""
    if shown is None:
        shown = [term for term in found.terms if not term.influence.may_be_zero]
    return shown[:MOST_STEPS]


def _point(chosen: ChosenConfiguration, value: float, scale: DisplayScale, colours: Palette) -> Bar:
    text, name = number(value, scale=scale), configuration_text(chosen)
    label = name
    if len(name) > _LONGEST_END and not chosen.name:
        label = f"{plural(len(chosen.differences), 'option')} changed"
    return Bar("", label, text, value, value, colours.ink, hover=f"{name}<br>{text}")


def _steps(
    found: Influences, shown: Sequence[TermRow], end: float, scale: DisplayScale, colours: Palette
) -> list[Bar]:
    """A step for each of `shown`, and one for all other terms, which ends exactly at `end`; a single one has its name and interval.

    The largest come first, but as long as there is another way no step leads below zero.
    """
    level, waiting = found.base_time.value, list(shown)
    bars: list[Bar] = []
    while waiting:
        term = next((one for one in waiting if level + one.influence.value >= 0), waiting[0])
        waiting.remove(term)
        bars.append(term_bar(term, found.model, scale, colours, start=level))
        level = bars[-1].end
    keys = {term.key for term in shown}
    left = [term for term in found.terms if term.key not in keys]
    if len(left) == 1 and isclose(level + left[0].influence.value, end, rel_tol=1e-6):
        bars.append(term_bar(left[0], found.model, scale, colours, start=level))
    elif left:
        label = "1 other term" if len(left) == 1 else f"{len(left)} other terms together"
        rest = number(end - level, scale=scale, signed=True)
        bars.append(Bar("", label, rest, level, end, colours.uncertain, quiet=True))
    return bars
