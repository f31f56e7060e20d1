"""All histories of a system are fitted by one job, in parts that any worker may take."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dashboard.access import Principal, access_to
from dashboard.models import HistoryFit, Job, System
from dashboard.services.histories import fit_jobs as history_fit_jobs
from dashboard.services.histories.fits import chunks_to_fit
from dashboard.services.imports.importing import import_file
from dashboard.services.jobs import parts
from dashboard.services.jobs.context import Cancelled, JobContext
from dashboard.services.jobs.leases import claim
from dashboard.services.jobs.queueing import request_cancel, request_pause, resume
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.dashboard.importers import asv_sample as sample

TakeOne = Callable[[Any, Any], bool]
KINDS = {
    history_fit_jobs.FitRequest.kind: history_fit_jobs.fit_in_job,
    history_fit_jobs.PartRequest.kind: history_fit_jobs.fit_part,
}


@pytest.fixture
def fit_job(
    transactional_db: None, operator: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> int:
    """A waiting job that fits three series at a time; no broker sees it."""
    path = sample.write(sample.stepped(), tmp_path)
    import_file(principal=operator, format_name="asv", path=path, system_name="Sorting")
    access = access_to(operator, "sorting")
    HistoryFit.objects.all().delete()
    monkeypatch.setattr("dashboard.services.histories.fits.TOGETHER", 3)
    monkeypatch.setattr("dashboard.services.jobs.queueing.send", lambda **_: None)
    job = history_fit_jobs.queue_fits(access=access, series_of_part=3)
    assert job is not None
    assert history_fit_jobs.queue_fits(access=access) is None
    return job


@pytest.fixture
def cancel_after(fit_job: int, operator: Principal) -> TakeOne:
    """Takes one part of the job, as its worker does; meanwhile somebody cancels the job."""
    true_one = parts._take_one

    def take(context: Any, do: Any) -> bool:
        found = true_one(context, do)
        request_cancel(principal=operator, job_id=fit_job)
        context._heartbeat.cancel_requested = True
        return found

    return take


def test_a_job_fits_by_children_that_it_takes_itself(fit_job: int) -> None:
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    parent = Job.objects.get(pk=fit_job)
    assert parent.result == {"fitted": HistoryFit.objects.count(), "faults": 0}
    assert set(parent.children.values_list("state", flat=True)) == {Job.State.DONE}
    assert parent.children.count() == -(-HistoryFit.objects.count() // 3)
    assert chunks_to_fit(system=System.objects.get(slug="sorting")) == []


def test_a_job_resumed_takes_only_the_children_that_are_left(
    fit_job: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    true_one = parts._take_one

    def twice_then_die(context: Any, do: Any) -> bool:
        calls.append(context.job_id)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return true_one(context, do)

    monkeypatch.setattr(parts, "_take_one", twice_then_die)
    with pytest.raises(KeyboardInterrupt):
        run_job(job_id=fit_job, kinds=KINDS)
    made = set(Job.objects.filter(parent_id=fit_job).values_list("pk", flat=True))
    assert Job.objects.filter(parent_id=fit_job, state=Job.State.DONE).count() == 2
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert set(Job.objects.filter(parent_id=fit_job).values_list("pk", flat=True)) == made


def test_cancelling_the_job_cancels_its_children(
    fit_job: int, cancel_after: TakeOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_take_one", cancel_after)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.CANCELLED
    states = list(Job.objects.filter(parent_id=fit_job).values_list("state", flat=True))
    assert states.count(Job.State.DONE) == 1
    assert states.count(Job.State.CANCELLED) == len(states) - 1


def test_a_cancelled_job_goes_on_with_the_parts_that_were_cancelled(
    fit_job: int, cancel_after: TakeOne, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was fitted before is not fitted again."""
    with monkeypatch.context() as patch:
        patch.setattr(parts, "_take_one", cancel_after)
        assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.CANCELLED
    done = Job.objects.get(parent_id=fit_job, state=Job.State.DONE)
    resume(principal=operator, job_id=fit_job)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert chunks_to_fit(system=System.objects.get(slug="sorting")) == []
    assert Job.objects.get(pk=done.pk).finished_at == done.finished_at


