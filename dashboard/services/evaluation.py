"""Evaluating approaches on what was measured of a system, and storing what comes of it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.samplings import sampling_called
from analytics.evaluation.approaches import evaluate_approaches
from analytics.evaluation.rows import ApproachSettings
from analytics.influence.errors import InfluenceError
from analytics.influence.learners import learner_called
from analytics.progress import Progress, no_progress
from dashboard.access import Access, Permission, access_to
from dashboard.models import ModelEvaluation
from dashboard.selectors.evaluation_rows import stored_evaluation, stored_settings
from dashboard.selectors.evaluations import JOB_KIND
from dashboard.selectors.job_requests import read_request, stored_request
from dashboard.selectors.measured_systems import (
    EvaluationContext,
    composed_models,
    find_context,
    measured_system,
)
from dashboard.selectors.model_settings import settings_digest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue

KIND = JOB_KIND


class EvaluationRefused(ValueError):
    """What was asked for cannot be evaluated."""


@dataclass(frozen=True, slots=True)
class ApproachRequest:
    """What to evaluate: the settings, and a metric and a revision by name or a context by its ids (`place`).

    Where there is a choice it is the context with most configurations.
    """

    metric: str = ""
    revision: str = ""
    settings: ApproachSettings = field(default_factory=ApproachSettings)
    place: tuple[int, ...] | None = None


def start_evaluation(access: Access, request: ApproachRequest) -> JobId:
    """Queue an evaluation. Needs the role editor. Raises `EvaluationRefused`, `NotFound` and `Forbidden`."""
    where = _checked(access, request)
    chosen = ApproachRequest(settings=request.settings, place=where.ids)
    return enqueue(
        principal=access.principal,
        kind=KIND,
        title=f"Compare approaches on {access.system.name} {where.revision}",
        parameters={"slug": access.slug, **stored_request(chosen)},
        system=access.system,
    )


def evaluate_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that evaluates; run again it evaluates anew, with the same rows but for the times taken."""
    access = access_to(context.principal, context.parameters["slug"], Permission.EDIT)
    request = read_request(ApproachRequest, context.parameters)
    return {"comparison": evaluate(access, request, context.progress, context.fenced)}


def evaluate(
    access: Access,
    request: ApproachRequest,
    report: Progress = no_progress,
    writing: Callable[[], AbstractContextManager[None]] = transaction.atomic,
) -> int:
    """Evaluate and store at once; the id of the evaluation, which takes the place of one with the same settings.

    Needs the role editor. Raises `EvaluationRefused`, `NotFound` and `Forbidden`.
    """
    where = _checked(access, request)
    report(0.0, "reading what was measured")
    # Read before the measurements: what is stored meanwhile makes the evaluation an old one.
    access.system.refresh_from_db(fields=["data_version"])
    version = access.system.data_version
    measured, left_out = measured_system(access.system, where)
    try:
        found = evaluate_approaches(measured, request.settings, composed_models(where), report)
    except (ConfigurationError, InfluenceError) as error:
        raise EvaluationRefused(str(error)) from error
    settings = stored_settings(request.settings)
    with writing():
        row, _ = ModelEvaluation.objects.update_or_create(
            revision_id=where.context.revision_id,
            workload_id=where.context.workload_id,
            environment_id=where.context.environment_id,
            metric_id=where.metric_id,
            settings_digest=settings_digest(settings),
            defaults={
                "system": access.system,
                "settings": settings,
                "data_version": version,
                "payload": stored_evaluation(found, left_out=left_out),
            },
        )
    return row.pk


def _checked(access: Access, request: ApproachRequest) -> EvaluationContext:
    """Where to evaluate. Raises `EvaluationRefused` for names that nothing has, before anything is read."""
    access.check(Permission.EDIT)
    try:
        for name in request.settings.samplings_of(1):
            sampling_called(name)
        for name in request.settings.learners:
            learner_called(name)
    except (ConfigurationError, InfluenceError) as error:
        raise EvaluationRefused(str(error)) from error
    return find_context(access.system, metric=request.metric, revision=request.revision, ids=request.place)
