"""Flame graphs: the call tree of one configuration, or the difference of two, drawn from the whole call downwards."""

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from analytics.call_trees import WHOLE, CallFrame, below
from dashboard.figures.drawing import Drawing
from dashboard.figures.influences_words import region_text
from dashboard.figures.numbers import DisplayScale, number, scale_for, share
from dashboard.figures.theme import MONO, Palette, blank, palette
from dashboard.selectors.call_tree_rows import SampledTree

FRAME_HEIGHT = 22  # pixels
# Frames that are drawn, and the share of the whole below which one is narrower than a pixel.
MOST_FRAMES = 300
LEAST = 0.001
# Of a difference without an interval: the share of the whole from which on it is coloured.
_CLEAR = 0.01
# Letters that a frame as wide as the whole has room for, on a wide screen.
_LETTERS = 140
# How strong the colours of the smallest and of the largest difference are.
_WEAKEST, _STRONGEST = 0.25, 0.75


def matches(tree: SampledTree, words: str) -> tuple[int, ...]:
    """The places of the frames whose region has all of these words, below no other such frame; none without words."""
    wanted = words.lower().split()
    if not wanted:
        return ()
    found: set[int] = set()
    inside: set[int] = set()
    for at, node in enumerate(tree.nodes):
        if node.parent in inside:
            inside.add(at)
        elif node.region != WHOLE and all(
            one in f"{node.region} {tree.name(node.region)}".lower() for one in wanted
        ):
            found.add(at)
            inside.add(at)
    return tuple(sorted(found))


def drawn(tree: SampledTree, words: str = "") -> tuple[int, ...]:
    """The places of the frames that are drawn: the widest, with their callers, and of a search the paths that it found."""
    nodes = tree.nodes
    whole = nodes[0].width
    places: Iterable[int] = range(len(nodes))
    if found := matches(tree, words):
        places = below(nodes, found)
    wide = [at for at in places if nodes[at].width >= LEAST * whole]
    # A caller is never narrower than what it calls, and stands before it.
    widest = sorted(wide, key=lambda at: (-nodes[at].width, at))[:MOST_FRAMES]
    return tuple(sorted(widest))


def tree_scale(tree: SampledTree) -> DisplayScale:
    """The unit in which a tree's times are shown."""
    return scale_for(tree.nodes[0].times)


def flame_figure(
    tree: SampledTree, *, words: str = "", sides: Sequence[str] = (), scheme: str | None = None
) -> go.Figure:
    """Frames as wide as their time, callers above what they call; of two `sides` as wide as the mean of both.

    Of two sides, what takes longer on the second is vermilion, what takes less blue, and grey what its interval does not
    tell from zero. Frames carry their place in the tree as `customdata`. Those that `words` find are outlined.
    """
    colours = palette(scheme)
    places, found = drawn(tree, words), set(matches(tree, words))
    nodes, scale = tree.nodes, tree_scale(tree)
    if not nodes[0].width:
        return blank(colours)
    widths = _widths(nodes)
    largest = max((abs(node.difference.value) for node in nodes[1:] if node.difference), default=0.0)
    deepest = max(nodes[at].depth for at in places)
    frames = {
        "type": "icicle",
        "ids": [str(at) for at in places],
        "parents": [str(nodes[at].parent) if at else "" for at in places],
        "labels": [frame_text(tree, nodes[at]) for at in places],
        "text": [_text(tree, nodes[at], scale) for at in places],
        "values": [widths[at] for at in places],
        "branchvalues": "total",
        "customdata": [str(at) for at in places],
        "hovertext": [_hover(tree, nodes[at], scale, sides) for at in places],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "textinfo": "text",
        "textfont": {"family": MONO, "size": 12, "color": colours.ink},
        "marker": {
            "colors": [_colour(nodes[at], nodes[0], largest, colours) for at in places],
            "line": {
                "color": [colours.accent if at in found else colours.surface for at in places],
                "width": [2 if at in found else 1 for at in places],
            },
        },
        "tiling": {"orientation": "v", "pad": 0},
        "pathbar": {"visible": False},
        "sort": False,
    }
    layout = {
        "template": colours.template,
        "height": FRAME_HEIGHT * (deepest + 1) + 8,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 8},
        "uniformtext": {"minsize": 11, "mode": "hide"},
    }
    return Drawing([frames], layout)


