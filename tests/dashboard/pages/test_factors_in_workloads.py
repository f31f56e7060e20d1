"""A configuration in each workload on What-if, and what became of one thing in each workload on Histories."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import plotly.utils
import pytest

from dashboard.access import Principal, access_to, acting
from dashboard.models import Series, System
from dashboard.pages.histories.workloads import show_workloads as show_histories
from dashboard.pages.lens import Lens
from dashboard.pages.options.history import show_history
from dashboard.pages.what_if.page import show_workloads
from dashboard.selectors.histories.compared import histories_over_workloads, term_histories
from dashboard.selectors.histories.series import list_series
from dashboard.selectors.performance_models import model_choices
from dashboard.services.performance_models.learned import learn

pytestmark = pytest.mark.django_db

LEVELS = {"small": 0.01, "large": 3.0, "huge": 900.0}
RELEASES = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5")


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def rows() -> str:
    """`fast` costs half as much again in the small workload and saves half in the others; from 1.3 on the huge one takes twice as long."""
    lines = ["fast;check;quiet;workload;revision;time"]
    for at, (release, (name, level)) in enumerate(product(RELEASES, LEVELS.items())):
        for place, chosen in enumerate(product((0, 1), repeat=3)):
            # One configuration was not measured.
            if chosen == (1, 1, 1):
                continue
            factor = (1.5 if name == "small" else 0.5) ** chosen[0] * 1.1 ** chosen[1]
            factor *= 2 if name == "huge" and release >= "1.3" else 1
            noise = 1 + 0.002 * ((place * 7 + at * 5 + at * place) % 5 - 2)
            lines.append(";".join(map(str, [*chosen, name, release, f"{level * factor * noise:.9f}"])))
    return "\n".join(lines) + "\n"


@pytest.fixture
def studied(study: Callable[..., Principal]) -> System:
    """A study of three workloads and six releases, in the request of who imported it."""
    learn(access=access_to(study(rows(), metric="time"), "study"))
    return System.objects.get()


def told(**lens: str) -> str:
    return text(show_workloads(access_to(acting(), "study"), Lens.read(lens)))


def test_a_measured_configuration_is_told_as_measured_in_each_workload(studied: System) -> None:
    said = told(compared="fast")
    assert "Measured against default, slower in 1 and faster in 2 of 3 workloads" in said
    assert said.count('"measured"') == 3
    assert "+50 %" in said
    # `fast` is best in two of three, and by more than it loses in the third.
    assert "Best over all workloads, of 7 measured configurations" in said
    assert "in small" in said


def test_one_that_was_not_measured_is_predicted_with_intervals(studied: System) -> None:
    said = told(compared="fast*check*quiet")
    assert "Against default, slower in 1 and faster in 2 of 3 workloads" in said
    assert '"measured"' not in said
    assert "% to +" in said


def test_the_base_itself_shows_only_what_is_best(studied: System) -> None:
    said = told()
    assert "Set an option to see what it makes in each of 3 workloads" in said
    assert "against default" not in said


def test_options_that_are_kept_stay_where_the_best_is_looked_for(studied: System) -> None:
    said = told(fixed="fast")
    assert "of 4 measured configurations" in said
    assert "fast on" not in said


def test_with_one_workload_there_is_no_such_card(studied: System) -> None:
    studied.workloads.exclude(name="small").delete()
    studied.data_version += 1
    studied.save()
    assert told() == "null"
    assert text(show_histories(access_to(acting(), "study"), Lens(), None)) == "null"


def test_histories_of_each_workload_stand_together_and_the_changed_one_first(
    studied: System, django_assert_max_num_queries: Any
) -> None:
    chosen = next(
        row for row in list_series(system=studied) if row.label == "default" and row.workload == "small"
    )
    found = histories_over_workloads(system=studied, series=chosen)
    assert next(one.series.workload for one in found) == "huge"
    assert {one.series.workload for one in found} == set(LEVELS)
    with django_assert_max_num_queries(30):
        said = text(
            show_histories(
                access_to(acting(), "study"), Lens.read({}).setting(series=str(chosen.series_id)), None
            )
        )
    assert "changed in 1 of 3 workloads, between 1.2 and 1.3" in said
    assert "/app/s/study/histories/" in said


def test_terms_are_told_of_one_workload_alone(studied: System) -> None:
    """Of several they stood under the name of the first."""
    for workload in LEVELS:
        found = term_histories(system=studied, metric="", workload=workload)
        assert {one.series.workload for one in found} == {workload}
    assert {one.series.kind for one in found} == {Series.SubjectKind.TERM}
    assert len({one.series.workload for one in term_histories(system=studied, metric="")}) == 1


def test_the_page_of_an_option_tells_the_history_of_the_workload_of_its_model(studied: System) -> None:
    access = access_to(acting(), "study")
    workload, _ = model_choices(system=studied, selection=Lens())["workload"]
    assert f"workload {workload}," in text(show_history(access, Lens(), "fast"))
    assert "workload large," in text(show_history(access, Lens.read({"workload": "large"}), "fast"))
