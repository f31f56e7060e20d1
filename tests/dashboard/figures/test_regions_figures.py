"""Dots of a region's repetitions, one row per subspace."""

from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.figures.regions import MOST_DOTS, subspaces_figure
from dashboard.selectors.model_rows import Estimate
from dashboard.selectors.regions.rows import RegionDetail, Repetition, SubspaceRow
from tests.dashboard.influences_samples import ANALYSIS, DEFAULT


def detail(*subspaces: SubspaceRow) -> RegionDetail:
    return RegionDetail(
        model=ANALYSIS,
        base=DEFAULT,
        key="r",
        name="Thing.r",
        is_program=False,
        time=Estimate(0.001),
        share=0.1,
        terms=(),
        options=("A",),
        subspaces=subspaces,
        versions=(),
        source=None,
    )


def subspace(words: str, time: float | None, times: tuple[float, ...], *, base: bool = False) -> SubspaceRow:
    runs = tuple(Repetition("c1", n, value) for n, value in enumerate(times))
    return SubspaceRow(words, time, runs, 1 if times else 0, base)


def traces(figure: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_each_repetition_is_a_dot_and_the_model_a_stroke() -> None:
    figure = subspaces_figure(
        detail(
            subspace("A on", 0.020, (0.019, 0.020, 0.022)), subspace("A off", 0.001, (0.001,) * 3, base=True)
        )
    )
    found = traces(figure)
    assert list(found["repetitions"].x) == pytest.approx([19.0, 20.0, 22.0, 1.0, 1.0, 1.0])
    assert list(found["model"].x) == pytest.approx([20.0, 1.0])
    assert found["repetitions"].customdata[1] == "c1, run 2"
    assert figure.layout.xaxis.title.text == "wall time in this region, ms"


def test_the_axis_holds_every_repetition() -> None:
    figure = subspaces_figure(detail(subspace("A on", 0.020, (0.010, 0.020, 0.150))))
    low, high = figure.layout.xaxis.range
    assert low <= 10.0
    assert high >= 150.0


def test_the_subspace_of_the_base_is_marked_in_words() -> None:
    labels = traces(subspaces_figure(detail(subspace("A off", 0.001, (0.001,), base=True))))["labels"].text
    assert "base" in labels[0]
    assert "A off" in labels[0]


def test_a_subspace_that_was_never_measured_says_so() -> None:
    found = traces(subspaces_figure(detail(subspace("A on", None, ()), subspace("A off", 1.0, (1.0,)))))
    assert found["amounts"].text[0] == "not measured"
    assert list(found["model"].x) == [1.0]


def test_dots_are_thinned_evenly() -> None:
    many = tuple(subspace(f"S{n} on", 1.0, (1.0,) * 200) for n in range(40))
    figure = subspaces_figure(detail(*many))
    dots = traces(figure)["repetitions"]
    assert MOST_DOTS // 2 < len(dots.x) <= MOST_DOTS
    assert len({round(y) for y in dots.y}) >= 40
    assert len(figure.to_json()) < 200_000
