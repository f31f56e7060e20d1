"""Importing an uploaded file as a job: with progress, and with a way to stop it."""

from dataclasses import dataclass
from typing import Any

from dashboard.access import AccessError, Principal, access_to
from dashboard.importers.errors import ImporterError
from dashboard.importers.settings import ImportSettings
from dashboard.models import Job
from dashboard.selectors.job_requests import read_request, stored_request
from dashboard.services.imports.errors import ImportingError
from dashboard.services.imports.importing import find_target, import_file
from dashboard.services.imports.uploads import drop_upload, find_upload, stale_uploads, uploads
from dashboard.services.jobs.context import Cancelled, JobContext, JobError
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue, request_cancel
from dashboard.services.performance_models.learned import LEARNED_FORMATS, queue_learning

KIND = "import"
_SHOWN = 4_000


class NotImported(JobError):
    """The file or the system refuses the import."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What the job imports: an upload, by its token, with the settings of its format."""

    token: str
    given: ImportSettings


def start_import(*, principal: Principal, token: str, given: ImportSettings) -> JobId:
    """Queue the import of an upload.

    Raises `NotFound`, `Forbidden` and `ImportRefused` as far as that can be told before the file is read.
    """
    upload = find_upload(principal=principal, token=token)
    system = find_target(principal, upload.system_name)
    if system is not None and not system.visible:
        system = None  # what a dead import left: swept away before this one writes, and its jobs with it
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Import {upload.name} into {upload.system_name}",
        parameters=stored_request(ImportRequest(token, given)),
        system=system,
    )


def cancel_import(*, principal: Principal, job_id: JobId) -> None:
    """Stop an import; the file of one that had not begun goes at once. Raises `NotFound` and `Forbidden`."""
    request_cancel(principal=principal, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    if job.kind == KIND and job.state == Job.State.CANCELLED:
        drop_upload(read_request(ImportRequest, job.parameters).token)


def unwanted_uploads() -> list[str]:
    """The tokens of uploads that nobody wants: older than a day, or of an import that was cancelled.

    A worker takes the file of a cancelled import away itself, unless it died or had not begun.
    """
    tokens = set(uploads())
    own = Job.objects.filter(kind=KIND, parameters__token__in=tokens)
    cancelled = set(own.filter(state=Job.State.CANCELLED).values_list("parameters__token", flat=True))
    active = (Job.State.QUEUED, Job.State.RUNNING, Job.State.PAUSED)
    wanted = set(own.filter(state__in=active).values_list("parameters__token", flat=True))
    return sorted({*stale_uploads(), *cancelled} - wanted)


def run_import(context: JobContext) -> dict[str, Any]:
    """The kind of job that imports an upload; its result names the system and what came in.

    The file goes when it was imported, and when its sender cancelled. A refused one stays for another try.
    """
    principal = context.principal
    request = read_request(ImportRequest, context.parameters)

    def progress(share: float, step: str) -> None:
        context.log(step)
        context.progress(share, step)

    try:
        upload = find_upload(principal=principal, token=request.token)
        outcome = import_file(
            principal=principal,
            format_name=upload.format_name,
            path=upload.path,
            system_name=upload.system_name,
            given=request.given,
            progress=progress,
            go_on=context.check,
        )
    except Cancelled:
        drop_upload(request.token)
        raise
    except (ImporterError, ImportingError, AccessError) as error:
        for line in str(error).splitlines():
            context.log(line[:1000])
        raise NotImported(str(error)[:_SHOWN]) from None
    drop_upload(request.token)
    if outcome.is_new and upload.format_name in LEARNED_FORMATS:
        queue_learning(access=access_to(principal, outcome.system_slug))
    return outcome.as_json()
