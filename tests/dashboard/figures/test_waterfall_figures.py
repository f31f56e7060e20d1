"""The waterfall from one configuration to another."""

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures.waterfall import MOST_STEPS, waterfall_figure
from tests.dashboard.influences_samples import influences, term


def traces(figure: go.Figure) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_the_steps_lead_exactly_from_one_value_to_the_other(values: list[float]) -> None:
    found = influences(*(term(f"O{n}", value) for n, value in enumerate(values)), base=20.0, compared=True)
    bars = traces(waterfall_figure(found))["bars"]
    ends = [start + step for start, step in zip(bars.base, bars.x, strict=True)]
    assert ends[0] == pytest.approx(20.0)
    assert ends[-2] == pytest.approx(20.0 + sum(values))
    assert list(bars.base[1:-1]) == pytest.approx(ends[:-2])


def test_no_step_leads_below_zero_where_terms_cancel() -> None:
    found = influences(term("A", -145.0), term("A*B", 144.0), term("B", 2.0), base=24.0, compared=True)
    figure = waterfall_figure(found)
    bars = traces(figure)["bars"]
    assert min(start + step for start, step in zip(bars.base, bars.x, strict=True)) >= 0
    assert list(traces(figure)["rows"].customdata) == ["", "A*B", "A", "B", ""]


def test_all_other_terms_stand_in_one_step() -> None:
    found = influences(*(term(f"O{n}", 1.0 / (n + 1)) for n in range(100)), compared=True)
    figure = waterfall_figure(found, found.terms[:10])
    labels = traces(figure)["labels"].text
    assert len(labels) == 13
    assert labels[-2] == "90 other terms together"
    assert len(traces(waterfall_figure(found))["labels"].text) == MOST_STEPS + 3
    assert len(waterfall_figure(found).to_json()) < 200_000


def test_unasked_terms_that_may_be_zero_have_no_step_of_their_own() -> None:
    small = [term(name, 0.0001, error=0.0002) for name in ("B", "A*B")]
    figure = waterfall_figure(influences(term("A", 1.0), *small, compared=True))
    assert traces(figure)["labels"].text[1:-1] == ("A [off → on]", "2 other terms together")
    bars = traces(figure)["bars"]
    assert bars.base[-2] + bars.x[-2] == pytest.approx(bars.base[-1])


def test_a_single_other_term_has_its_name_and_interval() -> None:
    figure = waterfall_figure(influences(term("A", 1.0), term("B", 0.0001, error=0.0002), compared=True))
    assert traces(figure)["labels"].text[1:-1] == ("A [off → on]", "B [off → on]")
    assert "±" in traces(figure)["amounts"].text[-2]


def test_the_two_configurations_are_named_points_with_their_values() -> None:
    figure = waterfall_figure(influences(term("A", 0.01), base=0.05, compared=True))
    found = traces(figure)
    assert found["labels"].text == ("default", "A [off → on]", "A on, B on")
    assert list(found["configurations"].x) == pytest.approx([50.0, 60.0])
    assert figure.layout.xaxis.title.text == "wall time, ms"
    assert figure.layout.xaxis.range[0] > 40


def test_without_a_target_there_is_no_waterfall() -> None:
    with pytest.raises(ValueError, match="configuration that it leads to"):
        waterfall_figure(influences(term("A", 0.01)))


def test_many_changed_options_are_counted_where_their_names_would_reach_the_value() -> None:
    found = influences(term("A", 1.0), base=20.0, compared=True)
    differences = tuple((f"an_option_{n}", "on") for n in range(3))
    assert found.target is not None
    found = replace(found, target=replace(found.target, differences=differences))
    labels, rows = (traces(waterfall_figure(found))[name] for name in ("labels", "rows"))
    assert labels.text[-1] == "3\N{NO-BREAK SPACE}options changed"
    assert rows.hovertext[-1].startswith("an_option_0 on, an_option_1 on")