def _widths(nodes: Sequence[CallFrame]) -> list[int]:
    """The width of each frame in billionths of the whole.

    In whole numbers, for the widths of what a frame calls must never, by rounding, sum to more than its own.
    """
    widths = [round(sum(node.own) / len(node.own) / nodes[0].width * 1e9) for node in nodes]
    for at in range(len(nodes) - 1, 0, -1):
        widths[nodes[at].parent] += widths[at]
    return widths


def changed(node: CallFrame, whole: CallFrame) -> bool:
    """Whether a frame's difference is told from zero; without an interval, whether it is a hundredth of the whole."""
    difference = node.difference
    if difference is None:
        return False
    if difference.margin is None:
        return abs(difference.value) >= _CLEAR * whole.width
    return difference.is_significant


def amount_text(node: CallFrame, scale: DisplayScale) -> str:
    """What a frame takes: `12.1 ms`, or of two sides by how much more or less, with its interval."""
    if node.difference is None:
        return number(node.times[0], scale=scale)
    return number(node.difference.value, node.difference.margin, scale=scale, signed=True)


def frame_text(tree: SampledTree, node: CallFrame) -> str:
    """What a frame is called."""
    return "whole call" if node.region == WHOLE else region_text(tree.name(node.region))


def _text(tree: SampledTree, node: CallFrame, scale: DisplayScale) -> str:
    """The name and what the frame takes, or as much of it as a wide screen has room for."""
    name = frame_text(tree, node)
    # A difference without its margin would have more digits than are known.
    whole = f"{name}  {amount_text(node, scale)}"
    room = _LETTERS * node.width / tree.nodes[0].width
    return next((text for text in (whole, name) if len(text) <= room), name.rpartition(".")[2])


def _hover(tree: SampledTree, node: CallFrame, scale: DisplayScale, sides: Sequence[str]) -> str:
    whole = tree.nodes[0]
    module = node.region.rpartition(":")[0]
    lines = [f"{module}<br>" * bool(module) + f"<b>{frame_text(tree, node)}</b>"]
    if node.difference is None:
        lines.append(
            f"{number(node.times[0], scale=scale)}, {share(node.times[0] / whole.times[0])} of the call"
        )
        lines.append(f"itself {number(node.own[0], scale=scale)}")
        return "<br>".join(lines)
    lines.append(amount_text(node, scale))
    lines += [
        f"{side}: {number(time, scale=scale)}, itself {number(own, scale=scale)}"
        for side, time, own in zip(sides, node.times, node.own, strict=True)
    ]
    if node.only_in is not None:
        lines.append(f"only in {sides[node.only_in]}")
    elif not changed(node, whole):
        lines.append("may be no difference")
    return "<br>".join(lines)


def _colour(node: CallFrame, whole: CallFrame, largest: float, colours: Palette) -> str:
    if node.difference is None or not changed(node, whole):
        return _mixed(colours.uncertain, colours.surface, 0.3)
    size = abs(node.difference.value) / largest if largest else 0.0
    strength = min(_WEAKEST + (_STRONGEST - _WEAKEST) * size, _STRONGEST)
    return _mixed(colours.slower if node.difference.value > 0 else colours.faster, colours.surface, strength)


def _mixed(colour: str, ground: str, strength: float) -> str:
    """`strength` of a colour on a ground, both as #rrggbb."""
    parts = [[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in (colour, ground)]
    return "#" + "".join(
        f"{round(strength * own + (1 - strength) * under):02x}" for own, under in zip(*parts, strict=True)
    )
