"""Rows of bars: each row has its label above its bar and its number at the right end.

The label has the whole width, so that long interactions fit on narrow screens too. The row as a whole can be
clicked: every trace carries the row's key as `customdata`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard.figures.drawing import Drawing, Trace
from dashboard.figures.numbers import DisplayScale
from dashboard.figures.theme import Palette, blank, whiskers

ROW_HEIGHT = 40  # pixels
_AXIS_HEIGHT = 44
_LABEL, _BAR = 0.30, 0.72  # where label and bar stand within a row
_THICKNESS = 0.26
_GROUND = 0.5  # of the label, which hides the grid
_CLEAR = "rgba(0,0,0,0)"


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a bar from `start` to `end` with its interval around the end; values in the metric's unit."""

    key: str
    label: str
    amount: str
    start: float
    end: float
    colour: str
    low: float | None = None
    high: float | None = None
    hover: str = ""
    quiet: bool = False

    @property
    def below(self) -> float:
        """How far the interval reaches below the end."""
        return 0.0 if self.low is None else self.end - self.low

    @property
    def above(self) -> float:
        """How far it reaches above."""
        return 0.0 if self.high is None else self.high - self.end


def bar_rows(
    bars: Sequence[Bar],
    *,
    axis: str,
    scale: DisplayScale,
    colours: Palette,
    selected: str = "",
    from_zero: bool = True,
    reach: Sequence[float] = (),
    more: Sequence[Trace] = (),
) -> go.Figure:
    """Bars in rows, first on top; the row whose key is `selected` is washed in the accent colour.

    The axis holds all bars, their intervals and the values in `reach`, in `scale`'s unit. Traces: `ground`, `rows` (what is
    clicked and hovered), `bars`, `labels`, `amounts`, and `more`.
    """
    if not bars:
        return no_rows(colours)
    low, high = _extent(bars, reach, scale, from_zero=from_zero)
    keys = [bar.key for bar in bars]
    washes = [colours.wash if key and key == selected else _CLEAR for key in keys]
    hovers = [bar.hover or bar.label for bar in bars]
    hovered = {"hovertext": hovers, "hovertemplate": "%{hovertext}<extra></extra>"}
    skipped = {"hoverinfo": "skip"}
    traces = [
        # Nothing of the grid runs through what is written.
        _across(bars, (low, high), (_LABEL, _GROUND), {"color": colours.surface}, name="ground", **skipped),
        _across(bars, (low, high), (0.5, 1.0), {"color": washes}, name="rows", **hovered),
        {
            "type": "bar",
            "name": "bars",
            "orientation": "h",
            "base": [bar.start * scale.factor for bar in bars],
            "x": [(bar.end - bar.start) * scale.factor for bar in bars],
            "y": [row + _BAR for row in range(len(bars))],
            "width": _THICKNESS,
            "marker": {"color": [bar.colour for bar in bars], "line": {"width": 0}},
            "error_x": whiskers(
                colours.ink,
                [bar.above * scale.factor for bar in bars],
                [bar.below * scale.factor for bar in bars],
                width=3,
            ),
            "customdata": keys,
            **skipped,
        },
        *_texts(bars, (low, high), colours),
        *more,
    ]
    return Drawing(traces, _layout(len(bars), axis, (low, high), colours))


def _across(
    bars: Sequence[Bar],
    ends: tuple[float, float],
    within: tuple[float, float],
    marker: dict[str, object],
    **others: object,
) -> Trace:
    """A trace from end to end in each row: the middle `within` it, and how high it is there."""
    return {
        "type": "bar",
        "orientation": "h",
        "base": [ends[0]] * len(bars),
        "x": [ends[1] - ends[0]] * len(bars),
        "y": [row + within[0] for row in range(len(bars))],
        "width": within[1],
        "marker": marker | {"line": {"width": 0}},
        "customdata": [bar.key for bar in bars],
        **others,
    }


def no_rows(colours: Palette) -> go.Figure:
    """What stands where there is nothing to draw: next to no height."""
    return blank(colours, height=10)


def _extent(
    bars: Sequence[Bar], reach: Sequence[float], scale: DisplayScale, *, from_zero: bool
) -> tuple[float, float]:
    """The range of the x axis in `scale`'s unit: all bars, intervals and values in `reach`, with a little air."""
    ends = [
        *reach,
        *(value for bar in bars for value in (bar.start, bar.end, bar.low, bar.high) if value is not None),
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    air = 0.02 * (high - low) or 1.0
    bounds = (low if from_zero and low == 0.0 else low - air), high + air
    return bounds[0] * scale.factor, bounds[1] * scale.factor


def bar_line(row: int) -> float:
    """Where the bar of a row stands on the y axis."""
    return row + _BAR


def _layout(rows: int, axis: str, ends: tuple[float, float], colours: Palette) -> dict[str, object]:
    """Rows of one height, first on top, above the x axis."""
    return {
        "template": colours.template,
        "barmode": "overlay",
        "bargap": 0,
        "height": ROW_HEIGHT * rows + _AXIS_HEIGHT,
        "margin": {"l": 4, "r": 4, "t": 0, "b": _AXIS_HEIGHT},
        "xaxis": {
            "title": {"text": axis},
            "range": list(ends),
            "fixedrange": True,
            "automargin": False,
            "nticks": 7,
            "ticklabeloverflow": "hide past div",
            "zerolinecolor": colours.uncertain,
        },
        "yaxis": {"visible": False, "range": [rows, 0], "fixedrange": True},
    }


def _texts(bars: Sequence[Bar], ends: tuple[float, float], colours: Palette) -> list[Trace]:
    """The label of each row at the left end, its number at the right one."""
    return [
        {
            "type": "scatter",
            "name": name,
            "mode": "text",
            "x": [x] * len(bars),
            "y": [row + _LABEL for row in range(len(bars))],
            "text": [getattr(bar, text) for bar in bars],
            "textposition": f"middle {side}",
            "textfont": {"color": [colours.ink_faint if bar.quiet else colours.ink for bar in bars]},
            "customdata": [bar.key for bar in bars],
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
        for name, text, x, side in (
            ("labels", "label", ends[0], "right"),
            ("amounts", "amount", ends[1], "left"),
        )
    ]
