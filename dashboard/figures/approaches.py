"""Approaches as cost against error, both on logarithmic axes."""

import math
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
import plotly.graph_objects as go

from analytics.evaluation import ApproachRow
from dashboard.figures.approaches_words import FLOOR, Cost, cost_of, hover, kind_text, label_of
from dashboard.figures.drawing import Sketch, Trace
from dashboard.figures.numbers import fixed, percent
from dashboard.figures.theme import Palette, blank, palette, whiskers
from dashboard.selectors.evaluation_rows import EvaluationView

HEIGHT = 460
_SIZE = {"black box": 9, "interpretable": 10, "interpretable and local": 13}
_SYMBOL = {"black box": "circle", "interpretable": "diamond", "interpretable and local": "star"}
# Pixels: between two labels above each other, of a label's width, and of the figure that the axes have at the least.
_APART = 16
_LABEL = 150
_WIDTH = 560
_AXIS = HEIGHT - 100
_AIR = 0.12  # decades
_LEAST = 0.4  # decades: from 1 to 2 to 5 to 10 it is no further, so that each axis has a tick


def cost_figure(view: EvaluationView, cost: Cost, *, scheme: str | None = None) -> go.Figure:
    """Each approach where its cost and its median error are, a bar from its least to its largest error.

    Traces: one for each kind of approach, and `front`, the approaches that nothing cheaper beats. Of each sampling the
    best black box, the best interpretable approach and what was composed are labelled.
    """
    colours = palette(scheme)
    rows = [row for row in view.evaluation.rows if row.errors and cost_of(row, cost)]
    if not rows:
        return blank(colours)
    sketch = Sketch()
    # Of each sampling the best black box and the best interpretable approach, and all that is local.
    best: dict[tuple[str, bool], ApproachRow] = {}
    for row in sorted(rows, key=lambda row: row.error or 0.0):
        best.setdefault((row.sampling, row.interpretable), row)
    labelled = [row for row in rows if row.local or row in best.values()]
    _front(sketch, rows, cost, colours)
    for kind in _SYMBOL:
        own = [row for row in rows if kind_text(row) == kind]
        if own:
            sketch.scatter(**_points(kind, own, labelled, cost, colours))
    ends = [end for row in rows for end in (min(row.errors), max(row.errors))]
    y = _extent([max(end, FLOOR) for end in ends])
    x = _extent([cost_of(row, cost) for row in rows])
    _label(sketch, labelled, cost, (x, y), colours)
    layout: dict[str, object] = {"template": colours.template, "height": HEIGHT, "showlegend": True}
    for axis, (low, high), title in (("x", x, cost.axis), ("y", y, "mean absolute error, %")):
        # 1, 2, 5 times powers of ten; only the powers beyond three decades.
        powers = range(math.floor(low), math.ceil(high) + 1)
        every = [step * 10.0**power for power in powers for step in ((1, 2, 5) if high - low < 3 else (1,))]
        ticks = [tick for tick in every if low <= math.log10(tick) <= high]
        layout[f"{axis}axis"] = {
            "type": "log",
            "range": [low, high + (0.35 if axis == "x" else 0.0)],
            "title": {"text": f"{title} (log)"},
            "tickvals": ticks,
            "ticktext": [fixed(tick, max(0, -math.floor(math.log10(tick)))) for tick in ticks],
            "showline": axis == "x",
        }
    return sketch.drawn(layout)


def _extent(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten between which an axis of these values reaches, with a little air."""
    logs = [math.log10(value) for value in values if value > 0]
    low, high = min(logs, default=0.0), max(logs, default=1.0)
    air = max(_AIR, (_LEAST - (high - low)) / 2)
    return low - air, high + air


def _points(
    kind: str, rows: Sequence[ApproachRow], labelled: Sequence[ApproachRow], cost: Cost, colours: Palette
) -> Trace:
    errors = [_height(row) for row in rows]
    marks = [
        colours.uncertain if row not in labelled else colours.accent if row.local else colours.ink
        for row in rows
    ]
    return {
        "name": kind,
        "mode": "markers",
        "x": [cost_of(row, cost) for row in rows],
        "y": errors,
        "marker": {
            "symbol": _SYMBOL[kind],
            "size": _SIZE[kind],
            "color": marks,
            "line": {"width": 1, "color": colours.surface},
        },
        "error_y": whiskers(
            colours.uncertain,
            [max(*row.errors, FLOOR) - error for row, error in zip(rows, errors, strict=True)],
            [error - max(min(row.errors), FLOOR) for row, error in zip(rows, errors, strict=True)],
        ),
        "customdata": [row.key for row in rows],
        "hovertext": [hover(row) for row in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _height(row: ApproachRow) -> float:
    """Where an approach stands: its median error, at least what the axis can show."""
    return max(row.error or 0.0, FLOOR)


def _front(sketch: Sketch, rows: list[ApproachRow], cost: Cost, colours: Palette) -> None:
    """A step line along the approaches that no cheaper or equally cheap one beats."""
    best: list[ApproachRow] = []
    for row in sorted(rows, key=lambda row: (cost_of(row, cost), row.error or 0.0)):
        if not best or (row.error or 0.0) < (best[-1].error or 0.0):
            best.append(row)
    sketch.scatter(
        name="front",
        mode="lines",
        x=[cost_of(row, cost) for row in best],
        y=[_height(row) for row in best],
        line={"shape": "hv", "width": 1, "dash": "dot", "color": colours.ink_faint},
        hoverinfo="skip",
        showlegend=False,
    )


def _label(
    sketch: Sketch,
    labelled: Sequence[ApproachRow],
    cost: Cost,
    axes: tuple[tuple[float, float], tuple[float, float]],
    colours: Palette,
) -> None:
    """Write each label beside its point, so many pixels higher that labels do not touch."""
    placed: list[tuple[float, float]] = []
    for row in sorted(labelled, key=_height):
        x, y = math.log10(cost_of(row, cost)), math.log10(_height(row))
        left, height = float(np.interp(x, axes[0], (0, _WIDTH))), float(np.interp(y, axes[1], (0, _AXIS)))
        place = height
        for other_left, other in sorted(placed, key=itemgetter(1)):
            if abs(left - other_left) < _LABEL and abs(place - other) < _APART:
                place = other + _APART
        placed.append((left, place))
        sketch.text(
            x=x,
            y=y,
            text=f"{label_of(row)}  {percent(row.error)}",
            xanchor="left",
            xshift=9,
            yshift=place - height,
            align="left",
            bgcolor=colours.surface,
            borderpad=1,
            font={"size": 12, "color": colours.accent if row.local else colours.ink},
        )
