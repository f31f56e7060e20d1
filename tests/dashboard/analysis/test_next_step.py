"""What comes after an analysis: measuring exactly what was traced, then the model."""

import json
from typing import Any

import plotly.utils
import pytest
from pytest_django import DjangoAssertNumQueries

from dashboard.access import Principal, access_to, acting
from dashboard.models import (
    Batch,
    Configuration,
    Job,
    PerformanceModel,
    Region,
    RegionPartition,
    Revision,
    Run,
    System,
)
from dashboard.pages.lens import Lens
from dashboard.pages.measure import page as measure_page
from dashboard.pages.whitebox import next as analysis_next
from dashboard.pages.whitebox import page as analysis_page
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.whitebox.analyses import is_modelled, newest_analysis
from dashboard.services.measuring import start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from tests.dashboard.whitebox.stored import MAIN, change_stored, stored_analysis


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def model_made_later(measured: PerformanceModel) -> None:
    """What was measured came in after the analysis, and its model has partitions."""
    later = Batch.objects.create(
        system=measured.system, format="measure", digest="later", state=Batch.State.VISIBLE
    )
    Run.objects.update(batch=later)
    PerformanceModel.objects.update(kind=PerformanceModel.Kind.PARTITIONED, batch=later)
    for region in Region.objects.all():
        RegionPartition.objects.create(model=measured, region=region, formulas=["!A", "A"])


def test_once_it_was_measured_the_next_step_is_the_model(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    stored_analysis(measured.system)
    assert analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[2] is None
    PerformanceModel.objects.update(kind=PerformanceModel.Kind.PARTITIONED)
    # That model has the partitions of whatever analysis there was before.
    assert analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[2] is None
    model_made_later(measured)
    assert '"/app/s/small/influences?revision=1.0"' in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[2]
    )


def test_an_analysis_that_went_on_after_it_was_measured_is_to_be_measured_again(
    measured: PerformanceModel, acting_alice: Principal
) -> None:
    """Its model has the partitions of what was traced by then."""
    analysis = stored_analysis(measured.system)
    model_made_later(measured)
    both = Configuration.objects.get(assignments={"A": "on", "B": "on"})
    Run.objects.filter(configuration=both).delete()

    def modelled() -> bool:
        return is_modelled(system=measured.system, revision="1.0")

    assert modelled()
    *ended, failed = analysis.result.runs
    runs = (*ended, failed.model_copy(update={"status": "ok"}))
    change_stored(analysis, runs=runs)
    assert not modelled()
    # A plain run alone is in no composed model; one that failed will not do better.
    place = Run.objects.values("batch_id", "revision_id", "workload_id", "environment_id")[0]
    plain = Run.objects.create(**place, configuration=both, repetition=1, kind=Run.Kind.PLAIN)
    assert not modelled()
    Run.objects.filter(pk=plain.pk).update(status=Run.Status.TIMEOUT)
    assert modelled()
    Run.objects.filter(pk=plain.pk).update(status=Run.Status.OK, kind=Run.Kind.PROFILED)
    assert modelled()


def test_whether_it_was_measured_takes_as_many_queries_for_many_models(
    measured: PerformanceModel, acting_operator: Principal, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    newest_analysis(stored_analysis(measured.system).system)
    for number in range(3):
        batch = Batch.objects.create(
            system=measured.system, format="measure", digest=f"{number}", state=Batch.State.VISIBLE
        )
        measured.pk = None
        measured.batch, measured.kind = batch, PerformanceModel.Kind.PARTITIONED
        measured.save()
        with django_assert_num_queries(3):
            is_modelled(system=measured.system, revision="1.0")


def ended(fast: str, status: str = "ok") -> dict[str, Any]:
    """A traced run of Tiny."""
    levels = {"mode": "good", "fast": fast}
    return {"levels": levels, "status": status, "message": "", "place": "", "seconds": 0.1}


def analyzed(slug: str, revision: str, *runs: dict[str, Any]) -> None:
    """An analysis of Tiny at one of its revisions."""
    stored_analysis(
        System.objects.get(slug=slug),
        revision,
        "small",
        runs=list(runs),
        options=["mode", "fast"],
        partitions={MAIN: [["!fast", "fast"]]},
        sites=[],
        arguments=[],
    )


@pytest.mark.django_db(transaction=True)
def test_exactly_what_was_traced_is_measured_at_one_press(
    tiny: str, sent: list[int], acting_operator: Principal
) -> None:
    revision = revisions_of(tiny, acting_operator)[0]
    analyzed(tiny, revision, ended("off"), ended("on"), ended("on", "failed"))
    assert "Those that the analysis traced" in text(
        measure_page.layout(access_to(acting_operator, tiny), "", Lens())
    )
    strip = text(analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2])
    assert "Measure these 2 configurations" in strip
    assert "2 configurations × 1 revision × 5 repetitions = 10 runs" in strip
    told, wake = analysis_next.measure(access_to(acting(), tiny), lens=Lens())
    assert told is None
    assert isinstance(wake, str)
    job = Job.objects.get(kind="measure")
    assert job.parameters["planned"] == [{}, {"fast": "on"}]
    assert job.parameters["revision_ids"] == [Revision.objects.get(name=revision).pk]
    strip = text(analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2])
    assert "a measurement is under way" in strip
    assert f"/app/s/tiny/measure?job={job.pk}" in strip
    assert "Measure these" not in strip
    # That of another revision has no say in it.
    job.parameters["revision_ids"] = [0]
    job.save()
    assert "Measure these 2 configurations" in text(
        analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2]
    )


