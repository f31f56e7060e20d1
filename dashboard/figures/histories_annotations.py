"""What people noted at the revisions of a history, and the changes that they set by hand, in its figure."""

from collections.abc import Sequence

from dashboard.figures.drawing import Sketch
from dashboard.figures.histories_words import ANNOTATION_KINDS, annotation_text
from dashboard.figures.theme import Palette
from dashboard.selectors.histories.rows import AnnotationRow

# The axis on which their marks stand.
ANNOTATIONS_AXIS = {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True}
# Of annotations by kind: no shape but these tells them apart, so none is like a point's.
_SYMBOLS = {"release": "pentagon", "machine": "square", "benchmark": "diamond", "note": "star"}


def draw_by_hand(sketch: Sketch, by_hand: Sequence[tuple[int, int, bool]], colours: Palette) -> None:
    """Draw a dashed frame around each change that people set, and say that they did."""
    for before, after, is_worse in by_hand:
        frame = {"color": colours.slower if is_worse else colours.faster, "width": 1.5, "dash": "dash"}
        sketch.upright(before, after, line=frame, fillcolor="rgba(0,0,0,0)")
        words = {"text": "by hand", "font": {"size": 12, "color": frame["color"]}}
        sketch.text(x=(before + after) / 2, y=0, yref="paper", yanchor="bottom", **words)


def draw_annotations(
    sketch: Sketch, annotations: Sequence[AnnotationRow], colours: Palette, *, named: bool = True
) -> None:
    """Draw what people noted: a line at one revision, an area over a range; and `named` at the top, by kind, for a legend."""
    for one in annotations:
        where = (one.first.position, one.last.position)
        if one.first == one.last:
            dash = "solid" if one.kind == "benchmark" else "dot"
            sketch.upright(*where, line={"color": colours.ink_soft, "width": 1, "dash": dash})
        else:
            sketch.upright(*where, fillcolor=colours.ink_soft, opacity=0.1, line={"width": 0}, layer="below")
    if not annotations or not named:
        return
    for kind in dict.fromkeys(one.kind for one in annotations):
        own = [one for one in annotations if one.kind == kind]
        sketch.scatter(
            x=[one.first.position for one in own],
            y=[1.0] * len(own),
            yaxis="y2",
            mode="markers",
            name=ANNOTATION_KINDS[kind],
            showlegend=True,
            cliponaxis=False,
            marker={"symbol": _SYMBOLS[kind], "size": 10, "color": colours.ink_soft},
            customdata=[[one.first.name, annotation_text(one)] for one in own],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
