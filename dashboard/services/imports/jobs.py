"""Importing an uploaded file as a job: with progress, and with a way to stop it."""

from typing import Any, ClassVar

from dashboard.access import AccessError, Principal, Refused, access_to
from dashboard.importers.errors import ImporterError
from dashboard.importers.settings import ImportSettings
from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest, asked_with
from dashboard.services.imports.importing import find_target, import_file
from dashboard.services.imports.uploads import KEPT_SECONDS, Upload, ages_of_uploads, drop_upload, find_upload
from dashboard.services.jobs.context import Cancelled, JobContext, JobError
from dashboard.services.jobs.queueing import enqueue, request_cancel
from dashboard.services.performance_models.learned import LEARNED_FORMATS, queue_learning

_SHOWN = 4_000


class ImportRequest(JobRequest):
    """What the job imports: an upload, by its token, with the settings of its format."""

    kind: ClassVar = "import"

    token: str
    given: ImportSettings


def start_import(*, principal: Principal, token: str, given: ImportSettings) -> int:
    """Queue the import of an upload.

    Raises `NotFound`, `Forbidden` and `ImportRefused` as far as that can be told before the file is read.
    """
    upload = find_upload(principal=principal, token=token)
    system = find_target(principal, upload.system_name)
    # A hidden one is what a dead import left: swept away before this one writes, and its jobs with it.
    sender = access_to(principal, system.slug) if system is not None and system.visible else principal
    title = f"Import {upload.name} into {upload.system_name}"
    return enqueue(sender, ImportRequest(token=token, given=given), title=title)


def cancel_import(*, principal: Principal, job_id: int) -> None:
    """Stop an import; the file of one that had not begun goes at once. Raises `NotFound` and `Forbidden`."""
    request_cancel(principal=principal, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    if job.kind == ImportRequest.kind and job.state == Job.State.CANCELLED:
        drop_upload(ImportRequest.of(job).token)


def upload_to_try_again(*, principal: Principal, job_id: int) -> Upload | None:
    """The upload of an import that waits for another try; None where it went."""
    try:
        return find_upload(principal=principal, token=ImportRequest.of(Job.objects.get(pk=job_id)).token)
    except AccessError:
        return None


def unwanted_uploads() -> list[str]:
    """The tokens of uploads that nobody wants: older than a day, or of an import that was cancelled.

    A worker takes the file of a cancelled import away itself, unless it died or had not begun.
    """
    ages = ages_of_uploads()
    jobs = Job.objects.filter(asked_with(token__in=list(ages)), kind=ImportRequest.kind)
    tokens: dict[str, set[str]] = {state: set() for state in Job.State}
    for job in jobs:
        tokens[job.state].add(ImportRequest.of(job).token)
    wanted = set().union(*(tokens[state] for state in (*Job.ACTIVE, Job.State.PAUSED)))
    stale = {token for token, age in ages.items() if age > KEPT_SECONDS}
    return sorted((stale | tokens[Job.State.CANCELLED]) - wanted)


def run_import(context: JobContext) -> dict[str, Any]:
    """The kind of job that imports an upload; its result names the system and what came in.

    The file goes when it was imported, and when its sender cancelled. A refused one stays for another try.
    """
    principal = context.principal
    request = ImportRequest.of(context.job)

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
    except (ImporterError, Refused, AccessError) as error:
        for line in str(error).splitlines():
            context.log(line[:1000])
        raise JobError(str(error)[:_SHOWN]) from None
    drop_upload(request.token)
    if outcome.is_new and upload.format_name in LEARNED_FORMATS:
        queue_learning(access=access_to(principal, outcome.system_slug))
    return outcome.as_json()
