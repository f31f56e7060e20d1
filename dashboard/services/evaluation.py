"""What evaluations of approaches are asked of a system, and storing what came of one.

Evaluating is a study: `studies.evaluation.approach_jobs` does it, as the kind of job that is queued here.
"""

from dataclasses import asdict
from typing import ClassVar

from analytics.configurations.errors import ConfigurationError
from analytics.evaluation import ApproachEvaluation, ApproachSettings
from analytics.influence.errors import InfluenceError
from dashboard.access import Access, Permission, Refused
from dashboard.models import ModelEvaluation
from dashboard.selectors.end_to_end import MeasuredContext
from dashboard.selectors.evaluation_rows import stored_evaluation
from dashboard.selectors.evaluations import JOB_KIND
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.measured_systems import find_context
from dashboard.selectors.performance_models import settings_digest
from dashboard.services.jobs.queueing import enqueue


class ApproachRequest(JobRequest):
    """What to evaluate: the settings, and a metric and a revision by name or a context by its ids (`place`).

    Where there is a choice it is the context with most configurations.
    """

    kind: ClassVar = JOB_KIND

    metric: str = ""
    revision: str = ""
    settings: ApproachSettings = ApproachSettings()
    place: tuple[int, ...] | None = None


def start_evaluation(access: Access, request: ApproachRequest) -> int:
    """Queue an evaluation. Needs the role editor. Raises `Refused`, `NotFound` and `Forbidden`."""
    where = requested_context(access, request)
    chosen = ApproachRequest(settings=request.settings, place=where.ids)
    title = f"Evaluate approaches on {access.system.name} {where.revision}"
    return enqueue(access, chosen, title=title)


def requested_context(access: Access, request: ApproachRequest) -> MeasuredContext:
    """Where to evaluate; needs the role editor.

    Raises `Forbidden`, `NotFound`, and `Refused` for names that nothing has, before anything is read.
    """
    access.check(Permission.EDIT)
    try:
        request.settings.check_names()
    except (ConfigurationError, InfluenceError) as error:
        raise Refused(str(error)) from error
    return find_context(access.system, metric=request.metric, revision=request.revision, ids=request.place)


def store_evaluation(
    access: Access,
    where: MeasuredContext,
    settings: ApproachSettings,
    evaluation: ApproachEvaluation,
    *,
    left_out: int,
    version: int,
) -> int:
    """Store an evaluation of what was measured at a `version` of the data; its id. Needs the role editor."""
    access.check(Permission.EDIT)
    stored = asdict(settings)
    row, _ = ModelEvaluation.objects.update_or_create(
        revision_id=where.context.revision_id,
        workload_id=where.context.workload_id,
        environment_id=where.context.environment_id,
        metric_id=where.metric_id,
        settings_digest=settings_digest(stored),
        defaults={
            "system": access.system,
            "settings": stored,
            "data_version": version,
            "payload": stored_evaluation(evaluation, left_out=left_out),
        },
    )
    return row.pk
