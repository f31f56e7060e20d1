"""The page What-if: options by hand, violations at the field, the prediction, better configurations, all in the address."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from plotly.io.json import to_json_plotly

from dashboard.access import NotFound, Principal, Refused, access_to, acting, current_principal
from dashboard.figures.numbers import plural
from dashboard.models import Measurement, PerformanceModel, Run, System
from dashboard.pages.lens import Lens
from dashboard.pages.what_if.page import layout, show_best, show_front, show_models, show_what_if
from dashboard.pages.what_if.parts import levels
from dashboard.selectors.model_rows import OptionLevels, Selection
from dashboard.selectors.what_if import what_if
from dashboard.services.reports.views import freeze_view
from tests.dashboard.pages.test_pages import text
from tests.people import Person

NAMES = ("message", "hidden", "sentence", "subtitle", "mending", "levels", "prediction", "better")


@pytest.fixture(autouse=True)
def acting_vera(vera: Person) -> Iterator[Principal]:
    """The request of a viewer."""
    token = current_principal.set(vera.principal)
    yield vera.principal
    current_principal.reset(token)


def shown(**lens: str) -> dict[str, Any]:
    """What the page shows for an address, by name; the figure's parts come behind."""
    values = show_what_if(access_to(acting(), "small"), Lens.read(lens), "light")
    return {**dict(zip(NAMES, values, strict=False)), "steps": values[len(NAMES) :]}


def test_without_a_model_the_page_says_how_one_comes(system: System) -> None:
    said = text(layout(access_to(acting(), "small"), "", Lens()))
    assert "No influence model yet" in said


def test_strangers_get_no_page(measured: PerformanceModel, charlie: Person) -> None:
    token = current_principal.set(charlie.principal)
    with pytest.raises(NotFound):
        layout(access_to(acting(), "small"), "", Lens())
    current_principal.reset(token)


def test_a_configuration_of_the_address_is_predicted_beside_its_measured_value(
    measured: PerformanceModel,
) -> None:
    got = shown(compared="A*B")
    assert "Small takes 80.3" in text(got["sentence"])
    assert "80.0 ms measured" in text(got["sentence"])
    facts = text(got["prediction"])
    assert "95 % interval" in facts
    assert "80.0 ms, without profiler" in facts
    assert re.search(r"\+\d+\.\d ± \d+\.\d", facts[facts.index("Against default") :])
    assert "A with B makes 30.0 ms of it" in text(got["steps"][0])
    assert {"configurations", "connectors"} <= {trace.name for trace in got["steps"][2].data}


def test_beside_a_value_measured_end_to_end_the_page_says_what_the_interval_is_of(
    measured: PerformanceModel,
) -> None:
    said = "its value may lie outside of the interval"
    assert said in text(shown(compared="A*B")["prediction"])
    Run.objects.filter(kind=Run.Kind.PLAIN).delete()
    System.objects.update(data_version=99)
    PerformanceModel.objects.update(data_version=99)
    assert said not in text(shown(compared="A*B")["prediction"])


def test_the_base_itself_has_no_steps(measured: PerformanceModel) -> None:
    finding, axes, figure, table = shown()["steps"]
    assert finding == "Nothing differs from default"
    assert "Set an option to another level" in axes
    assert (len(figure.data), table) == (0, None)


def test_what_was_not_measured_says_so(measured: PerformanceModel) -> None:
    Run.objects.filter(kind=Run.Kind.PLAIN).delete()
    assert "not measured" in text(shown(compared="A*B")["prediction"])


def test_each_level_is_a_link_to_the_configuration_with_it(measured: PerformanceModel) -> None:
    said = text(shown(compared="A")["levels"])
    for key in ("default", "A", "A*B"):
        assert f'{{\\"compared\\": \\"{key}\\"}}' in said
    assert '{\\"fixed\\": \\"A\\"}' in said


def test_a_violation_stands_at_its_fields_and_nothing_is_predicted(
    measured: PerformanceModel, modelled: System
) -> None:
    got = shown(compared="A*B")
    assert text(got["levels"]).count("Violates: A and B exclude each other") == 2
    assert "Small is not valid with" in text(got["sentence"])
    assert "this configuration is not valid" in text(got["prediction"])
    assert "with A at off" in text(got["mending"])
    assert "take the nearest valid one" in got["steps"][1]
    assert not got["steps"][2].data
    assert got["steps"][3] is None
    assert "Gains are told from a valid configuration" in text(got["better"])
    assert "lens" not in text(got["better"])
    assert "Violates" not in text(shown(compared="A")["levels"])


def test_single_changes_that_gain_are_buttons_with_what_they_add(measured: PerformanceModel) -> None:
    said = text(shown(compared="A*B")["better"])
    assert said.index("A [on → off]") < said.index("B [on → off]")
    assert "The best of 2 changes of one option." in said
    assert "None of 2 changes of one option is predicted to be better." in text(shown()["better"])


def test_the_best_and_the_worst_keep_what_is_kept(measured: PerformanceModel) -> None:
    said = text(show_best(access_to(acting(), "small"), Lens.read({"compared": "A*B"})))
    assert "Best: default" in said
    assert "Best measured" not in said
    assert "Worst: all options changed" in said
    assert "4 measured configurations the recommended one was 0.0 % worse than the best" in said
    kept = text(show_best(access_to(acting(), "small"), Lens.read({"compared": "A*B", "fixed": "A,odd"})))
    assert "Best: A on" in kept
    # What is known of choices is of those without kept options.
    assert "Kept: A. How good a choice with kept options is was not checked." in kept
    assert "A [on → off]" not in text(shown(compared="A*B", fixed="A")["better"])


