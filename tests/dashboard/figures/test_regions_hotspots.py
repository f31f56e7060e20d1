"""Hotspots and option hotspots as figures and sentences."""

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.figures.regions_hotspots import (
    MOST,
    hotspots_figure,
    hotspots_finding,
    option_hotspots_figure,
    option_hotspots_finding,
)
from dashboard.selectors.model_rows import Estimate, TermRow
from dashboard.selectors.regions.rows import RegionList, RegionRow
from tests.dashboard.influences_samples import ANALYSIS, DEFAULT, estimate, term


def row(name: str, time: float, largest: TermRow | None = None) -> RegionRow:
    return RegionRow(
        key=name,
        name=f"Thing.{name}(I)V",
        package="package",
        file="",
        is_program=False,
        time=time,
        share=time / 0.1,
        target_time=None,
        largest=largest,
        options=(),
        subspaces=2,
        versions=1,
    )


ROWS = (
    row("slow", 0.060),
    row("changing", 0.010, term("A*B", 0.020)),
    row("other", 0.030, term("A", -0.005)),
)
FOUND = RegionList(ANALYSIS, DEFAULT, estimate(0.1, 0.001), None, ROWS)


def traces(figure: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_hotspots_are_drawn_by_what_they_take_at_the_base() -> None:
    figure = hotspots_figure(FOUND, ROWS)
    assert list(traces(figure)["bars"].x) == pytest.approx([60.0, 10.0, 30.0])
    assert figure.layout.xaxis.title.text == "wall time by default, ms"
    assert list(traces(figure)["rows"].customdata) == ["slow", "changing", "other"]
    assert plain(traces(figure)["amounts"].text[0]) == "60.0 ms  60 %"


def test_what_regions_take_stands_with_its_interval() -> None:
    known = [replace(one, taken=Estimate(one.time, 0.004)) for one in ROWS]
    figure = traces(hotspots_figure(FOUND, known))
    assert [plain(one) for one in figure["amounts"].text] == [
        "60 ± 4 ms  60 %",
        "10 ± 4 ms  10 %",
        "30 ± 4 ms  30 %",
    ]
    assert list(figure["bars"].error_x.array) == pytest.approx([4.0] * 3)


def test_option_hotspots_are_drawn_by_their_largest_term() -> None:
    figure = option_hotspots_figure(FOUND, ROWS)
    assert list(traces(figure)["rows"].customdata) == ["changing", "other"]
    assert list(traces(figure)["bars"].x) == pytest.approx([20.0, -5.0])
    assert traces(figure)["labels"].text[0] == "Thing.changing: A × B [off → on]"
    assert figure.layout.xaxis.title.text == "largest influence on the region's wall time, ms"


def test_only_the_first_are_drawn() -> None:
    many = tuple(row(f"r{n}", 0.01) for n in range(300))
    assert len(traces(hotspots_figure(FOUND, many))["rows"].customdata) == MOST


def test_findings_say_where_time_goes_and_where_it_changes() -> None:
    assert (
        plain(hotspots_finding(FOUND, ROWS)) == "Thing.slow takes 60 %; the first 3 together 100 % of 100 ms"
    )
    assert plain(option_hotspots_finding(FOUND, ROWS[1:])) == (
        "Thing.changing changes most: +20.0 ms by A with B; options change 2 of 3 regions"
    )
    assert hotspots_finding(FOUND, ()) == "No region is shown"
    assert "No option changes" in option_hotspots_finding(FOUND, ())
