"""How fast the machine was is measured beside every run, kept with it, and said where it was disturbed."""

import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from django.db.models import Count

from dashboard.access import Principal, access_to
from dashboard.figures.machine_words import machine_text
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, JobLogLine, Measurement, Run
from dashboard.pages.measure import runs as runs_page
from dashboard.selectors.measuring.status import list_batches
from dashboard.selectors.runs import RunFilter, list_runs
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, machine_watch, run_executor, start_measuring
from dashboard.services.measuring.disturbed_runs import mark_disturbed
from runner import reference
from runner.executions import execute
from runner.reference import ReferenceFailed, reference_run, reference_time
from runner.results import ClockResult

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]


def _start(slug: str, repetitions: int) -> int:
    request = MeasuringRequest(
        configurations=("default", "fast=on"), repetitions=repetitions, workload="small", profile=False
    )
    return start_measuring(access=access_to(Principal.operator(), slug), request=request)


def _measure(slug: str, repetitions: int = 1) -> Batch:
    job_id = _start(slug, repetitions)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Batch.objects.get(format="measure")


def _fake(monkeypatch: pytest.MonkeyPatch, times: Iterator[float], wall: float = 1.0) -> None:
    """Reference runs take `times` of CPU time, and `wall` times that on the wall; each is too old for the next run."""

    def made(**_: object) -> ClockResult:
        taken = next(times)
        return ClockResult(wall_seconds=wall * taken, cpu_seconds=taken)

    monkeypatch.setattr(machine_watch, "reference_time", made)
    monkeypatch.setattr(machine_watch, "FRESH_SECONDS", -1.0)


