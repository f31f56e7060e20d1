"""Figures of histories: the band over all revisions, what was measured, and where it steps."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.figures.drawing import Sketch, Trace
from dashboard.figures.histories_annotations import ANNOTATIONS_AXIS, draw_annotations, draw_by_hand
from dashboard.figures.histories_drifts import draw_drift
from dashboard.figures.histories_unmerged import UNMERGED, draw_unmerged
from dashboard.figures.histories_words import (
    change_size,
    revision_text,
    same_code,
    scale_of,
)
from dashboard.figures.machine_words import disturbed_text
from dashboard.figures.numbers import DisplayScale, number
from dashboard.figures.theme import Palette, palette, whiskers
from dashboard.selectors.histories.rows import BandRow, ChangeRow, History

# Ticks on the axis of revisions: more names than this overlap.
_TICKS = 10
_HEIGHT = 420
_SMALL_HEIGHT = 120
# Below the brush and the name of the axis: sizes of changes stand above.
_LEGEND_BELOW = {
    "showlegend": True,
    "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
    "margin": {"t": 56, "b": 84},
    "height": _HEIGHT + 28,
}
_NOT_QUIET = "machine not quiet"
# The part of the axis that the size of a change takes, and how many may stand above each other.
_LABEL_WIDTH = 0.09
_LABEL_ROWS = 3


def history_figure(
    history: History,
    *,
    scheme: str | None = None,
    selected: int | None = None,
    beside: Mapping[str, Sequence[BandRow]] | None = None,
    by_hand: Sequence[tuple[int, int, bool]] = (),
) -> go.Figure:
    """The estimate with its band (50 and 95 %), the measured points with their spread, and the brackets of changes.

    Revisions that hold the code of a measured one are drawn hollow, those with runs on a machine that was not quiet have a triangle. The x axis holds positions in the order, named by revision; y is in the metric's unit, times scaled to fit.
    What was measured on unmerged branches stands as a cross where they left. What people noted, triangles and crosses are named in a legend. `selected` is a position that is marked. Changes set `by_hand` (positions before and after,
    and whether for the worse) have a dashed frame. The bands in `beside`, by name, are drawn as thin lines.
    """
    colours, scale, names = palette(scheme), scale_of(history), history.order.names
    sketch = Sketch()
    sketch.traces += _band_traces(history.band, names, scale, colours)
    _draw_beside(sketch, beside or {}, scale, colours)
    sketch.traces.append(_points_trace(history, scale, colours))
    _mark(sketch, history, scale, colours)
    draw_drift(sketch, history, scale, colours)
    for trace in sketch.traces:
        trace["showlegend"] = trace["name"] in {_NOT_QUIET, UNMERGED}
    draw_by_hand(sketch, by_hand, colours)
    if selected is not None:
        sketch.upright(selected, selected, line={"color": colours.accent, "width": 1, "dash": "dot"})
    draw_annotations(sketch, history.annotations, colours)
    # From the last revision backwards: it always has its tick.
    ticks = sorted(names)[:: -max(1, -(-len(names) // _TICKS))][::-1]
    layout = {
        "template": colours.template,
        "height": _HEIGHT,
        "hovermode": "x",
        "xaxis": {
            "title": {"text": f"revision, in the order “{history.order.name}”"},
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": [revision_text(names[tick]) for tick in ticks],
            "rangeslider": {"visible": True, "thickness": 0.06, "bgcolor": colours.wash},
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {"title": {"text": axis_title(history, scale)}, "fixedrange": True},
        # Below the brush the axis has its name.
        "margin": {"t": 56, "b": 56},
        "dragmode": "zoom",
        # Results arrive while somebody looks at a part of it.
        "uirevision": history.series.series_id,
    }
    if history.annotations:
        layout["yaxis2"] = ANNOTATIONS_AXIS
    if any(trace["showlegend"] for trace in sketch.traces):
        layout |= _LEGEND_BELOW
    return sketch.drawn(layout)


def _draw_beside(
    sketch: Sketch, beside: Mapping[str, Sequence[BandRow]], scale: DisplayScale, colours: Palette
) -> None:
    """Draw bands as thin lines, named in their colours."""
    for place, (name, rows) in enumerate(beside.items()):
        colour = colours.series[place % len(colours.series)]
        # The median and both ends of the 95 % band.
        for field, dash, width in (
            ("estimate", "solid", 1.5),
            ("lower_95", "dot", 1),
            ("upper_95", "dot", 1),
        ):
            sketch.scatter(
                x=[row.position for row in rows],
                y=[getattr(row, field) * scale.factor for row in rows],
                mode="lines",
                line={"color": colour, "width": width, "dash": dash},
                name=name,
                showlegend=False,
                hoverinfo="skip",
            )
        # In a corner: the lines mostly lie close together.
        corner = {"xref": "paper", "x": 0.01, "xanchor": "left", "yref": "paper", "y": 1.0, "yanchor": "top"}
        sketch.text(**corner, yshift=-18 * place, text=name, font={"color": colour})


def small_history_figure(history: History, *, scheme: str | None = None) -> go.Figure:
    """A history as one of many on a common axis: the band, the points, the brackets of changes; no names."""
    colours = palette(scheme)
    scale = scale_of(history)
    sketch = Sketch()
    sketch.traces += _band_traces(history.band, {}, scale, colours)
    points = _points_trace(history, scale, colours)
    points["marker"] |= {"size": 4}
    points["error_y"] |= {"visible": False}
    sketch.traces.append(points)
    for change in history.changes:
        _draw_bracket(sketch, change, colours)
    draw_annotations(sketch, history.annotations, colours, named=False)
    layout = {
        "template": colours.template,
        "height": _SMALL_HEIGHT,
        "xaxis": {"visible": False, "fixedrange": True},
        "yaxis": {"title": {"text": scale.unit}, "nticks": 3, "fixedrange": True, "rangemode": "tozero"},
        "margin": {"t": 4, "b": 4},
    }
    return sketch.drawn(layout)


def axis_title(history: History, scale: DisplayScale) -> str:
    """What the y axis holds, with its clock and unit."""
    series = history.series
    clock = f"{series.clock} " if series.clock in {"wall", "cpu"} else ""
    what = "influence" if series.kind == "term" else series.quantity
    return f"{clock.replace('cpu', 'CPU')}{what}, {scale.unit or 'unknown unit'}"


def _band_traces(
    band: tuple[BandRow, ...], names: dict[int, str], scale: DisplayScale, colours: Palette
) -> list[Trace]:
    x = [row.position for row in band]
    around = [*x, *reversed(x)]

    def area(low: str, high: str, colour: str, name: str) -> Trace:
        upper = [getattr(row, high) * scale.factor for row in band]
        lower = [getattr(row, low) * scale.factor for row in reversed(band)]
        return {
            "type": "scatter",
            "x": around,
            "y": [*upper, *lower],
            "fill": "toself",
            "fillcolor": colour,
            "line": {"width": 0},
            "mode": "lines",
            "name": name,
            "hoverinfo": "skip",
        }

    interval = [f"{number(row.lower_95, scale=scale)} to {number(row.upper_95, scale=scale)}" for row in band]
    line = {
        "type": "scatter",
        "x": x,
        "y": [row.estimate * scale.factor for row in band],
        "mode": "lines",
        "name": "estimate",
        "line": {"color": colours.ink, "width": 1.5},
        "customdata": [
            [names.get(row.position, ""), text, revision_text(names.get(row.position, ""))]
            for row, text in zip(band, interval, strict=True)
        ],
        "hovertemplate": "<b>%{customdata[2]}</b><br>estimate %{y:.4~g} "
        + scale.unit
        + "<br>95 % band %{customdata[1]}<extra></extra>",
    }
    return [
        area("lower_95", "upper_95", colours.band_95, "95 % band"),
        area("lower_50", "upper_50", colours.band_50, "50 % band"),
        line,
    ]


def _points_trace(history: History, scale: DisplayScale, colours: Palette) -> Trace:
    points, is_term = history.measured, history.series.kind == "term"
    # Runs scatter by their spread; a term is an estimate and has a standard error.
    name = "standard error" if is_term else "spread"
    errors = [(point.spread or 0.0) / (point.n**0.5 if is_term else 1.0) for point in points]
    return {
        "type": "scatter",
        "x": [point.position for point in points],
        "y": [point.median * scale.factor for point in points],
        "error_y": whiskers(colours.accent, [error * scale.factor for error in errors]),
        "mode": "markers",
        "name": "measured",
        "marker": {"size": 7, "color": colours.accent, "line": {"width": 1, "color": colours.surface}},
        "customdata": [
            [point.revision, point.n, number(error, scale=scale)]
            for point, error in zip(points, errors, strict=True)
        ],
        "hovertemplate": "measured %{y:.4~g} "
        + scale.unit
        + f"<br>%{{customdata[1]}} runs, {name} %{{customdata[2]}}<extra></extra>",
    }


def _mark(sketch: Sketch, history: History, scale: DisplayScale, colours: Palette) -> None:
    """Draw what holds the code of a measured revision, where the machine was not quiet, what ran on branches, and the brackets of changes with their sizes above.

    A size that would touch the one before stands higher.
    """
    if shared := [point for point in history.points if point.same_as]:
        sketch.scatter(
            x=[point.position for point in shared],
            y=[point.median * scale.factor for point in shared],
            mode="markers",
            name="same code",
            marker={"size": 6, "color": colours.surface, "line": {"width": 1.5, "color": colours.accent}},
            customdata=[[point.revision, same_code(point)] for point in shared],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    if told := [point for point in history.measured if disturbed_text(history, point)]:
        sketch.scatter(
            x=[point.position for point in told],
            y=[point.median * scale.factor for point in told],
            mode="markers",
            name=_NOT_QUIET,
            marker={"size": 13, "symbol": "triangle-up-open", "color": colours.ink_soft},
            customdata=[[point.revision, disturbed_text(history, point)] for point in told],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    draw_unmerged(sketch, history, colours)
    near = _LABEL_WIDTH * max(1, len(history.order.revisions))
    row, before = 0, -near
    for change in sorted(history.changes, key=lambda change: change.before.position):
        middle = (change.before.position + change.after.position) / 2
        row = row + 1 if middle - before < near else 0
        before = middle
        _draw_bracket(sketch, change, colours)
        sketch.text(
            x=middle,
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=14 * (row % _LABEL_ROWS),
            text=change_size(change, scale),
            font={"size": 12, "color": colours.slower if change.is_slower else colours.faster},
        )


def _draw_bracket(sketch: Sketch, change: ChangeRow, colours: Palette) -> None:
    sketch.upright(
        change.before.position,
        change.after.position,
        fillcolor=colours.slower if change.is_slower else colours.faster,
        opacity=0.18,
        line={"width": 0},
        layer="below",
    )
