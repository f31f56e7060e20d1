"""Work: one counted run of each configuration and revision, an ordinary metric without noise."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import CountedRun, Job, Measurement, Point, RegionMeasurement, Run, Series, System
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.counts import counts_by_region, site_tables
from dashboard.selectors.histories.counted import measured_pair, moved_between
from dashboard.selectors.histories.history import get_history
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring, work
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import register_subject
from tests.dashboard.measuring.test_counts import PROGRAM
from tests.dashboard.measuring.tiny import TOML, write_subject

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]

COUNTING = {"workload": "small", "metric": "work"}


def measured(slug: str, **asked: object) -> Job:
    request = MeasuringRequest.model_validate({"profile": False, "repetitions": 1, **COUNTING, **asked})
    access = access_to(Principal.operator(), slug)
    job_id = start_measuring(access=access, request=request, look_again=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Job.objects.get(pk=job_id)


def values(slug: str) -> list[float]:
    own = Measurement.objects.filter(run__batch__system__slug=slug, metric__quantity="work")
    return list(own.order_by("pk").values_list("value", flat=True))


@pytest.fixture
def looping(machine: Path, sent: list[int], tmp_path: Path, operator: Principal) -> str:
    """The slug of a subject that loops 10 times: a call, ten turns and ten branches are counted."""
    folder = write_subject(tmp_path / "tiny", toml=TOML)
    (folder / "program" / "tiny.py").write_text(PROGRAM, encoding="utf-8")
    return register_subject(principal=operator, folder=folder)


def test_measuring_work_makes_one_run_of_each_that_counts_and_times_none(
    looping: str, tmp_path: Path
) -> None:
    """A second revision that loops the same has the same work, a third one that does more a change, with one run each."""
    program = tmp_path / "tiny" / "program" / "tiny.py"
    job = measured(looping, repetitions=5, configurations=("default", "fast=on"))
    assert job.title.startswith("Count Tiny: 2 configurations × 1 revision × 1 repetition")
    assert values(looping) == [21.0, 11.0] or values(looping) == [11.0, 21.0]
    assert set(Measurement.objects.values_list("metric__clock", flat=True)) == {"count"}
    for text in (PROGRAM + "\nunused = 1\n", PROGRAM.replace("range(size)", "range(2 * size)")):
        program.write_text(text, encoding="utf-8")
        register_subject(principal=Principal.operator(), folder=tmp_path / "tiny")
        measured(looping)
    series = Series.objects.get(metric__quantity="work")
    assert list(Point.objects.filter(series=series).order_by("pk").values_list("median", "n", "spread")) == [
        (21.0, 1, None),
        (21.0, 1, None),
        (41.0, 1, None),
    ]
    (change,) = get_history(system=System.objects.get(slug=looping), series_id=series.pk).changes
    assert (change.is_exact, change.size, change.certainty) == (True, 20.0, 1.0)
    assert Run.objects.count() == CountedRun.objects.count() == 4


def test_a_count_beside_timed_runs_is_a_measurement_of_the_first_of_them(looping: str) -> None:
    measured(looping, metric="time", counts=True, repetitions=2)
    assert Run.objects.count() == 2
    assert values(looping) == [21.0]
    first = Run.objects.get(repetition=1)
    quantities = {one.metric.quantity for one in first.measurements.select_related("metric")}
    assert quantities == {"time", "work"}


def test_what_fails_when_only_counted_is_a_failed_run(looping: str) -> None:
    job = measured(looping, configurations=("mode=broken",))
    assert job.result["runs"] == {"ok": 0, "failed": 1, "timeout": 0, "killed": 0}
    assert values(looping) == []


def test_weights_are_learned_once_and_all_work_is_weighed_by_them(
    looping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values that were stored with weights of 1 move as soon as profiles tell better ones; later profiles move nothing."""
    measured(looping)
    assert values(looping) == [21.0]
    learned = {"tiny:doubled": 0.5}
    monkeypatch.setattr(work, "learned_weights", lambda samples, counts: learned if samples else {})
    measured(looping, metric="time", counts=True)
    assert count_weights(System.objects.get(slug=looping)) == {}
    measured(looping, metric="time", counts=True, profile=True)
    assert count_weights(System.objects.get(slug=looping)) == learned
    assert values(looping) == [10.5, 10.5, 10.5]
    monkeypatch.setattr(work, "learned_weights", lambda samples, counts: {"tiny:doubled": 3.0})
    measured(looping, metric="time", counts=True, profile=True)
    assert values(looping) == [10.5] * 4
    assert RegionMeasurement.objects.exists()


def test_counts_by_region_sum_all_places_of_a_region(looping: str) -> None:
    measured(looping)
    run = CountedRun.objects.get()
    assert counts_by_region(run, site_tables([run.batch_id])) == {"tiny:doubled": 21}


def test_a_metric_that_the_subject_does_not_have_is_refused(looping: str) -> None:
    for asked in ({"metric": "instructions"}, {"aa": True, "repetitions": 3}):
        with pytest.raises(RequestInvalid):
            measured(looping, **asked)


def test_a_change_of_work_names_the_functions_whose_counts_moved(looping: str, tmp_path: Path) -> None:
    """Their signed differences sum to the change; a revision that only holds the code of a counted one is found."""
    program = tmp_path / "tiny" / "program" / "tiny.py"
    measured(looping)
    program.write_text(
        PROGRAM.replace("if number % 4:", "if odd(number):")
        + "\n\ndef odd(number):\n    return number % 4\n",
        encoding="utf-8",
    )
    register_subject(principal=Principal.operator(), folder=tmp_path / "tiny")
    measured(looping)
    system, series = System.objects.get(slug=looping), Series.objects.get(metric__quantity="work")
    history = get_history(system=system, series_id=series.pk)
    (change,) = history.changes
    pair = measured_pair(history, change)
    assert moved_between(system, history.series, [pair]) == {pair: (("tiny:odd", 10.0),)}
    assert change.size == 10.0
    assert moved_between(system, history.series, [(pair[0], "never")]) == {}
