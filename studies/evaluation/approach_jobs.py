"""The kind of job that evaluates approaches on what was measured of a system, and stores their rows."""

from typing import Any

from django.db import transaction

from analytics.configurations.errors import ConfigurationError
from analytics.influence.errors import InfluenceError
from analytics.progress import Progress, no_progress
from dashboard.access import Access, Refused
from dashboard.services.evaluation import ApproachRequest, requested_context, store_evaluation
from dashboard.services.jobs.context import Fence, JobContext
from studies.evaluation.approaches import evaluate_approaches
from studies.evaluation.measured_systems import composed_models, measured_system
from studies.evaluation.older_approaches import older_models


def evaluate_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that evaluates; run again it evaluates anew, with the same rows but for the times taken."""
    request = ApproachRequest.of(context.job)
    # The key under which results of earlier versions are stored, too.
    return {"comparison": evaluate(context.access, request, context.progress, context.fenced)}


def evaluate(
    access: Access,
    request: ApproachRequest,
    report: Progress = no_progress,
    writing: Fence = transaction.atomic,
) -> int:
    """Evaluate and store at once; the id of the evaluation, which takes the place of one with the same settings.

    Needs the role editor. Raises `Refused`, `NotFound` and `Forbidden`.
    """
    where = requested_context(access, request)
    report(0.0, "reading what was measured")
    # Read before the measurements: what is stored meanwhile makes the evaluation an old one.
    access.system.refresh_from_db(fields=["data_version"])
    version = access.system.data_version
    measured, left_out = measured_system(access.system, where)
    try:
        given = (*composed_models(where), *older_models(access.system, where, measured))
        found = evaluate_approaches(measured, request.settings, given, report)
    except (ConfigurationError, InfluenceError) as error:
        raise Refused(str(error)) from error
    with writing():
        return store_evaluation(access, where, request.settings, found, left_out=left_out, version=version)
