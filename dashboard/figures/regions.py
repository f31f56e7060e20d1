"""Figures of one region: what each repetition took in each subspace."""

from itertools import cycle
from textwrap import wrap

import plotly.graph_objects as go

from dashboard.figures.influences_bars import Bar, bar_line, bar_rows
from dashboard.figures.influences_words import quantity_text, shortened
from dashboard.figures.numbers import DisplayScale, number, plural, scale_for
from dashboard.figures.theme import Palette, palette
from dashboard.selectors.regions.rows import RegionDetail, SubspaceRow

MOST_SUBSPACES = 40
MOST_DOTS = 1600
_LABEL_LENGTH = 72
# Repetitions lie one above the other by these steps of a row, so that equal times stay apart.
_STEPS = (0.0, 0.07, -0.07, 0.14, -0.14)


def subspaces_figure(detail: RegionDetail, *, scheme: str | None = None) -> go.Figure:
    """Each repetition as a dot and the subspace's value as a stroke, one row for each of the largest subspaces."""
    shown = detail.subspaces[:MOST_SUBSPACES]
    model, colours = detail.model, palette(scheme)
    reach = [run.time for row in shown for run in row.repetitions]
    scale = scale_for([*reach, *(row.time for row in shown if row.time is not None)], model.unit)
    bars = [_row(subspace, scale, colours) for subspace in shown]
    axis = f"{quantity_text(model)} in this region, {scale.unit}"
    # Row, run and offset of every dot; evenly thinned where there are too many.
    dots = [
        (row, run, step)
        for row, subspace in enumerate(shown)
        for run, step in zip(subspace.repetitions, cycle(_STEPS))
    ]
    dots = dots[:: -(-len(dots) // MOST_DOTS) or 1]
    repetitions = {
        "type": "scatter",
        "name": "repetitions",
        "mode": "markers",
        "x": [run.time * scale.factor for _, run, _ in dots],
        "y": [bar_line(row) + step for row, _, step in dots],
        "marker": {"size": 7, "color": colours.series[0], "opacity": 0.55, "line": {"width": 0}},
        "customdata": [f"{run.configuration}, run {run.repetition + 1}" for _, run, _ in dots],
        "hovertemplate": f"%{{customdata}}<br>%{{x:.4~g}} {scale.unit}<extra></extra>",
    }
    measured = [(row, subspace.time) for row, subspace in enumerate(shown) if subspace.time is not None]
    of_model = {
        "type": "scatter",
        "name": "model",
        "mode": "markers",
        "x": [time * scale.factor for _, time in measured],
        "y": [bar_line(row) for row, _ in measured],
        "marker": {"symbol": "line-ns-open", "size": 13, "color": colours.ink, "line": {"width": 2.5}},
        "hoverinfo": "skip",
    }
    return bar_rows(bars, axis=axis, scale=scale, colours=colours, reach=reach, more=[repetitions, of_model])


def subspace_value(detail: RegionDetail) -> str:
    """What the value of a subspace is: without partitions a model has none of its own."""
    if detail.model.kind == "partitioned":
        return "the value of the model"
    sizes = {row.configurations for row in detail.subspaces}
    if max(sizes, default=0) < 2:
        return "the median of its configurations"
    many = f"its {sizes.pop()} configurations" if len(sizes) == 1 else "all its configurations"
    return f"the median of {many} (influences and source tell of one of them)"


def subspaces_finding(detail: RegionDetail) -> str:
    """In how many subspaces the region was measured, and between which values its time lies."""
    model = detail.model
    times = [row.time for row in detail.subspaces if row.time is not None]
    if not times:
        return "Never measured"
    scale = scale_for(times, model.unit)
    low, high = (number(value, None, model.unit, scale=scale) for value in (min(times), max(times)))
    if len(detail.subspaces) == 1:
        return f"One path for all configurations: {high}"
    missing = len(detail.subspaces) - len(times)
    sentence = f"{len(detail.subspaces)} subspaces, from {low} to {high}"
    return f"{sentence}; {missing} never measured" if missing else sentence


def _row(subspace: SubspaceRow, scale: DisplayScale, colours: Palette) -> Bar:
    if subspace.time is None:
        amount, at = "not measured", 0.0
    else:
        amount, at = number(subspace.time, scale=scale), subspace.time
    label = shortened(subspace.words, _LABEL_LENGTH)
    words = "<br>".join(wrap(subspace.words, 64, break_long_words=False, break_on_hyphens=False))
    return Bar(
        key=subspace.words,
        label=f'<b style="color:{colours.accent}">base</b>  {label}' if subspace.holds_base else label,
        amount=amount,
        start=at,
        end=at,
        colour=colours.ink,
        hover=f"{words}<br><b>{amount}</b><br>"
        f"{plural(len(subspace.repetitions), 'run')} of {plural(subspace.configurations, 'configuration')}",
        quiet=subspace.time is None,
    )
