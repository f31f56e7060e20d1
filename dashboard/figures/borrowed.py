"""The influences in a workload of which little was measured: the figure, and what it says in words."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.figures.drawing import Drawing, Trace
from dashboard.figures.influences_words import shortened
from dashboard.figures.numbers import GAP, fixed, plural
from dashboard.figures.theme import Palette, palette, whiskers
from dashboard.figures.workload_words import estimate_words, term_words
from dashboard.figures.workloads import factor_axis
from dashboard.selectors.workload_rows import BorrowedInfluence, BorrowedInfluences

MOST_BORROWED = 20
_ROW = 24
# From this share on an influence is told by own measurements more than by others'.
_OWN = 0.5


def borrowed_figure(
    found: BorrowedInfluences, *, lower_is_better: bool, scheme: str | None = None
) -> go.Figure:
    """The largest influences with their intervals; hollow where they are borrowed for the most part.

    A line across each row stands at the mean over the other workloads.
    """
    colours, rows = palette(scheme), found.influences[:MOST_BORROWED]
    places, names = list(range(len(rows))), [term_words(one) for one in rows]
    ends = [end for one in rows for end in (one.here.low, one.here.high, one.others.value) if end is not None]
    mean = {"symbol": "line-ns-open", "color": colours.ink_faint, "size": 12, "line": {"width": 2}}
    others = {
        "type": "scatter",
        "x": [one.others.value for one in rows],
        "y": places,
        "mode": "markers",
        "marker": mean,
        "hoverinfo": "skip",
        "name": "mean of the others",
    }
    layout = {
        "template": colours.template,
        "height": 40 + _ROW * len(rows),
        "showlegend": False,
        "xaxis": factor_axis(min([*ends, 0.0]), max([*ends, 0.0])),
        "yaxis": {
            "tickvals": places,
            "ticktext": [shortened(name, 34) for name in names],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    }
    here = influences_here(rows, colours, lower_is_better=lower_is_better)
    return Drawing([others, here], layout)


def influences_here(rows: Sequence[BorrowedInfluence], colours: Palette, *, lower_is_better: bool) -> Trace:
    """The points of `borrowed_figure`, one a row, with their intervals."""
    up, down = (colours.slower, colours.faster) if lower_is_better else (colours.faster, colours.slower)
    looks = [
        colours.uncertain if one.here.may_be_zero else up if one.here.value > 0 else down for one in rows
    ]
    fills = [look if one.told >= _OWN else colours.surface for look, one in zip(looks, rows, strict=True)]
    return {
        "type": "scatter",
        "x": [one.here.value for one in rows],
        "y": list(range(len(rows))),
        "mode": "markers",
        "marker": {"color": fills, "line": {"color": looks, "width": 2}, "size": 9},
        "error_x": whiskers(colours.ink_faint, [one.here.margin or 0.0 for one in rows]),
        "customdata": [
            f"{estimate_words(one.here)}<br>mean of the others {estimate_words(one.others)}<br>{own_text(one.told)}"
            for one in rows
        ],
        "text": [term_words(one) for one in rows],
        "hovertemplate": "<b>%{text}</b><br>%{customdata}<extra></extra>",
        "name": "here",
    }


def own_text(told: float) -> str:
    """How much of an influence its own measurements tell: `64 % own, 36 % borrowed`."""
    own = round(100 * told)
    return f"{own}{GAP}% own, {100 - own}{GAP}% borrowed"


def borrowed_finding(found: BorrowedInfluences) -> str:
    """What is known of the workload, and how far it is to be trusted, in one sentence."""
    own = plural(found.configurations, "configuration")
    said = f"{found.workload} was measured in {own}: the rest is borrowed from {plural(found.known, 'other workload')}"
    if found.error is None:
        return said
    return f"{said}. Its own values, each left out, are predicted with an error of {fixed(100 * found.error, 1)}{GAP}%"


def borrowed_axes(found: BorrowedInfluences, quantity: str) -> str:
    """What the figure's marks mean."""
    more = len(found.influences) - MOST_BORROWED
    said = f"factor by which {quantity} changes; hollow is borrowed for the most part, a line is the mean of the others"
    return f"{said}; {plural(more, 'smaller influence')} in the table" if more > 0 else said
