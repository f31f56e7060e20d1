"""What was measured on unmerged branches, in the figure of a history."""

from dashboard.figures.drawing import Sketch
from dashboard.figures.histories_words import revision_text, revision_title, scale_of
from dashboard.figures.numbers import DisplayScale, number, plural
from dashboard.figures.theme import Palette
from dashboard.selectors.histories.rows import History, UnmergedPoint

# As the legend calls it.
UNMERGED = "on an unmerged branch"


def draw_unmerged(sketch: Sketch, history: History, colours: Palette) -> None:
    """Draw what was measured on branches as crosses above the revisions that these left; a click chooses that revision."""
    if not history.unmerged:
        return
    scale = scale_of(history)
    sketch.scatter(
        x=[point.place.position for point in history.unmerged],
        y=[point.median * scale.factor for point in history.unmerged],
        mode="markers",
        name=UNMERGED,
        marker={"size": 9, "symbol": "x-thin", "line": {"width": 2, "color": colours.ink_soft}},
        customdata=[[point.place.base, unmerged_text(point, scale)] for point in history.unmerged],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def unmerged_text(point: UnmergedPoint, scale: DisplayScale) -> str:
    """`feature: 12.3 ms, 3 runs; its branch left 3.2.1`: what was measured on an unmerged branch."""
    title = revision_title(point.place.name, point.place.message)
    return f"{title}: {unmerged_value(point, scale)}; its branch left {revision_text(point.place.base)}"


def unmerged_value(point: UnmergedPoint, scale: DisplayScale) -> str:
    """`12.3 ms, 3 runs, spread 0.4 ms`, with the spread of its runs where it is known."""
    spread = (
        f", spread {number(point.spread, scale=scale)}" if point.spread is not None and point.n > 1 else ""
    )
    return f"{number(point.median, scale=scale)}, {plural(point.n, 'run')}{spread}"
