"""Who queued a job: what it does, it does as that person, who may do then what they may do."""

from django.contrib.auth import get_user_model

from dashboard.access import Principal
from dashboard.models import Job
from dashboard.services.jobs.context import JobError


class SenderGone(JobError):
    """The account that queued the job is gone or locked."""


def sender_of(job_id: int) -> Principal:
    """The person who queued a job, with the rights of now. Raises `SenderGone`."""
    user_id = Job.objects.values_list("created_by_id", flat=True).get(pk=job_id)
    user = get_user_model().objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        raise SenderGone("the account that asked for this is gone")
    return Principal(user_id=user.pk, name=user.get_username(), is_superuser=user.is_superuser)
