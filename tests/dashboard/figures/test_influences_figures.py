"""Bars of terms and of the regions where a term arises."""

from typing import Any

import plotly.graph_objects as go
import pytest

from dashboard.figures.influences import MOST_TERMS, REST, drawn_regions, term_regions_figure, terms_figure
from dashboard.figures.influences_words import together_text
from dashboard.figures.theme import DARK, LIGHT, Palette
from tests.dashboard.influences_samples import ANALYSIS, term, term_regions

TERMS = (term("A*B", 0.030), term("A", 0.015), term("B", -0.002), term("C", 0.0001, error=0.0002))


def traces(figure: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_bars_reach_from_zero_to_the_influence_in_the_unit_of_the_axis() -> None:
    figure = terms_figure(TERMS, ANALYSIS)
    bars = traces(figure)["bars"]
    assert list(bars.base) == [0.0] * 4
    assert list(bars.x) == pytest.approx([30.0, 15.0, -2.0, 0.1])
    assert figure.layout.xaxis.title.text == "influence on wall time, ms"


def test_whiskers_reach_to_both_ends_of_the_interval() -> None:
    whiskers = traces(terms_figure(TERMS, ANALYSIS))["bars"].error_x
    assert list(whiskers.array) == pytest.approx([0.2, 0.2, 0.2, 0.4])
    assert list(whiskers.arrayminus) == pytest.approx([0.2, 0.2, 0.2, 0.4])


@pytest.mark.parametrize(("scheme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_colours_say_slower_faster_and_may_be_zero(scheme: str, colours: Palette) -> None:
    bars = traces(terms_figure(TERMS, ANALYSIS, scheme=scheme))["bars"]
    assert list(bars.marker.color) == [colours.slower, colours.slower, colours.faster, colours.uncertain]


def test_every_row_says_its_term_and_its_number() -> None:
    found = traces(terms_figure(TERMS, ANALYSIS))
    assert list(found["labels"].text) == ["A × B [off → on]", "A [off → on]", "B [off → on]", "C [off → on]"]
    assert found["amounts"].text[0] == "+30.0 ± 0.2 ms".replace(" ", "\N{NO-BREAK SPACE}")
    assert found["amounts"].text[3].startswith("may be zero")


def test_a_click_anywhere_in_a_row_tells_the_term() -> None:
    keys = ["A*B", "A", "B", "C"]
    figure = terms_figure(TERMS, ANALYSIS)
    assert all(list(trace.customdata) == keys for trace in figure.data)
    low, high = figure.layout.xaxis.range
    rows = traces(figure)["rows"]
    assert set(rows.base) == {low}
    assert list(rows.x) == [high - low] * 4


def test_only_the_selected_row_is_washed() -> None:
    washes = traces(terms_figure(TERMS, ANALYSIS, selected="A"))["rows"].marker.color
    assert [colour == LIGHT.wash for colour in washes] == [False, True, False, False]


def test_at_most_forty_terms_are_drawn() -> None:
    many = tuple(term(f"O{n}", 1.0 / (n + 1)) for n in range(300))
    figure = terms_figure(many, ANALYSIS)
    assert len(traces(figure)["bars"].x) == MOST_TERMS
    assert len(figure.to_json()) < 200_000


def test_the_bars_of_regions_sum_to_the_term() -> None:
    values = [0.01, 0.006, *[0.0005] * 20]
    found = term_regions(term("A", sum(values) + 0.002), *values, outside=0.002)
    figure = term_regions_figure(found)
    bars = traces(figure)["bars"]
    assert sum(bars.x) == pytest.approx(28.0)
    assert traces(figure)["labels"].text[-2:] == ("14\N{NO-BREAK SPACE}more regions", "not in any region")
    assert figure.layout.xaxis.title.text == "part of the influence on wall time, ms"


def test_an_axis_says_that_no_interval_is_known_of_several_in_one_row() -> None:
    found = term_regions(term("A", 0.02), *[0.001] * 20)
    assert "none is known" in together_text(len(found.regions) - len(drawn_regions(found)))
    few = term_regions(term("A", 0.009), *[0.001] * 9)
    assert together_text(len(few.regions) - len(drawn_regions(few))) == ""


def test_what_lies_in_no_region_is_said_even_if_it_is_nothing() -> None:
    figure = term_regions_figure(term_regions(term("A", 0.01), 0.007, 0.003))
    found = traces(figure)
    assert list(found["labels"].text) == ["Thing.r0", "Thing.r1", "not in any region"]
    assert found["bars"].x[-1] == 0.0
    assert found["rows"].customdata[-1] == REST
    assert found["amounts"].text[0].endswith("70\N{NO-BREAK SPACE}%")


def test_without_terms_next_to_nothing_is_drawn() -> None:
    figure = terms_figure((), ANALYSIS)
    assert figure.layout.height == 10
    assert not figure.data