def test_a_job_resumed_before_a_part_noticed_the_cancel_waits_for_it_and_runs_it_again(
    fit_job: int, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker still runs the part, and ends it as cancelled a little later."""
    with monkeypatch.context() as patch:
        patch.setattr(parts, "_take_one", cancelled)
        assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.CANCELLED
    part = Job.objects.filter(parent_id=fit_job)[:1].get()
    running = Job.objects.filter(pk=part.pk)
    running.update(
        state=Job.State.RUNNING, cancel_requested=True, lease_expires_at=timezone.now() + timedelta(hours=1)
    )
    ended = {"state": Job.State.CANCELLED, "lease_expires_at": None, "finished_at": timezone.now()}
    monkeypatch.setattr("time.sleep", lambda _: running.update(**ended))
    resume(principal=operator, job_id=fit_job)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert set(Job.objects.filter(parent_id=fit_job).values_list("state", flat=True)) == {Job.State.DONE}


def cancelled(_context: Any, _do: Any) -> bool:
    """Somebody cancels the job before any part is run."""
    raise Cancelled


def test_a_failed_job_goes_on_with_the_parts_that_failed(
    fit_job: int, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part whose worker met a fault is tried again, and its old error is gone."""

    def fails(*_: Any) -> dict[str, Any]:
        raise OSError("no room is left")

    with monkeypatch.context() as patch:
        patch.setattr(history_fit_jobs, "fit_part", fails)
        assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.FAILED
    resume(principal=operator, job_id=fit_job)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert set(Job.objects.filter(parent_id=fit_job).values_list("error", flat=True)) == {""}


def test_parts_and_the_checkpoint_that_knows_of_them_are_written_together(
    fit_job: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies in between leaves neither, so no part is made twice."""

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dashboard.services.jobs.context.JobContext.save_checkpoint", dies)
        with pytest.raises(KeyboardInterrupt):
            run_job(job_id=fit_job, kinds=KINDS)
    assert not Job.objects.filter(parent_id=fit_job).exists()


def test_pausing_the_job_rests_its_parts_and_resuming_goes_on_with_them(
    fit_job: int, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other workers take no further part of a job that is paused, whose parts wait in the queue."""
    true_one = parts._take_one

    def take(context: Any, do: Any) -> bool:
        found = true_one(context, do)
        request_pause(principal=operator, job_id=fit_job)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(parts, "_take_one", take)
        assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.PAUSED
    rest = Job.objects.filter(parent_id=fit_job).exclude(state=Job.State.DONE)
    assert set(rest.values_list("state", flat=True)) == {Job.State.PAUSED}
    assert run_job(job_id=rest[0].pk, kinds=KINDS) is JobOutcome.NOT_CLAIMED
    resume(principal=operator, job_id=fit_job)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert not rest.exists()


def test_cancelling_a_job_whose_worker_died_cancels_its_parts(fit_job: int, operator: Principal) -> None:
    """Nobody is there to hear of it: no worker takes them up any more."""
    lease = claim(job_id=fit_job)
    assert lease is not None
    part = Job.objects.create(kind="fit some histories", title="A part", parent_id=fit_job)
    Job.objects.filter(pk=fit_job).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    request_cancel(principal=operator, job_id=fit_job)
    assert set(Job.objects.filter(pk__in=(fit_job, part.pk)).values_list("state", flat=True)) == {"cancelled"}


def test_a_part_of_many_series_goes_on_behind_those_that_it_stored(
    fit_job: int, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker died after three: these are not fitted again."""
    true_one = JobContext.save_checkpoint

    def dies(context: JobContext, checkpoint: dict[str, Any]) -> None:
        true_one(context, checkpoint)
        if checkpoint.get("tried") == 3:
            raise KeyboardInterrupt

    Job.objects.filter(pk=fit_job).update(parameters={"series_of_part": 6})
    with monkeypatch.context() as patch:
        patch.setattr(JobContext, "save_checkpoint", dies)
        with pytest.raises(KeyboardInterrupt):
            run_job(job_id=fit_job, kinds=KINDS)
    kept = set(HistoryFit.objects.values_list("pk", flat=True))
    assert len(kept) == 3
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    assert kept < set(HistoryFit.objects.values_list("pk", flat=True))
    assert Job.objects.get(pk=fit_job).result == {"fitted": HistoryFit.objects.count(), "faults": 0}


def test_the_job_tells_how_far_all_its_parts_are_while_it_does_one(
    fit_job: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, float]] = []
    true_one = JobContext.progress

    def progress(context: JobContext, share: float, message: str | None = None, **given: Any) -> None:
        told.append((context.job_id, share))
        Job.objects.filter(pk=context.job_id).update(progress=share)
        true_one(context, share, message, **given)

    monkeypatch.setattr(JobContext, "progress", progress)
    monkeypatch.setattr(parts, "_POLL_SECONDS", 0.0)
    assert run_job(job_id=fit_job, kinds=KINDS) is JobOutcome.DONE
    shares = [share for job_id, share in told if job_id == fit_job]
    number = Job.objects.filter(parent_id=fit_job).count()
    assert shares == sorted(shares)
    # Twice or more within a part.
    assert len(set(shares)) > number + 1
