"""Measuring counts each configuration once beside its timed runs: stored packed, read as a matrix."""

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.whitebox.count_evidence import ConfigurationCounts
from dashboard.access import NotFound, Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import CountedRun, CountSites, Job, Run, System
from dashboard.selectors.counts import (
    counted_runs,
    extended,
    pack_counts,
    pack_sites,
    unpack_counts,
    unpack_sites,
)
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, run_executor, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.measuring.run_executor import RunExecutor
from dashboard.services.subjects import register_subject
from runner.executions import Execution, execute
from runner.plans import PlannedRun
from tests.dashboard.measuring.tiny import ENTRY, TOML, write_subject

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]

PROGRAM = """
def doubled(size):
    total = 0
    for number in range(size):
        if number % 4:
            total += 2 * number
        else:
            total += 1
    return total
"""
SITES = (
    ("tiny:doubled", 2, 0, "call"),
    ("tiny:doubled", 4, 4, "turn"),
    ("tiny:doubled", 5, 8, "else"),
    ("tiny:doubled", 5, 8, "if"),
)


def asked(*words: str, repetitions: int = 1, counts: bool | None = None) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=words, repetitions=repetitions, workload="small", profile=False, counts=counts
    )


@pytest.fixture
def looping(machine: Path, sent: list[int], tmp_path: Path, operator: Principal) -> str:
    """The slug of a subject that loops 10 times, with the option fast 5 times."""
    folder = write_subject(tmp_path / "tiny", toml=TOML.replace("counts = false\n", ""))
    (folder / "program" / "tiny.py").write_text(PROGRAM, encoding="utf-8")
    return register_subject(principal=operator, folder=folder)


def measured(slug: str, request: MeasuringRequest) -> Job:
    job_id = start_measuring(access=access_to(Principal.operator(), slug), request=request, look_again=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Job.objects.get(pk=job_id)


def counted(slug: str) -> ConfigurationCounts:
    system = System.objects.get(slug=slug)
    revision = Run.objects.filter(batch__system=system).latest("pk").revision.name
    return counted_runs(system=system, revision=revision, workload="small")


def test_each_configuration_is_counted_once_beside_its_timed_runs(looping: str, operator: Principal) -> None:
    """A configuration that fails has no counts; no counting run is among the runs; counting again says the same."""
    measured(looping, asked("default", counts=False))
    with pytest.raises(NotFound, match=r"no run of 'tiny', .* was counted"):
        counted(looping)
    measured(looping, asked("default", "fast=on", "mode=broken", repetitions=2))
    assert Run.objects.count() == 7
    found = counted(looping)
    assert found.sites == SITES
    assert found.configurations[:, found.space.position("fast")].tolist() == [0, 1]
    assert found.counts.tolist() == [[1, 10, 3, 7], [1, 5, 2, 3]]
    assert (found.cpu_seconds > 0).all()
    measured(looping, asked("fast=on"))
    again = counted(looping)
    assert CountedRun.objects.count() == 3
    assert again.counts.tolist() == found.counts.tolist()
    assert again.configurations.tolist() == found.configurations.tolist()
    assert again.sites == SITES
    # What differs from run to run is no evidence of anything.
    last = CountedRun.objects.latest("pk")
    last.counts = pack_counts({0: 1, 1: 6, 2: 2, 3: 4})
    last.save()
    assert counted(looping).sites == (SITES[0], SITES[2])
    assert counted(looping).counts.tolist() == [[1, 3], [1, 2]]


def test_a_run_too_quick_for_the_clock_counts_and_is_not_timed(
    looping: str, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quick(*args: Any, **given: Any) -> Execution:
        found = execute(*args, **given)
        assert found.result.plain is not None
        plain = found.result.plain.model_copy(update={"cpu_seconds": 0.0})
        return replace(found, result=found.result.model_copy(update={"plain": plain}))

    monkeypatch.setattr(run_executor, "execute", quick)
    measured(looping, asked("default"))
    assert np.isnan(counted(looping).cpu_seconds).all()


def test_a_disk_that_is_full_while_counting_is_said(
    looping: str, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **given: Any) -> Execution:
        if given.get("mode") == "count":
            raise OSError(errno.ENOSPC, "No space left on device")
        return execute(*args, **given)

    monkeypatch.setattr(run_executor, "execute", full)
    request = asked("default")
    job_id = start_measuring(access=access_to(operator, looping), request=request, look_again=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.FAILED
    assert "no room is left on the disk" in Job.objects.get(pk=job_id).message


def test_a_subject_can_leave_counts_out_and_a_request_can_ask_for_them(tiny: str) -> None:
    measured(tiny, asked("default"))
    assert not CountedRun.objects.exists()
    measured(tiny, asked("default", counts=True))
    assert CountedRun.objects.count() == 1


def test_what_has_no_regions_cannot_be_counted(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    toml = TOML.replace('regions = ["tiny"]\ncounts = false\n', "")
    slug = register_subject(
        principal=operator, folder=write_subject(tmp_path / "tiny", toml=toml, entry=ENTRY)
    )
    with pytest.raises(RequestInvalid, match="only the regions of a callable"):
        start_measuring(
            access=access_to(operator, slug), request=MeasuringRequest(counts=True), look_again=True
        )


def test_a_job_that_was_interrupted_before_it_counted_counts_when_it_goes_on(
    looping: str, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was made before is made again."""
    request = asked("default", "fast=on")
    job_id = start_measuring(access=access_to(operator, looping), request=request, look_again=True)
    stop = StopRequest()
    count = RunExecutor.count

    def stopped(bench: RunExecutor, run: PlannedRun) -> None:
        stop.request()
        count(bench, run)

    monkeypatch.setattr(RunExecutor, "count", stopped)
    assert run_job(job_id=job_id, kinds=KINDS, stop=stop) is JobOutcome.INTERRUPTED
    assert (Run.objects.count(), CountedRun.objects.count()) == (1, 0)
    monkeypatch.setattr(RunExecutor, "count", count)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    assert (Run.objects.count(), CountedRun.objects.count(), CountSites.objects.count()) == (2, 2, 1)


def test_packed_counts_and_sites_read_back_the_same() -> None:
    sites = [("a:f", 1, 0, "call"), ("a:f", 2, 4, "if")]
    grown = extended(sites, [("a:f", 2, 4, "if"), ("a:g", 9, 0, "call")])
    assert grown == [*sites, ("a:g", 9, 0, "call")]
    assert unpack_sites(pack_sites(grown)) == grown
    positions, counts = unpack_counts(pack_counts({2: 5, 0: 2**40, 1: 0}))
    assert (positions.tolist(), counts.tolist()) == ([0, 2], [2**40, 5])
    assert np.array_equal(unpack_counts(pack_counts({}))[0], [])
