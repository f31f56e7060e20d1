"""The pages of influences and regions, called as ordinary functions: what they show for a lens."""

import json
from collections.abc import Iterator
from typing import Any

import plotly.utils
import pytest
from dash import no_update

from dashboard.access import NotFound, Principal, access_to, acting, current_principal
from dashboard.models import Measurement, Metric, PerformanceModel, RegionMeasurement, Run, System
from dashboard.pages.influences import page as influences
from dashboard.pages.influences.controls import term_filter
from dashboard.pages.lens import Lens
from dashboard.pages.regions import page as regions
from dashboard.pages.regions import region
from dashboard.pages.regions.page import show_regions
from dashboard.pages.regions.region import show_region
from dashboard.selectors.influences import influences as influences_of
from dashboard.selectors.model_rows import Selection
from dashboard.services.reports.views import freeze_view
from tests.dashboard.influences_page import show_term, show_terms, shown
from tests.dashboard.influences_samples import term
from tests.people import Person

FIGURE_BYTES = 200_000


def text(component: Any) -> str:
    """Everything that a component says, with its attributes, as JSON."""
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.fixture(autouse=True)
def acting_vera(vera: Person) -> Iterator[Principal]:
    """The request of a viewer."""
    token = current_principal.set(vera.principal)
    yield vera.principal
    current_principal.reset(token)


def test_without_regions_the_pages_say_how_a_model_comes(system: System) -> None:
    for layout in (influences.layout, regions.layout):
        said = text(layout(access_to(acting(), "small"), "", Lens()))
        assert "No influence model yet" in said
        assert "manage.py measure" in said


def test_strangers_get_no_page(measured: PerformanceModel, charlie: Person) -> None:
    token = current_principal.set(charlie.principal)
    for layout in (influences.layout, regions.layout):
        with pytest.raises(NotFound):
            layout(access_to(acting(), "small"), "", Lens())
    with pytest.raises(NotFound):
        region.layout(access_to(acting(), "small"), "pkg.hot", Lens())
    current_principal.reset(token)


def test_terms_are_found_said_and_drawn_from_the_lens(measured: PerformanceModel) -> None:
    message, hidden, sentence, subtitle, count, _, finding, axes, figure, table, rows = show_terms({}, "dark")
    assert message is None
    assert not hidden
    assert "Small takes 40.1" in text(sentence)
    assert "made without a partition" in subtitle
    assert "of 3 terms" in text(count)
    assert "A with B costs 30.0 ms" in text(finding)
    assert "relative to default" in axes
    assert figure.data[0].customdata[0] == "A*B"
    assert "A × B [off → on]" in text(table)
    assert '{\\"term\\": \\"A*B\\"}' in text(rows)
    assert len(text(figure)) < FIGURE_BYTES


def test_filters_of_the_address_choose_the_terms(measured: PerformanceModel) -> None:
    figure = show_terms({"threshold": "0.02"}, None)[8]
    assert list(figure.data[0].customdata) == ["A*B"]
    figure = show_terms({"degree": "1", "threshold": "0.005"}, None)[8]
    assert list(figure.data[0].customdata) == ["A"]
    figure = show_terms({"search": "b", "threshold": "0.02"}, None)[8]
    assert list(figure.data[0].customdata) == ["A*B"]


def test_an_address_that_says_nonsense_is_read_as_if_it_said_nothing() -> None:
    terms = (term("A", 1.0),)
    plain = term_filter(Lens(), terms)
    assert term_filter(Lens(settings={"threshold": "much", "degree": "x"}), terms) == plain
    assert term_filter(Lens(settings={"threshold": "nan"}), terms) == plain
    assert term_filter(Lens(settings={"threshold": "-1"}), terms).threshold == 0.0


def test_a_comparison_is_a_waterfall_beside_the_options_that_differ(measured: PerformanceModel) -> None:
    parts = show_terms({"compared": "all"}, None)
    assert "40.1" in text(parts[2])
    assert "2 options differ, 0 agree" in text(parts[5])
    assert "measured end to end" in text(parts[5])
    assert "slower: from 40.1 ms to 80." in text(parts[6])
    assert {trace.name for trace in parts[8].data} >= {"connectors", "configurations"}


def test_a_term_leads_to_its_regions_and_to_its_history(measured: PerformanceModel) -> None:
    title, facts, finding, _, figure, table, rows, hidden = show_term({"term": "A*B", "base": ""}, None)
    assert not hidden
    assert title == "A × B [off → on]"
    assert "/app/s/small/histories?term=A%2AB" in text(facts)
    assert "30.0 ms" in text(finding)
    assert "hot" in text(table)
    assert "/app/s/small/regions/pkg.hot?term=A%2AB&region=pkg.hot" in text(rows)
    assert "not in any region" in text(figure)


def test_unasked_the_largest_term_is_opened(measured: PerformanceModel) -> None:
    assert show_term({}, None)[0] == "A × B [off → on]"


def test_a_selection_without_a_model_is_a_state_not_a_crash(measured: PerformanceModel) -> None:
    wrong = {"base": "nothing"}
    message, hidden, *_ = show_terms(wrong, None)
    assert hidden
    assert "no option is called" in text(message)
    others = shown(wrong)
    assert {value for part in ("filters", "pickers", "term") for value in others[part]} == {no_update}
    assert others["violations"] == []


