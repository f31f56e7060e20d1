"""What is due of alerts: second measurements that have ended are judged, and messages are sent."""

from typing import Any

from dashboard.access import Principal
from dashboard.models import Alert, Job
from dashboard.selectors.alerts import DeliveringRequest, due_deliveries
from dashboard.services.alerts.confirmation import decide_due, undecided_due
from dashboard.services.alerts.delivering import deliver_due
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue


def deliver_if_due(*, principal: Principal) -> None:
    """Queue a job that does what is due, if anything is and none is on its way."""
    is_due = due_deliveries().exists() or Alert.objects.filter(undecided_due()).exists()
    if is_due and not Job.objects.filter(kind=DeliveringRequest.kind, state__in=Job.ACTIVE).exists():
        enqueue(principal, DeliveringRequest(), title="Send alerts")


def deliver_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that does what is due; repeated, it goes on."""
    decide_due()
    return deliver_due(check=context.check)
