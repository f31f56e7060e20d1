"""Sweeping up what nobody needs any more: imports whose process died, uploads of yesterday, used or expired logins, counted tries, old visits of links."""

from typing import Any, ClassVar

from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone

from dashboard.access import Principal
from dashboard.models import Job, LinkVisit, LoginToken, TryCount
from dashboard.selectors.job_columns import JobRequest
from dashboard.services.imports.batches import abandoned
from dashboard.services.imports.importing import sweep_abandoned
from dashboard.services.imports.jobs import unwanted_uploads
from dashboard.services.imports.uploads import drop_upload
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.reports.share_links import KEPT


class SweepingRequest(JobRequest):
    """Everything that nobody needs any more."""

    kind: ClassVar = "sweep"


def sweep_if_needed(*, principal: Principal) -> int | None:
    """Queue a job that sweeps, if there is anything to sweep and none is on its way."""
    now = timezone.now()
    logins = LoginToken.objects.filter(expires_at__lt=now).exists()
    sessions = Session.objects.filter(expire_date__lt=now).exists()
    visits = LinkVisit.objects.filter(at__lt=now - KEPT).exists()
    tries = TryCount.objects.filter(ends_at__lt=now).exists()
    if not (logins or sessions or visits or tries or abandoned() or unwanted_uploads()):
        return None
    if Job.objects.filter(kind=SweepingRequest.kind, state__in=Job.ACTIVE).exists():
        return None
    return enqueue(principal, SweepingRequest(), title="Sweep up")


def sweep(context: JobContext) -> dict[str, Any]:
    """The kind of job that sweeps; its result counts what went."""
    now = timezone.now()
    logins, _ = LoginToken.objects.filter(Q(expires_at__lt=now) | Q(used_at__isnull=False)).delete()
    sessions, _ = Session.objects.filter(expire_date__lt=now).delete()
    visits, _ = LinkVisit.objects.filter(at__lt=now - KEPT).delete()
    tries, _ = TryCount.objects.filter(ends_at__lt=now).delete()
    context.progress(0.1, "taking away what dead imports left")
    imports = sweep_abandoned()
    uploads = unwanted_uploads()
    for token in uploads:
        drop_upload(token)
    return {
        "logins": logins,
        "sessions": sessions,
        "visits": visits,
        "tries": tries,
        "imports": imports,
        "uploads": len(uploads),
    }
