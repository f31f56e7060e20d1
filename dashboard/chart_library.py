"""The chart library as it is served: most figures are drawn by a part of it, a quarter of the whole."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly

# Below `static/`.
SMALL_LIBRARY = "plotly/plotly-basic-4.1.1.min.js"
SMALL_LIBRARY_DRAWS = frozenset({"scatter", "bar", "pie"})


def is_drawn_small(figures: Sequence[Mapping[str, Any] | None]) -> bool:
    """Whether the small chart library draws all these figures (plotly's JSON form)."""
    traces = [trace for figure in figures if figure for trace in figure.get("data", ())]
    return SMALL_LIBRARY_DRAWS.issuperset(trace.get("type", "scatter") for trace in traces)


def whole_library() -> str:
    """The whole chart library, from the installed package: for figures that the small one does not draw."""
    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
