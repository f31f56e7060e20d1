"""The page of approaches and its figure."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.celery import app
from dashboard.figures.approaches import HEIGHT, cost_figure
from dashboard.figures.approaches_words import CONFIGURATIONS, TIME, cost_for, finding, notes
from dashboard.models import Configuration, Job, Measurement, Metric, Run, System, Workload
from dashboard.pages.approaches import form as approaches_form
from dashboard.pages.approaches import ids as own
from dashboard.pages.approaches import page as approaches
from dashboard.pages.lens import Lens
from dashboard.selectors.evaluation_rows import EvaluationView
from dashboard.selectors.evaluations import chosen_evaluation
from dashboard.selectors.measured_systems import evaluation_contexts, find_context
from studies.evaluation.approach_jobs import evaluate
from tests.dashboard.approaches.test_evaluating import QUICK
from tests.people import Person


@pytest.fixture
def view(wide: System, operator: Principal) -> EvaluationView:
    """A stored evaluation."""
    evaluate(access_to(operator, "small"), QUICK)
    found = chosen_evaluation(access_to(operator, "small").system, "")
    assert found is not None
    return found


@pytest.fixture
def _asked_by_bob(bob: Person) -> Any:
    token = current_principal.set(bob.principal)
    yield
    current_principal.reset(token)


def test_points_stand_at_cost_and_median_error_with_bars_over_the_seeds(view: EvaluationView) -> None:
    figure = cost_figure(view, cost_for(view, TIME))
    (points,) = [trace for trace in figure.data if trace.name == "interpretable"]
    rows = view.evaluation.rows
    assert list(points.x) == pytest.approx([(row.seconds_once or 0) / 60 for row in rows])
    assert list(points.y) == [max(row.error or 0, 0.01) for row in rows]
    assert [y + up for y, up in zip(points.y, points.error_y.array, strict=True)] == pytest.approx(
        [max(*row.errors, 0.01) for row in rows]
    )
    assert {points.marker.symbol} == {"diamond"}
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.xaxis.title.text == "minutes of measuring each configuration once (log)"
    assert figure.layout.yaxis.title.text == "mean absolute error, % (log)"


def test_the_front_only_goes_down(view: EvaluationView) -> None:
    (front,) = [
        trace for trace in cost_figure(view, cost_for(view, CONFIGURATIONS)).data if trace.name == "front"
    ]
    assert list(front.y) == sorted(front.y, reverse=True)
    assert list(front.x) == sorted(front.x)


def test_labels_stand_within_the_axes(view: EvaluationView) -> None:
    figure = cost_figure(view, cost_for(view, TIME), scheme="dark")
    low, high = figure.layout.xaxis.range
    assert figure.layout.annotations
    assert all(low <= label.x <= high for label in figure.layout.annotations)
    assert all(math.isfinite(label.yshift) for label in figure.layout.annotations)


def test_one_cost_alone_still_has_a_number_on_its_axis(view: EvaluationView) -> None:
    alone = replace(view, evaluation=replace(view.evaluation, rows=view.evaluation.rows[:1]))
    axis = cost_figure(alone, cost_for(view, TIME)).layout.xaxis
    assert any(axis.range[0] <= math.log10(tick) <= axis.range[1] for tick in axis.tickvals)


def test_the_sentence_names_the_approach_that_errs_least(view: EvaluationView) -> None:
    best = min((row for row in view.evaluation.rows), key=lambda row: row.error or 0)
    assert (
        finding(view).lower().startswith(f"{best.learner_title} on {best.sampling_title} errs least".lower())
    )
    assert notes(view) == []


@pytest.mark.parametrize("seen", [False, True])
def test_the_sentence_names_no_approach_twice(view: EvaluationView, *, seen: bool) -> None:
    """The best one that people can read is at the same time the best that tells where in the code."""
    best, second, *_ = sorted(view.evaluation.rows, key=lambda row: row.error or 0)
    rows = (
        replace(best, interpretable=False, local=False),
        replace(second, interpretable=True, local=True, seen=seen),
    )
    said = finding(replace(view, evaluation=replace(view.evaluation, rows=rows))).lower()
    # Its error stands once.
    assert said.count("%") == len(rows)
    assert "it also tells where in the code" in said
    assert ("saw the configurations it is tested on" in said) is seen


def test_without_times_the_cost_is_the_number_of_configurations(wide: System, operator: Principal) -> None:
    memory = Metric.objects.create(quantity="memory", unit="MB", clock=Metric.Clock.NONE)
    Measurement.objects.all().update(metric=memory)
    evaluate(access_to(operator, "small"), QUICK)
    view = chosen_evaluation(access_to(operator, "small").system, "")
    assert view is not None
    assert cost_for(view, TIME).key == CONFIGURATIONS
    assert len(cost_figure(view, cost_for(view, None)).data) == 2


@pytest.mark.usefixtures("_asked_by_bob")
def test_the_page_shows_what_is_stored_and_what_can_be_started(view: EvaluationView) -> None:
    shown = str(approaches.layout(access_to(acting(), "small"), "", Lens()))
    assert "time:wall at 1.0, regular, test machine: 64 configurations" in shown
    sentence, subtitle, *_ = approaches.show(access_to(acting(), "small"), Lens(), "light", None)
    assert "errs least" in str(sentence)
    assert str(subtitle) == "1.0, regular: wall time, test machine; 64 of 64 configurations measured"


@pytest.mark.usefixtures("_asked_by_bob")
def test_without_an_evaluation_the_page_says_how_one_comes_to_be(wide: System) -> None:
    assert "manage.py approaches small" in str(approaches.layout(access_to(acting(), "small"), "", Lens()))
    assert (
        approaches.show(access_to(acting(), "small"), Lens(), "light", None)[0]
        == "No approaches were evaluated yet"
    )


@pytest.mark.usefixtures("_asked_by_bob")
def test_without_measurements_nothing_can_be_started(system: System) -> None:
    shown = str(approaches.layout(access_to(acting(), "small"), "", Lens()))
    assert "No two configurations were measured end to end at one revision yet." in shown


@pytest.mark.usefixtures("_asked_by_bob")
def test_the_button_queues_a_job_and_the_page_follows_it(
    wide: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    told, _, error = approaches_form.start(
        access_to(acting(), "small"),
        place=_offered()[0]["value"],
        samplings=["plackett-burman", "distance"],
        sizes="20, 30",
        seeds=2,
    )
    assert "Sent to the worker" in str(told)
    assert error == ""
    job = Job.objects.get()
    assert job.parameters["settings"]["sizes"] == [20, 30]
    assert job.parameters["settings"]["samplings"] == ["plackett-burman", "distance"]
    cards, rests, _ = approaches.watch(access_to(acting(), "small"), None, None, "")
    assert "Evaluate approaches on Small 1.0" in str(cards)
    assert not rests


@pytest.mark.usefixtures("_asked_by_bob")
def test_sizes_that_are_no_numbers_are_told_at_the_field(wide: System) -> None:
    _, _, error = approaches_form.start(
        access_to(acting(), "small"), place=_offered()[0]["value"], samplings=[], sizes="20, many", seeds=2
    )
    assert error == "Give whole numbers separated by commas"
    assert not Job.objects.exists()


@pytest.mark.usefixtures("_asked_by_bob")
def test_each_workload_of_a_revision_is_a_place_of_its_own(
    wide: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    large = Workload.objects.create(system=wide, name="large")
    some = Configuration.objects.filter(identity__gte=f"{40:064d}")
    Run.objects.filter(configuration__in=some).update(workload=large)
    offered = _offered()
    assert len({one["value"] for one in offered}) == len(offered) == 2
    assert "time:wall at 1.0, large, test machine: 24 configurations" in offered[1]["label"]
    approaches_form.start(
        access_to(acting(), "small"),
        place=offered[1]["value"],
        samplings=["feature-wise"],
        sizes="20, 30",
        seeds=2,
    )
    ids = tuple(Job.objects.get().parameters["place"])
    assert find_context(access_to(acting(), "small").system, ids=ids).workload == "large"


def _offered() -> list[dict[str, str]]:
    panel = approaches_form.panel(evaluation_contexts(access_to(acting(), "small").system), "")
    choices: list[dict[str, str]] = panel[own.PLACE].data
    return choices


def test_labels_of_near_columns_do_not_touch(view: EvaluationView) -> None:
    """Two samples of nearly one cost, with nearly one error."""
    rows = [
        replace(row, seconds_once=60.0 + number, errors=(20.0 + number,))
        for number, row in enumerate(view.evaluation.rows)
    ]
    near = replace(view, evaluation=replace(view.evaluation, rows=tuple(rows)))
    labels = cost_figure(near, cost_for(near, TIME)).layout.annotations
    low, high = cost_figure(near, cost_for(near, TIME)).layout.yaxis.range
    heights = sorted((label.y - low) / (high - low) * (HEIGHT - 100) + label.yshift for label in labels)
    assert len(heights) > 1
    assert all(upper - lower > 15 for lower, upper in pairwise(heights))