def test_the_best_of_those_measured_stands_beside_another_one_that_is_predicted_best(
    measured: PerformanceModel,
) -> None:
    Measurement.objects.filter(run__configuration__assignments={"B": "on"}).update(value=0.035)
    said = text(show_best(access_to(acting(), "small"), Lens()))
    assert said.index("Best: default") < said.index("Best measured: B on") < said.index("Worst")
    assert "35.0 ms measured" in said
    kept = text(show_best(access_to(acting(), "small"), Lens.read({"compared": "A", "fixed": "A"})))
    assert "Best measured" not in kept


def test_where_no_feature_model_is_known_the_best_one_may_be_refused(measured: PerformanceModel) -> None:
    """Only what was measured is known to run."""
    doubt = "No feature model is known"
    assert doubt not in text(show_best(access_to(acting(), "small"), Lens()))
    Run.objects.filter(kind=Run.Kind.PLAIN).delete()
    System.objects.update(data_version=98)
    PerformanceModel.objects.update(data_version=98)
    assert doubt in text(show_best(access_to(acting(), "small"), Lens()))


def test_an_address_that_names_no_option_becomes_a_state(measured: PerformanceModel) -> None:
    got = shown(compared="C")
    assert got["hidden"]
    assert "The data do not hold this selection" in text(got["message"])
    assert "no option is called 'C'" in text(
        show_best(access_to(acting(), "small"), Lens.read({"compared": "C"}))
    )


def test_the_page_asks_the_database_a_constant_number_of_questions(
    measured: PerformanceModel, django_assert_max_num_queries: Any
) -> None:
    shown(compared="A")
    with django_assert_max_num_queries(24):
        shown(compared="A*B")


def test_menus_stand_where_models_differ_in_something(
    measured: PerformanceModel, request: pytest.FixtureRequest
) -> None:
    access = access_to(acting(), "small")
    assert show_models(access, Lens()) == []
    request.getfixturevalue("remembered")
    said = text(show_models(access, Lens.read({"metric": "time"})))
    assert "Choose: metric, now time" in said


def test_two_metrics_stand_against_each_other_where_both_are_modelled(
    measured: PerformanceModel, request: pytest.FixtureRequest
) -> None:
    access = access_to(acting(), "small")
    assert show_front(access, Lens()) is None
    request.getfixturevalue("remembered")
    said = text(show_front(access, Lens.read({"metric": "time"})))
    assert said.index('"default"') < said.index('"A on"')
    assert "time and memory: no other valid configuration" in said
    assert "B on" not in said


def test_a_configuration_that_is_not_valid_is_not_frozen(
    measured: PerformanceModel, modelled: System, operator: Principal
) -> None:
    access = access_to(operator, "small")
    with pytest.raises(Refused, match="not valid: take the nearest valid one"):
        freeze_view(access=access, view="what-if", lens={"compared": "A*B"})
    kept = freeze_view(access=access, view="what-if", lens={"compared": "A"}).sections[0].what_if
    assert kept is not None
    assert len(kept.layers) == len(kept.options)


def written(words: str) -> str:
    """Words as they stand in what is sent."""
    return str(to_json_plotly(words))[1:-1]


def test_many_options_that_no_term_names_are_sent_only_when_asked_for(measured: PerformanceModel) -> None:
    """A press of a level sent a megabyte for 990 options."""
    told = what_if(access=access_to(acting(), "small"), selection=Selection())
    more = [OptionLevels(f"O{at}", ("off", "on"), "", regions=0, varied=True) for at in range(990)]
    many = replace(told, found=replace(told.found, options=(*told.found.options, *more)))
    folded, few = to_json_plotly(levels(many, Lens())), to_json_plotly(levels(told, Lens()))
    assert written(f"show {plural(990, 'option')} that no term of the model names") in folded
    assert "O989: on" not in folded
    assert len(folded) < len(few) + 1000
    opened = to_json_plotly(levels(many, Lens(settings={"unnamed": "all"})))
    assert '"unnamed\\": null' in opened
    assert "O989: on" in opened


def test_an_option_that_a_term_names_is_not_folded_away(measured: PerformanceModel) -> None:
    """One that changes no region beyond noise may have a term all the same: "no term names it" was untrue then."""
    told = what_if(access=access_to(acting(), "small"), selection=Selection())
    assert {one.name for one in told.found.options if one.named} == {"A", "B"}
    quiet = tuple(replace(one, regions=0) for one in told.found.options)
    assert "no term of the model names" not in to_json_plotly(
        levels(replace(told, found=replace(told.found, options=quiet)), Lens())
    )


def test_of_many_options_those_that_were_set_stay_in_sight(measured: PerformanceModel) -> None:
    told = what_if(access=access_to(acting(), "small"), selection=Selection(compared="A"))
    assert told.found.target is not None
    more = [OptionLevels(f"O{at}", ("off", "on"), "", regions=0, varied=True) for at in range(100)]
    now = replace(told.found.target, differences=(*told.found.target.differences, ("O7", "on")))
    many = replace(told, found=replace(told.found, options=(*told.found.options, *more), target=now))
    folded = to_json_plotly(levels(many, Lens()))
    assert "O7: off" in folded
    assert written(f"show {plural(99, 'option')}") in folded
    # Kept ones, too.
    kept = to_json_plotly(levels(many, Lens(settings={"fixed": "O8"})))
    assert written(f"show {plural(98, 'option')}") in kept