def test_a_term_that_is_not_there_is_said_in_its_panel(measured: PerformanceModel) -> None:
    title, said, *_ = show_term({"term": "A*Z"}, None)
    assert title == "A × Z"
    assert "no option is called" in text(said)


def test_what_is_frozen_is_of_the_chosen_metric(measured: PerformanceModel) -> None:
    principal = Principal.operator()
    freeze_view(access=access_to(principal, "small"), view="influences", lens={"metric": "time"})
    with pytest.raises(NotFound, match="no model for metric memory"):
        freeze_view(access=access_to(principal, "small"), view="influences", lens={"metric": "memory"})


def test_the_pickers_write_every_level_as_a_change_of_the_lens(measured: PerformanceModel) -> None:
    name, levels, compared, _, chosen = shown({"base": "A"})["pickers"]
    assert (name, compared) == ("A on", "nothing")
    assert '{\\"base\\": \\"A*B\\"}' in text(levels)
    assert '{\\"base\\": \\"default\\"}' in text(levels)
    again = shown({"base": "A", "term": "B"}, chosen={"base": "A", "compared": ""})
    assert set(again["pickers"]) == {no_update}
    assert chosen == {"base": "A", "compared": ""}


def test_the_slider_stands_where_the_address_says(measured: PerformanceModel) -> None:
    _, slider, last, position = shown({"threshold": "0.02"})["filters"]
    assert isinstance(slider, dict)
    assert slider["choices"][position] == 0.02
    assert last == len(slider["choices"]) - 1


def test_regions_are_listed_by_time_or_by_what_options_change(measured: PerformanceModel) -> None:
    _, _, sentence, _, _, count, finding, _, figure, _, rows, listed = show_regions(
        access_to(acting(), "small"), Lens.read({}), None
    )
    assert "Options change the time of 1 of 1 measured region of Small" in text(sentence)
    assert "1 of 1 region" in text(count)
    assert "rest takes" in text(finding)
    assert figure.data[0].customdata[-1] == "pkg.hot"
    assert "/app/s/small/regions/pkg.hot" in text(rows)
    assert "pkg.hot" in text(listed)
    changed = show_regions(access_to(acting(), "small"), Lens.read({"kind": "options"}), None)
    assert list(changed[8].data[0].customdata) == ["pkg.hot"]


def test_a_region_shows_its_model_its_subspaces_and_why_there_is_no_source(
    measured: PerformanceModel,
) -> None:
    text_of_page = text(regions.layout(access_to(acting(), "small"), "pkg.hot", Lens()))
    assert "region-subspaces" in text_of_page
    parts = show_region(
        access_to(acting(), "small"), Lens.read({"base": "A*B", "term": "A"}), "light", "pkg.hot"
    )
    said = text(list(parts))
    assert "hot takes 40" in said
    assert "No source in these data" in said
    assert "4 subspaces, from 0 ms to 40" in said
    # Without partitions the model has no value of a subspace.
    assert "each run as a dot, the median of its configurations as a stroke" in said
    assert "A on and B on" in said or "B on and A on" in said
    assert len(said) < 2 * FIGURE_BYTES


def test_a_region_that_is_not_in_the_selection_is_a_state(measured: PerformanceModel) -> None:
    message, hidden, *_ = show_region(
        access_to(acting(), "small"), Lens.read({"revision": "9.9"}), None, "pkg.hot"
    )
    assert hidden
    assert "revision 9.9" in text(message)


def test_intervals_are_spoken_of_only_where_there_are_any(measured: PerformanceModel) -> None:
    assert "with 95 % intervals" in text(show_terms({}, None))
    Run.objects.filter(repetition__gt=0).delete()
    PerformanceModel.objects.update(data_version=1)
    for parts in (
        show_terms({}, None),
        show_terms({"compared": "all"}, None),
        show_term({}, None),
        show_regions(access_to(acting(), "small"), Lens.read({"kind": "options"}), None),
        show_region(access_to(acting(), "small"), Lens.read({}), None, "pkg.hot"),
    ):
        said = text(parts)
        assert "with 95 % intervals" not in said
        assert "without repetitions there are no intervals" in said


def test_a_model_whose_metric_was_set_anew_is_not_told_as_it_was_kept(
    measured: PerformanceModel, operator: Principal
) -> None:
    def told() -> tuple[str, bool]:
        model = influences_of(system=access_to(operator, "small").system, selection=Selection()).model
        return model.unit, model.lower_is_better

    assert told() == ("s", True)
    # As `set_metric` moves what refers to a metric that no clock measured.
    metric = Metric.objects.create(quantity="work", unit="KiB", clock=Metric.Clock.NONE, better="higher")
    old = measured.region_metric
    PerformanceModel.objects.filter(pk=measured.pk).update(region_metric=metric)
    Measurement.objects.filter(metric=old).update(metric=metric)
    RegionMeasurement.objects.filter(metric=old).update(metric=metric)
    assert told() == ("KiB", False)
