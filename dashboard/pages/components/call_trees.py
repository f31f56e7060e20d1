"""The card of a flame graph with its call tree as a table, for one configuration or two sides."""

from collections.abc import Callable, Sequence
from typing import Any

from dash import Output, html

from dashboard.figures.call_trees import amount_text, drawn, flame_figure, frame_text, tree_scale
from dashboard.figures.call_trees_words import tree_axes, tree_finding
from dashboard.figures.influences_words import configuration_text
from dashboard.figures.numbers import number, share
from dashboard.figures.theme import blank, palette
from dashboard.pages.addresses import MEASURE, REGIONS, address
from dashboard.pages.components.blocks import (
    Piece,
    action,
    attributes,
    command,
    empty_state,
    figure_card,
    help_tip,
    lens_button,
)
from dashboard.pages.components.inputs import filter_text
from dashboard.pages.components.tables import Column, not_shown, plain_table
from dashboard.pages.ids import TreeIds
from dashboard.pages.lens import Lens
from dashboard.selectors.call_tree_rows import SampledTree
from dashboard.selectors.call_trees import NoCallPaths

_HELP = (
    "Each frame is a function on one call path; the functions that it calls stand below it, and its width is its time with all of "
    "these. A click opens the function's page. A sampler looked a thousand times a second: what is short is seen by chance."
)
_STEP = 14  # pixels that a call is indented by
_DEEPEST = 24  # levels that are indented


def tree_card(parts: TreeIds) -> html.Div:
    """The card, which `filled` fills, and what stands in its place where there is nothing to draw."""
    find = filter_text(
        parts.find, "", placeholder="Find a function", name="Find a function on call paths", width=180
    )
    help_ = help_tip(_HELP, "explanation/call-paths")
    card = figure_card(parts.figure, help_=help_, controls=[find], height=120)
    return html.Div([html.Div(id=parts.message), card], className="stacked")


def tree_outputs(parts: TreeIds) -> tuple[Output, ...]:
    """What `filled` and `unsampled` fill."""
    hidden = Output(parts.figure.card, "hidden")
    return (Output(parts.message, "children"), hidden, *parts.figure.outputs)


def filled(
    tree: SampledTree, slug: str, lens: Lens, *, sides: Sequence[str], words: str, scheme: str | None
) -> tuple[Any, ...]:
    """The flame graph and the call tree, for `tree_outputs`; `sides` are what the two sides are called."""
    figure = flame_figure(tree, words=words, sides=sides, scheme=scheme)
    table = _table(tree, slug, lens, sides, words)
    return None, False, tree_finding(tree, words), tree_axes(tree, sides, words), figure, table


def unsampled(
    error: NoCallPaths, slug: str, lens: Lens, *, scheme: str | None, change: str = ""
) -> tuple[Any, ...]:
    """Why there is no flame graph and how one comes, for `tree_outputs`; `change` is what a sampled one is chosen as."""
    others: list[Piece] = [
        lens_button(configuration_text(one), {change: one.key}, look="choice") for one in error.sampled
    ]
    ways: list[Piece] = []
    if others:
        ways = [html.P("These have some:"), html.Div(others, className="choices choices-many")]
    state = empty_state(
        "No call paths here",
        "A flame graph shows which function calls which, and how long. Runs of Python programs keep call paths when they are "
        "measured with profiling; those of earlier releases, of native programs and most imports have none.",
        *ways,
        command(".venv/bin/python manage.py measure SUBJECT --configurations default"),
        act=action("Measure with profiling", href=address(slug, MEASURE, lens=lens)),
    )
    card = html.Section(state, className="card")
    return card, True, None, None, blank(palette(scheme)), None


def _table(tree: SampledTree, slug: str, lens: Lens, sides: Sequence[str], words: str) -> list[Piece]:
    """The call tree: a row for each frame that is drawn, below its caller and indented."""
    places = drawn(tree, words)

    def name(at: int) -> html.Span:
        node = tree.nodes[at]
        text: Piece = frame_text(tree, node)
        if node.region in tree.paged:
            href = address(slug, REGIONS, node.region, lens.but(region=node.region))
            text = html.A(text, href=href, className="link", **attributes(data_key=str(at)))
        indent = {"paddingInlineStart": f"{_STEP * min(node.depth, _DEEPEST)}px"}
        return html.Span(text, style=indent, title=f"level {node.depth + 1}: {node.region}")

    columns = [Column("name", "function, below its caller", kind="code", of=name), *_numbers(tree, sides)]
    left = 0 if words else len(tree.nodes) - len(places)
    return [
        plain_table(columns, places, label="Call tree"),
        not_shown(left, "shorter path", "shorter paths"),
    ]


def _numbers(tree: SampledTree, sides: Sequence[str]) -> list[Column]:
    """The columns of one side's times, or of a difference and both times; rows are places in the tree."""
    scale, nodes = tree_scale(tree), tree.nodes

    def column(field: str, head: str, of: Callable[[int], str]) -> Column:
        return Column(field, head, kind="number", of=of)

    def time_at(side: int) -> Column:
        return column(f"side{side}", sides[side], lambda at: number(nodes[at].times[side], scale=scale))

    if nodes[0].difference is None:
        whole = nodes[0].times[0]
        return [
            column("time", "with what it calls", lambda at: number(nodes[at].times[0], scale=scale)),
            column("own", "itself", lambda at: number(nodes[at].own[0], scale=scale)),
            column("share", "share", lambda at: share(nodes[at].times[0] / whole)),
        ]
    return [
        column("difference", "difference", lambda at: amount_text(nodes[at], scale)),
        *map(time_at, range(len(sides))),
        Column("only", "seen", of=lambda at: _only(tree, at, sides)),
    ]


def _only(tree: SampledTree, at: int, sides: Sequence[str]) -> str:
    side = tree.nodes[at].only_in
    return "" if side is None else f"only in {sides[side]}"
