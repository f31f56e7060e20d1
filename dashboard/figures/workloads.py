"""Figures of workloads: the influences in each as a heat map, and one of them workload by workload."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.colors import find_intermediate_color, hex_to_rgb, label_rgb

from dashboard.figures.drawing import Drawing, Sketch, Trace
from dashboard.figures.influences_words import shortened
from dashboard.figures.theme import Palette, palette, whiskers
from dashboard.figures.workload_words import (
    SIGNS,
    VERDICTS,
    estimate_words,
    factor_text,
    term_words,
)
from dashboard.selectors.workload_rows import ComparedWorkloads, WorkloadTerm

MOST_TERMS = 40
# Columns beyond these are too narrow for a number.
_NUMBERED = 16
_ROW, _LABEL, _LETTER = 24, 40, 5.2
# The colours end at this quantile of the sizes shown: one huge influence would leave all others pale.
_STRONG = 0.95


def workloads_figure(found: ComparedWorkloads, *, scheme: str | None = None, selected: str = "") -> go.Figure:
    """The first `MOST_TERMS` terms (rows) in each compared workload (columns): the factor that each makes, by colour.

    A cell's `y` is the key of its term, which a press on it tells. The row of the term `selected` is outlined. Influences
    that may be none are pale and carry no number.
    """
    colours, terms = palette(scheme), found.terms[:MOST_TERMS]
    names = [one.name for one in found.compared]
    keys = [term.key for term in terms]
    marks: dict[str, object] = {}
    if selected in keys:
        row = keys.index(selected)
        ends = {"x0": -0.5, "x1": len(names) - 0.5, "y0": row - 0.5, "y1": row + 0.5}
        marks["shapes"] = [{"type": "rect", "line": {"color": colours.ink, "width": 2}, **ends}]
    lengths = [len(shortened(name, 30)) for name in names] or [0]
    slanted = len(names) <= _NUMBERED
    # Slanted names rise less than they are long, and the last one leans over the right edge.
    head = 24 + round(_LETTER * max(lengths) * (0.8 if slanted else 1.0))
    axis = {"tickmode": "array", "showgrid": False, "zeroline": False, "fixedrange": True}
    labels = [f"{shortened(term_words(term), _LABEL)}  {SIGNS[term.told]}" for term in terms]
    layout = {
        "template": colours.template,
        "height": head + _ROW * max(len(terms), 1) + 4,
        "xaxis": axis
        | {
            "side": "top",
            "tickvals": list(range(len(names))),
            "ticktext": [shortened(name, 30) for name in names],
            "tickangle": -45 if slanted else -90,
            "tickfont": {"size": 12 if slanted else 9},
            "automargin": False,
            "ticklabeloverflow": "allow",
        },
        "yaxis": axis
        | {"type": "category", "tickvals": keys, "ticktext": labels, "range": [len(terms) - 0.5, -0.5]},
        "margin": {"t": head, "b": 4, "r": 12 + round(_LETTER * lengths[-1]) if slanted else 4},
        **marks,
    }
    return Drawing([influence_cells(found, terms, colours)], layout)


def influence_cells(found: ComparedWorkloads, terms: Sequence[WorkloadTerm], colours: Palette) -> Trace:
    """The cells of `workloads_figure`."""
    names = [one.name for one in found.compared]
    sizes = sorted(abs(one.value) for term in terms for one in term.effects)
    limit = max(sizes[int(_STRONG * (len(sizes) - 1))] if sizes else 0.0, 0.02)
    values = [[one.value if one.is_significant else one.value / 4 for one in term.effects] for term in terms]
    texts = [[factor_text(one.value) if one.is_significant else "" for one in term.effects] for term in terms]
    told = [
        [f"{estimate_words(one)}<br>{VERDICTS[term.told]} over all workloads" for one in term.effects]
        for term in terms
    ]
    return {
        "type": "heatmap",
        "z": values,
        "text": texts,
        "customdata": told,
        "x": list(range(len(names))),
        "y": [term.key for term in terms],
        "texttemplate": "%{text}" if len(names) <= _NUMBERED else "",
        "textfont": {"size": 11},
        "hovertext": [[f"<b>{term_words(term)}</b> in {name}" for name in names] for term in terms],
        "hovertemplate": "%{hovertext}<br>%{customdata}<extra></extra>",
        "colorscale": influence_scale(colours, lower_is_better=found.context.lower_is_better),
        "zmin": -limit,
        "zmax": limit,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "name": "influences",
    }


def term_workloads_figure(
    term: WorkloadTerm, names: list[str], *, lower_is_better: bool, scheme: str | None = None
) -> go.Figure:
    """The factor that one term makes in each workload, the largest first, with intervals that hold for all at once.

    A line stands at no influence, a band where the mean over workloads lies.
    """
    colours = palette(scheme)
    rows = sorted(zip(names, term.effects, strict=True), key=lambda row: -row[1].value)
    up, down = colours.slower, colours.faster
    if not lower_is_better:
        up, down = down, up
    looks = [colours.uncertain if one.may_be_zero else up if one.value > 0 else down for _, one in rows]
    margins = [one.margin or 0.0 for _, one in rows]
    sketch = Sketch()
    sketch.scatter(
        x=[one.value for _, one in rows],
        y=list(range(len(rows))),
        mode="markers",
        marker={"color": looks, "size": 8},
        error_x=whiskers(colours.ink_faint, margins),
        customdata=[[name, estimate_words(one)] for name, one in rows],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
        name="influence",
    )
    ends = [end for _, one in rows for end in (one.value - (one.margin or 0), one.value + (one.margin or 0))]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    if term.mean.low is not None and term.mean.high is not None:
        sketch.upright(term.mean.low, term.mean.high, fillcolor=colours.band_95, line={"width": 0})
    layout = {
        "template": colours.template,
        "height": 40 + _ROW * len(rows),
        "xaxis": factor_axis(low, high),
        "yaxis": {
            "tickvals": list(range(len(rows))),
            "ticktext": [shortened(name, 34) for name, _ in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    }
    return sketch.drawn(layout)


def factor_axis(low: float, high: float) -> dict[str, object]:
    """An axis of logarithms from `low` to `high`, which hold zero, that is read as factors."""
    places = sorted({low + (high - low) * part / 2 for part in range(3)} | {0.0})
    # Two labels closer than a quarter would run into each other where it is narrow: zero stays.
    kept = [one for one in places if one == 0.0 or abs(one) > (high - low) / 4]
    room = 0.04 * (high - low) or 0.01
    return {
        "tickvals": kept,
        "tickangle": 0,
        "ticktext": [factor_text(one) if one else "none" for one in kept],
        "range": [low - room, high + room],
        "zeroline": True,
        "fixedrange": True,
    }


def influence_scale(colours: Palette, *, lower_is_better: bool) -> list[list[float | str]]:
    """From saving over none to costing, in nine steps."""
    ends = (colours.faster, colours.slower) if lower_is_better else (colours.slower, colours.faster)
    middle = hex_to_rgb(colours.surface)
    scale: list[list[float | str]] = []
    for step in range(9):
        part = abs(step - 4) / 4
        end = hex_to_rgb(ends[step > 4])
        scale.append([step / 8, label_rgb(find_intermediate_color(middle, end, part * 0.8))])
    return scale
