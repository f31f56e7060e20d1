"""Figures whose traces and layout are taken as they are.

Plotly looks through each value that a figure of its gets, and copies it several times, which took most of what a page of
figures costs. That is for tests to do: they have every figure looked through (`tests/dashboard/conftest.py`).
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

# Properties of a trace, with its `type`.
Trace = dict[str, Any]


class Drawing(go.Figure):  # type: ignore[misc] # plotly has no types
    """A figure of traces and a layout, which names its template."""

    def __init__(self, data: Sequence[Trace] = (), layout: dict[str, Any] | None = None) -> None:
        whole = dict(layout or {})
        if isinstance(whole.get("template"), str):
            whole["template"] = pio.templates[whole["template"]].to_plotly_json()
        for name, axis in whole.items():
            if name[1:5] == "axis" and "ticktext" in axis:
                # The browser reads markup in texts, links too: a name is shown as it is written.
                whole[name] = axis | {"ticktext": [as_written(text) for text in axis["ticktext"]]}
        super().__init__(list(data), whole, _validate=False)

    def to_plotly_json(self) -> dict[str, Any]:
        """What is sent, not copied: it is sent once. No value of ours is an array of numpy's, which plotly would encode."""
        return {"data": self._data, "layout": self._layout}


def as_written(name: str) -> str:
    """A name that somebody else gave, for a text of a figure that may hold markup."""
    return escape(name, quote=False)


class Sketch:
    """What several functions draw of a figure, until it is whole."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self._shapes: list[dict[str, Any]] = []
        self._texts: list[dict[str, Any]] = []

    def scatter(self, **properties: Any) -> None:
        """Draw points or a line."""
        self.traces.append({"type": "scatter", **properties})

    def upright(self, first: float, last: float, **look: Any) -> None:
        """Draw an area from top to bottom; a line where it has no width."""
        whole = {"y0": 0, "y1": 1, "xref": "x", "yref": "y domain"}
        kind = "line" if first == last else "rect"
        self._shapes.append({"type": kind, "x0": first, "x1": last, **whole, **look})

    def text(self, **properties: Any) -> None:
        """Write a text without an arrow."""
        self._texts.append({"showarrow": False, **properties})

    def drawn(self, layout: dict[str, Any]) -> Drawing:
        """The figure."""
        marks = {"shapes": self._shapes, "annotations": self._texts}
        return Drawing(self.traces, layout | {name: some for name, some in marks.items() if some})