@pytest.mark.django_db(transaction=True)
def test_where_a_model_is_there_already_nobody_is_told_to_measure_before_they_see_what_options_cost(
    tiny: str, acting_operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = revisions_of(tiny, acting_operator)[0]
    analyzed(tiny, revision, ended("on"))
    monkeypatch.setattr(analysis_next, "resolve_model", lambda *_: None)
    strip = text(analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2])
    assert "see what the options cost, by what was measured before; or measure" in strip
    assert "Open the influences" in strip
    assert "Measure these 1 configuration" in strip


@pytest.mark.django_db(transaction=True)
def test_random_configurations_are_measured_besides_at_another_press(
    tiny: str, sent: list[int], acting_operator: Principal
) -> None:
    revision = revisions_of(tiny, acting_operator)[0]
    analyzed(tiny, revision, ended("on"))
    analysis_next.measure_more(access_to(acting(), tiny), lens=Lens())
    job = Job.objects.get(kind="measure")
    assert job.parameters["planned"][0] == {"fast": "on"}
    # All that are valid.
    assert len(job.parameters["planned"]) == 5


@pytest.mark.django_db(transaction=True)
def test_nothing_is_measured_while_more_is_being_traced(tiny: str, acting_operator: Principal) -> None:
    revision = revisions_of(tiny, acting_operator)[0]
    analyzed(tiny, revision, ended("on"))
    system = System.objects.get(slug=tiny)
    job = Job.objects.create(
        kind="analyze", title="Analyze Tiny", system=system, parameters={"revision": revision}
    )
    assert analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2] is None
    Job.objects.filter(pk=job.pk).update(state=Job.State.PAUSED)
    assert "Measure these 1 configuration" in text(
        analysis_page.show(access_to(acting(), tiny), Lens.read({}), None)[2]
    )


@pytest.mark.django_db(transaction=True)
def test_an_older_analysis_may_be_chosen_and_its_own_configurations_are_measured(
    tiny: str, sent: list[int], acting_operator: Principal
) -> None:
    (newer,) = revisions_of(tiny, acting_operator)
    Revision.objects.create(system=System.objects.get(slug=tiny), name="older")
    analyzed(tiny, "older", ended("on"))
    analyzed(tiny, newer, ended("off"), ended("on"))
    shown = text(measure_page.layout(access_to(acting_operator, tiny), "", Lens()))
    choices = [{"value": name, "label": name} for name in (newer, "older")]
    assert f'"data": {json.dumps(choices)}, ' in shown
    wanted = MeasuringRequest(configurations=("analysis=older",))
    start_measuring(access=access_to(acting_operator, tiny), request=wanted)
    assert Job.objects.get(kind="measure").parameters["planned"] == [{"fast": "on"}]
    with pytest.raises(RequestInvalid, match="revision oldest of Tiny was not analyzed yet"):
        start_measuring(
            access=access_to(acting_operator, tiny),
            request=wanted.model_copy(update={"configurations": ("analysis=oldest",)}),
        )


def revisions_of(slug: str, principal: Principal) -> tuple[str, ...]:
    """The revisions of a registered subject, oldest first."""
    subject = subject_of(access=access_to(principal, slug))
    assert subject is not None
    return subject.revisions
