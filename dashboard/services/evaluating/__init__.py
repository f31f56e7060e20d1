"""Evaluating approaches on a program: equal budgets, held-back configurations, every row told."""

from dataclasses import replace

from dashboard.access import Permission, Principal, require
from dashboard.models import Job
from dashboard.selectors.job_requests import stored_request
from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.evaluating.job import evaluate
from dashboard.services.evaluating.request import EvaluatingRequest, check
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.subjects import registered_subject, stored_revisions

__all__ = ["KIND", "EvaluatingRequest", "evaluate", "start_evaluating"]

KIND = "evaluate"


def start_evaluating(*, principal: Principal, slug: str, request: EvaluatingRequest) -> JobId:
    """Queue the evaluation of a system's subject, for a revision that was analyzed.

    Needs the role editor. Raises `RequestInvalid`, `SubjectError`, `NotFound`, `Forbidden`.
    """
    system = require(principal, slug, Permission.EDIT)
    subject = registered_subject(slug=slug)
    check(request, subject)
    known = stored_revisions(slug=slug, subject=subject)
    selected = select(
        subject, known, MeasuringRequest(revisions=(request.revision,), workload=request.workload)
    )
    if len(selected.revisions) != 1:
        raise RequestInvalid(
            "revision",
            f"{request.revision!r} means {len(selected.revisions)} revisions: one is evaluated at a time",
        )
    request = replace(request, revision=selected.revisions[0].identifier)
    if newest_analysis(system, request.revision) is None:
        raise RequestInvalid(
            "revision",
            f"{request.revision} was not analyzed, and the options that taint a region are not known: run `manage.py analyze {subject.name} --revision {request.revision}` first",
        )
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Evaluate {subject.name} {request.revision}: {request.workload}",
        parameters=stored_request(request),
        system=system,
        queue=Job.Queue.MEASURE,
    )
