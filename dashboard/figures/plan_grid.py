"""The plan of a measurement as a grid: configurations by revisions, filled as results arrive."""

import re

import plotly.graph_objects as go
from plotly.colors import find_intermediate_color, hex_to_rgb, label_rgb

from dashboard.figures.drawing import Drawing, as_written
from dashboard.figures.influences_words import shortened
from dashboard.figures.theme import Palette, palette
from dashboard.release_names import release_of
from dashboard.selectors.measuring.rows import GridCell, PlanGrid

# What a cell may be, in the order of the colour scale; the sign tells it without the colour.
STATES = ("waiting", "partly", "ok", "invalid", "failed")
SIGNS = {"waiting": "·", "partly": "", "ok": "", "invalid": "–", "failed": "×"}
WORDS = {
    "waiting": "waiting",
    "partly": "partly measured",
    "ok": "measured",
    "invalid": "marked invalid",
    "failed": "failed",
}
_ROW = 22
# Room for slanted names above the columns, for each of their letters.
_LETTER = 5.2
_HEAD = 18
# Fewer columns than these would make bars of the cells.
_COLUMNS = 16
_TICKS = 20
_LABEL = 42
# In a narrow window a name stands above its row instead, and more columns than fit have so much room and scroll.
_NAME = 16
_LETTERS_ABOVE = 46
# What joins the options of a configuration; fewer letters than these tell no option.
_AND, _LEAST_NAME = " + ", 3
_LEAST_COLUMN = 6
_FITS = 45
_HASH = re.compile(r"^[0-9a-f]{12,64}$")


def plan_grid_figure(
    grid: PlanGrid,
    *,
    scheme: str | None = None,
    selected: tuple[str, str] | None = None,
    narrow: bool = False,
) -> go.Figure:
    """One cell for each configuration (row) and revision (column), coloured and signed by what became of it.

    `customdata` of a cell is [identity of the configuration, revision, what is told of it]. `selected` is an
    identity with a revision: that cell is outlined. In a `narrow` window the columns have all of its width.
    """
    colours = palette(scheme)
    rows, columns = len(grid.configurations), len(grid.revisions)
    values: list[list[int | None]] = [[None] * columns for _ in range(rows)]
    texts = [[""] * columns for _ in range(rows)]
    told = [[[identity, revision, ""] for revision in grid.revisions] for identity in grid.identities]
    for cell in grid.cells:
        values[cell.configuration][cell.revision] = STATES.index(cell.state)
        texts[cell.configuration][cell.revision] = SIGNS[cell.state]
        told[cell.configuration][cell.revision][2] = in_words(cell)
    cells = {
        "type": "heatmap",
        "z": values,
        "text": texts,
        "customdata": told,
        # The browser tells of a pressed cell only where it stands.
        "x": list(grid.revisions),
        "y": list(grid.identities),
        "hovertext": [[as_written(name)] * columns for name in grid.configurations],
        "texttemplate": "%{text}",
        "textfont": {"size": 13},
        "hovertemplate": "<b>%{hovertext}</b> at %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
        "hoverongaps": False,
        "colorscale": _scale(colours),
        "zmin": -0.5,
        "zmax": len(STATES) - 0.5,
        "showscale": False,
        "xgap": 1 if narrow else 2,
        "ygap": 2 + _NAME if narrow else 2,
        "name": "plan",
    }
    layout = _layout(grid, colours, narrow=narrow)
    identity, revision = selected or ("", "")
    if identity in grid.identities and revision in grid.revisions:
        row, column = grid.identities.index(identity), grid.revisions.index(revision)
        ends = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        layout["shapes"] = [{"type": "rect", "line": {"color": colours.ink, "width": 2}, **ends}]
    return Drawing([cells], layout)


def in_words(cell: GridCell) -> str:
    """How many runs came to what: `3 measured, 1 failed, 2 waiting`."""
    counts = ((cell.ok, "ok"), (cell.failed, "failed"), (cell.invalid, "invalid"), (cell.waiting, "waiting"))
    return ", ".join(f"{count} {WORDS[state]}" for count, state in counts if count)


def fitting(configuration: str, most: int) -> str:
    """A configuration in at most `most` characters: each name of its options by its beginning, so that no option is lost.

    `admonition + codehilite + level=6` becomes `adm… + cod… + level=6`: a level is kept. Where even that is too long it is cut at its end.
    """
    if len(configuration) <= most:
        return configuration
    parts = [part.partition("=") for part in configuration.split(_AND)]
    for letters in range(max(len(name) for name, _, _ in parts), _LEAST_NAME - 1, -1):
        text = _AND.join(shortened(name, letters) + equals + level for name, equals, level in parts)
        if len(text) <= most:
            return text
    return shortened(configuration, most)


def short(revision: str) -> str:
    """A revision as an axis names it: a commit by its release, else by the beginning of its hash."""
    return release_of(revision) or revision[:8] if _HASH.match(revision) else revision


def _scale(colours: Palette) -> list[list[float | str]]:
    ends = hex_to_rgb(colours.surface), hex_to_rgb(colours.accent)
    half = label_rgb(find_intermediate_color(*ends, 0.5))
    by_state = (colours.line, half, colours.accent, colours.uncertain, colours.slower)
    return [
        [edge / len(STATES), colour]
        for position, colour in enumerate(by_state)
        for edge in (position, position + 1)
    ]


def _layout(grid: PlanGrid, colours: Palette, *, narrow: bool) -> dict[str, object]:
    rows, columns = len(grid.configurations), len(grid.revisions)
    step = max(1, -(-columns // (_TICKS // 2 if narrow else _TICKS)))
    shown = list(range(columns))[::-1][::step][::-1]
    names = [short(grid.revisions[position]) for position in shown]
    head = _HEAD + round(_LETTER * max(map(len, names), default=0))
    axis: dict[str, object] = {"tickmode": "array", "showgrid": False, "zeroline": False, "fixedrange": True}
    row, width, margin = _ROW, {}, {"t": head, "b": 4, "r": head}
    named: dict[str, object] = {
        "tickvals": list(grid.identities),
        "ticktext": [fitting(text, _LABEL) for text in grid.configurations],
    }
    above: list[dict[str, object]] = []
    if narrow:
        row, named, margin["l"] = _ROW + _NAME, {"showticklabels": False}, 0
        above = [_above(*pair) for pair in zip(grid.identities, grid.configurations, strict=True)]
        width = {"width": head + _LEAST_COLUMN * columns} if columns > _FITS else {}
    return {
        "template": colours.template,
        "height": head + row * max(rows, 1) + 4,
        **width,
        "xaxis": axis
        | {
            "side": "top",
            "type": "category",
            "tickvals": [grid.revisions[position] for position in shown],
            "ticktext": names,
            "tickangle": -45,
            "automargin": False,
            "ticklabeloverflow": "allow",
            "range": [-0.5, max(columns, _COLUMNS) - 0.5],
        },
        "yaxis": axis | named | {"type": "category", "range": [rows - 0.5, -0.5]},
        "annotations": above,
        "margin": margin,
    }


def _above(identity: str, configuration: str) -> dict[str, object]:
    """The name of a row above its cells, closer to them than to those above it."""
    at = {"xref": "paper", "x": 0, "xanchor": "left", "y": identity, "yanchor": "bottom"}
    text = {"text": as_written(fitting(configuration, _LETTERS_ABOVE)), "showarrow": False, "borderpad": 0}
    return at | text | {"xshift": -1, "yshift": _ROW // 2 - 2}
