"""Regions are searched by the job that fits histories."""

from typing import Any

import pytest

from dashboard.access import Principal, access_to
from dashboard.models import Job, RegionSearch, System
from dashboard.services.histories import region_searches
from dashboard.services.histories.fit_jobs import FitRequest, PartRequest, fit_in_job, fit_part, queue_fits
from dashboard.services.jobs.context import Cancelled, JobContext
from dashboard.services.jobs.queueing import request_cancel, resume
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.dashboard.selectors.test_cost_shifts import KEYS, profiled

KINDS = {FitRequest.kind: fit_in_job, PartRequest.kind: fit_part}


@pytest.mark.usefixtures("transactional_db")
def test_the_job_that_fits_histories_searches_regions_says_how_far_it_is_and_can_be_cancelled(
    system: System, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.services.jobs.queueing.send", lambda **_: None)
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=9)
    access = access_to(operator, system.slug)
    job_id = queue_fits(access=access)
    assert job_id is not None
    assert queue_fits(access=access) is None
    told: list[str | None] = []
    true_one = JobContext.progress

    def progress(context: JobContext, share: float, message: str | None = None, **given: Any) -> None:
        told.append(message)
        if message == "1 of 4 regions searched":
            request_cancel(principal=operator, job_id=job_id)
            raise Cancelled("as asked")
        true_one(context, share, message, **given)

    with monkeypatch.context() as patch:
        patch.setattr(JobContext, "progress", progress)
        run_job(job_id=job_id, kinds=KINDS)
    assert "0 of 4 regions searched" in told
    assert not RegionSearch.objects.exists()
    assert Job.objects.get(parent_id=job_id).state == Job.State.CANCELLED
    resume(principal=operator, job_id=job_id)
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.DONE
    assert RegionSearch.objects.get().regions == len(KEYS)
    assert region_searches.contexts_to_search(system=system) == []
    assert queue_fits(access=access) is None
