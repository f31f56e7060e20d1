"""Saying what a metric is, as a job: everything that was measured by it moves, which takes long in large systems."""

from typing import Any

from dashboard.access import AccessError, Permission, Principal, require
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.metrics import MetricError, check_metric, set_metric

KIND = "metric"


class NotSet(JobError):
    """The metric cannot be changed as asked."""


def start_setting_metric(
    *, principal: Principal, slug: str, quantity: str, unit: str, better: str, present_unit: str
) -> JobId:
    """Queue `set_metric`; raises what it raises, as far as that can be told at once."""
    system = require(principal, slug, Permission.EDIT)
    check_metric(system, quantity=quantity, unit=unit, better=better, present_unit=present_unit)
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Set {quantity} of {system.name} to {unit.strip() or 'unknown unit'}, {better} is better",
        parameters={
            "slug": slug,
            "quantity": quantity,
            "unit": unit,
            "better": better,
            "present_unit": present_unit,
        },
        system=system,
    )


def set_metric_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that sets a metric; run again after that it does nothing."""
    asked = context.parameters
    if context.checkpoint.get("set"):
        return {}
    context.progress(0.1, "moving what was measured")
    try:
        with context.fenced():
            set_metric(principal=context.principal, **asked)
            context.save_checkpoint({"set": True})
    except (MetricError, AccessError) as error:
        raise NotSet(str(error)) from None
    return {}