def test_every_run_keeps_the_reference_runs_beside_it(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of its own: the one before it was made before it, the one after it after it."""
    _fake(monkeypatch, iter([0.100, 0.101, 0.102, 0.103]), wall=2.0)
    rows = (
        _measure(tiny)
        .runs.order_by("pk")
        .values_list(
            "reference_cpu_before", "reference_cpu_after", "reference_wall_before", "reference_wall_after"
        )
    )
    assert list(rows) == [(0.100, 0.101, 0.200, 0.202), (0.102, 0.103, 0.204, 0.206)]


def test_a_job_keeps_the_state_of_the_machine_at_its_begin_and_its_end(tiny: str) -> None:
    """And what runs were made in. The page says it at the batch, and at each of its runs."""
    access = access_to(Principal.operator(), tiny)
    _measure(tiny)
    (batch,) = list_batches(access=access)
    first, last = batch.machine
    assert last.core_seconds >= first.core_seconds
    assert f"{last.cores} core" in machine_text(batch.machine).replace("\N{NO-BREAK SPACE}", " ")
    rows, _ = list_runs(access=access, wanted=RunFilter())
    assert {row.machine for row in rows} == {batch.machine}
    shown: Any = runs_page._outcome_and_machine(rows[0])
    told = machine_text(batch.machine, sandbox=batch.sandbox)
    assert shown[1].children[1].children == told
    assert re.search(r"Runs were made (in a sandbox \(.*\), without network|without a sandbox: .*)\.$", told)


def test_runs_that_follow_each_other_share_the_reference_run_between_them(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(monkeypatch, iter([0.100, 0.101, 0.102]))
    monkeypatch.setattr(machine_watch, "FRESH_SECONDS", 60.0)
    rows = _measure(tiny).runs.order_by("pk").values_list("reference_cpu_before", "reference_cpu_after")
    assert list(rows) == [(0.100, 0.101), (0.101, 0.102)]


# Which runs are made again, each a process; how both databases keep them is asked by the other tests here.
def test_runs_in_a_slow_regime_are_made_again(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of twelve runs: the machine is 1.8 times slower before and after it; at the last but one it switches.

    Afterwards it is as quick as before. Each cell keeps as many runs that count as were asked for.
    """
    _fake(monkeypatch, iter([0.1] * 21 + [0.18] * 3 + [0.1] * 4))
    batch = _measure(tiny, repetitions=6)
    runs = list(batch.runs.order_by("pk"))
    slow = "the machine ran 1.8 times slower than usual, in a burst"
    switched = "the machine changed its speed: it ran up to 1.8 times slower than usual, in a burst"
    assert len(runs) == 14
    assert [run.message for run in runs] == [*[""] * 10, switched, slow, "", ""]
    reasons = [f"{switched}: measured again", f"{slow}: measured again"]
    assert [run.invalid_reason for run in runs] == [*[""] * 10, *reasons, "", ""]
    assert [run.repetition for run in runs[-2:]] == [7, 7]
    counted = batch.runs.filter(invalid_reason="").values_list("configuration").annotate(n=Count("pk"))
    assert [n for _, n in counted] == [6, 6]
    assert JobLogLine.objects.filter(text__contains=f"{slow}: measured again").count() == 1
    rows, _ = list_runs(access=access_to(Principal.operator(), tiny), wanted=RunFilter())
    by_id = {row.run_ids[0]: row.slower for row in rows}
    assert by_id[runs[0].pk] == pytest.approx(0.0, abs=0.02)
    assert by_id[runs[11].pk] == pytest.approx(0.8, abs=0.05)


# Likewise.
def test_a_machine_that_stays_slow_costs_a_quarter_more_and_no_run(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three runs for twelve, in place of as many; the runs of the slow half that are left count, and say so."""
    _fake(monkeypatch, iter([0.1] * 12 + [0.18] * 18))
    batch = _measure(tiny, repetitions=6)
    assert batch.runs.count() == 15
    # Neither configuration has all of them: half of what is disturbed is of each.
    again = list(batch.runs.filter(repetition__gt=6).order_by("pk").values_list("configuration", flat=True))
    assert len(set(again)) == 2
    assert again[0] != again[1]
    kept = batch.runs.filter(invalid_reason="")
    assert kept.count() == 12
    assert kept.exclude(message="").count() == 6
    assert {run.message for run in kept} == {
        "",
        "the machine ran 1.8 times slower than usual, at the slower of two speeds",
    }
    (row,) = list_batches(access=access_to(Principal.operator(), tiny))
    assert row.phases["speeds_apart"] == pytest.approx(0.8)
    assert row.phases["speed_changes"] == 1
    told = machine_text(row.machine, row.phases).replace("\N{NO-BREAK SPACE}", " ")
    assert "it ran at two speeds, 80.0 % apart, with 1 change" in told


def test_an_interrupted_job_makes_disturbed_runs_again_once(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends after the first of two runs in place of others; resumed, it makes the other one alone."""
    _fake(monkeypatch, iter([0.1] * 20 + [0.18] * 4 + [0.1] * 8))
    stop = StopRequest()

    def stopping(*given: Any, **asked: Any) -> Any:
        if Run.objects.count() == 13:
            stop.request()
        return execute(*given, **asked)

    monkeypatch.setattr(run_executor, "execute", stopping)
    job_id = _start(tiny, repetitions=6)
    assert run_job(job_id=job_id, kinds=KINDS, stop=stop) is JobOutcome.INTERRUPTED
    monkeypatch.setattr(run_executor, "execute", execute)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    runs = Batch.objects.get(format="measure").runs
    assert (runs.count(), runs.filter(invalid_reason="").count()) == (14, 12)
    assert not runs.filter(invalid_reason="").exclude(message="").exists()


# Likewise.
def test_a_run_stays_disturbed_where_the_usual_time_moves(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is usual is told anew each time: the share in the words moves, and the run is returned nevertheless."""
    _fake(monkeypatch, iter([0.1] * 22 + [0.18] * 10))
    batch = _measure(tiny, repetitions=6)
    run = batch.runs.filter(invalid_reason__contains="measured again").order_by("pk")[0]
    run.message, run.invalid_reason = "the machine ran 1.7 times slower than usual", ""
    run.save()
    context: Any = SimpleNamespace(fenced=nullcontext)
    assert run in mark_disturbed(context, batch)
    run.refresh_from_db()
    assert "ran 1.8 times slower than usual" in run.message


# Likewise.
def test_a_small_drift_is_no_disturbance(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """3 % over the job."""
    _fake(monkeypatch, iter([0.1 * (1 + 0.03 * at / 24) for at in range(24)]))
    assert {run.message for run in _measure(tiny, repetitions=6).runs.all()} == {""}


def test_a_reference_run_that_fails_costs_no_run(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says so, once; the runs are as good as any."""

    def fails(**_: object) -> ClockResult:
        raise ReferenceFailed("the reference run failed: no process can be started")

    monkeypatch.setattr(machine_watch, "reference_time", fails)
    runs = _measure(tiny).runs.all()
    assert {(run.status, run.reference_cpu_before, run.reference_wall_after) for run in runs} == {
        (Run.Status.OK, None, None)
    }
    said = JobLogLine.objects.filter(text__contains="no process can be started").values_list(
        "text", flat=True
    )
    assert [line.partition("; ")[2] for line in said] == [
        "runs go on without: nothing tells how fast the machine was"
    ]


def test_a_clock_that_jumps_marks_the_run_and_moves_no_time(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour back in the middle of the second run: it says so, its times are as short as they were."""
    moved = iter([0.0, 0.0, 0.0, -3600.0])
    monkeypatch.setattr(run_executor, "clock_offset", lambda: next(moved))
    runs = _measure(tiny).runs.filter(kind=Run.Kind.PLAIN).order_by("pk")
    assert [run.message for run in runs] == ["", "the clock of the machine jumped by -3600 s during this run"]
    assert {run.status for run in runs} == {Run.Status.OK}
    values = Measurement.objects.filter(run__in=runs).values_list("value", flat=True)
    assert all(0 < value < 3 for value in values)


def test_a_real_reference_run_takes_time_of_both_clocks() -> None:
    """It does nothing but work: the wall shows no less than the processor, but for the grain of their clocks."""
    made = reference_run()
    assert 0.001 < made.cpu_seconds <= made.wall_seconds * 1.05 < 20


def test_a_reference_run_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/program")
    with pytest.raises(ReferenceFailed, match="No such file"):
        reference_run()


@pytest.mark.parametrize(("seconds", "runs"), [(0.0, 1), (0.5, 1), (5.0, 2), (20.0, 8), (3600.0, 9)])
def test_longer_runs_have_more_reference_runs_beside_them(
    monkeypatch: pytest.MonkeyPatch, seconds: float, runs: int
) -> None:
    """At most a twentieth of their time, and the median counts."""
    times = iter(range(1, 10))

    def made(**_: object) -> ClockResult:
        taken = float(next(times))
        return ClockResult(wall_seconds=taken, cpu_seconds=taken)

    monkeypatch.setattr(reference, "reference_run", made)
    assert reference_time(pinned=True, beside_seconds=seconds).cpu_seconds == (runs + 1) / 2
