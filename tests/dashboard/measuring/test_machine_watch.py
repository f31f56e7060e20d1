"""A noisy machine is noticed by reference runs, and its runs are marked."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, Measurement, Run
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, machine_watch, run_executor, start_measuring
from runner.reference import measuring_core, reference_seconds

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def _measure(slug: str, monkeypatch: pytest.MonkeyPatch, times: Iterator[float]) -> Batch:
    monkeypatch.setattr(machine_watch, "reference_seconds", lambda: next(times))
    request = MeasuringRequest(configurations=("default", "fast=on"), repetitions=1)
    job_id = start_measuring(access=access_to(Principal.operator(), slug), request=request)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Batch.objects.get(format="measure")


def test_runs_between_unequal_reference_runs_are_marked_and_stay_valid(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 % slower after than before."""
    batch = _measure(tiny, monkeypatch, iter([0.100, 0.120]))
    assert [taken for _, taken, _ in batch.manifest["reference_runs"]] == [0.100, 0.120]
    runs = list(batch.runs.all())
    assert {run.status for run in runs} == {Run.Status.OK}
    assert {run.message for run in runs} == {
        "noisy machine: a reference run took 20% longer than the fastest"
    }
    assert {run.invalid_reason for run in runs} == {""}


def test_runs_on_a_quiet_machine_carry_no_mark(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """1 % between the reference runs is no noise."""
    batch = _measure(tiny, monkeypatch, iter([0.100, 0.101]))
    assert {run.message for run in batch.runs.all()} == {""}


def test_long_jobs_make_reference_runs_in_between(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the stretch beside the slow one is marked."""
    monkeypatch.setattr(machine_watch, "EVERY_SECONDS", 0.0)
    batch = _measure(tiny, monkeypatch, iter([0.1, 0.1, 0.2]))
    plain = batch.runs.filter(kind=Run.Kind.PLAIN).order_by("started_at")
    assert [bool(run.message) for run in plain] == [False, True]


def test_a_clock_that_jumps_marks_the_run_and_moves_no_time(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour back in the middle of the second run: it says so, its times are as short as they were."""
    moved = iter([0.0, 0.0, 0.0, -3600.0])
    monkeypatch.setattr(run_executor, "clock_offset", lambda: next(moved))
    batch = _measure(tiny, monkeypatch, iter([0.1, 0.1]))
    runs = batch.runs.filter(kind=Run.Kind.PLAIN).order_by("pk")
    assert [run.message for run in runs] == ["", "the clock of the machine jumped by -3600 s during this run"]
    assert {run.status for run in runs} == {Run.Status.OK}
    values = Measurement.objects.filter(run__in=runs).values_list("value", flat=True)
    assert all(0 < value < 3 for value in values)


def test_runs_are_marked_between_reference_runs_whatever_the_clock_says(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each moment lies before the one before it."""
    monkeypatch.setattr(machine_watch, "EVERY_SECONDS", 0.0)
    days = iter(range(28, 0, -1))
    clock = SimpleNamespace(now=lambda: datetime(2020, 1, next(days), tzinfo=UTC))
    monkeypatch.setattr(machine_watch, "timezone", clock)
    batch = _measure(tiny, monkeypatch, iter([0.1, 0.1, 0.2]))
    plain = batch.runs.filter(kind=Run.Kind.PLAIN).order_by("pk")
    assert [bool(run.message) for run in plain] == [False, True]


def test_the_reference_run_takes_time_of_the_processor() -> None:
    """It is a real run, on the core that runs are pinned to."""
    assert 0.001 < reference_seconds() < 10
    core = measuring_core()
    assert core is None or core >= 0
