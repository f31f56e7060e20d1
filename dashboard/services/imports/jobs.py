"""Importing an uploaded file as a job: with progress, and with a way to stop it."""

from collections.abc import Iterable
from hashlib import file_digest, sha256
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.access import AccessError, Principal, Refused, access_to
from dashboard.importers.errors import ImporterError
from dashboard.importers.preview import preview_file
from dashboard.importers.registry import FORMATS
from dashboard.importers.settings import NO_SETTINGS, ImportSettings
from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest, asked_with
from dashboard.services.imports.errors import FileRefused
from dashboard.services.imports.importing import find_target, import_file
from dashboard.services.imports.uploads import (
    KEPT_SECONDS,
    Upload,
    ages_of_uploads,
    drop_upload,
    find_upload,
    receive_upload,
)
from dashboard.services.jobs.context import Cancelled, JobContext, JobError
from dashboard.services.jobs.queueing import enqueue, request_cancel
from dashboard.services.performance_models.learned import LEARNED_FORMATS, queue_learning

_SHOWN = 4_000


class ImportRequest(JobRequest):
    """What the job imports: an upload, by its token, with the settings of its format.

    A program that sent it with a `key` gets the same job for the same `content` again: file, format, system and settings.
    """

    kind: ClassVar = "import"

    token: str
    given: ImportSettings
    key: str = ""
    content: str = ""


def send_import(
    *,
    principal: Principal,
    name: str,
    parts: Iterable[bytes],
    format_name: str,
    system_name: str,
    given: ImportSettings = NO_SETTINGS,
    key: str = "",
) -> int:
    """Keep a file and queue its import; with a `key` that its sender used before for the same, nothing but that job's id.

    A small file is read and checked before. Raises `FileRefused`, `Refused` where the key came with something else, and as
    `start_import`; nothing stays of the file then.
    """
    if format_name not in FORMATS:
        raise FileRefused(f"there is no format {format_name!r}: choose one of {', '.join(sorted(FORMATS))}")
    find_target(principal, system_name)
    try:
        upload = receive_upload(
            principal=principal, name=name, parts=parts, format_name=format_name, system_name=system_name
        )
    except Refused as error:
        raise FileRefused(str(error)) from None
    job_id = None
    try:
        with upload.path.open("rb") as stream:
            of_file = file_digest(stream, "sha256").hexdigest()
        settings = sorted((setting, tuple(values)) for setting, values in given.items())
        sent = sha256(repr((of_file, format_name, system_name, settings)).encode()).hexdigest()
        if (known := _job_of(principal, key, sent)) is not None:
            return known
        if upload.is_checked_at_once:
            preview_file(format_name=format_name, path=upload.path, given=given)
        with transaction.atomic():
            # Of two that come with one key at the same time, the second finds the job of the first.
            if key and principal.user_id is not None:
                User.objects.select_for_update().get(pk=principal.user_id)
            if (known := _job_of(principal, key, sent)) is not None:
                return known
            job_id = start_import(principal=principal, token=upload.token, given=given, key=key, content=sent)
    except ImporterError as error:
        raise FileRefused.of(error) from None
    finally:
        if job_id is None:
            drop_upload(upload.token)
    return job_id


def _job_of(principal: Principal, key: str, content: str) -> int | None:
    """The job that this account started with the key. Raises `Refused` where that was for something else."""
    if not key:
        return None
    jobs = Job.objects.filter(asked_with(key=key), kind=ImportRequest.kind, created_by_id=principal.user_id)
    job = jobs.order_by("pk").first()
    if job is None:
        return None
    if ImportRequest.of(job).content != content:
        raise Refused(
            f"the key {key!r} came with another file, format, system or settings before: send a new key with these"
        )
    return job.pk


def start_import(
    *, principal: Principal, token: str, given: ImportSettings, key: str = "", content: str = ""
) -> int:
    """Queue the import of an upload; `key` and `content` are as `ImportRequest` keeps them.

    Raises `NotFound`, `Forbidden` and `ImportRefused` as far as that can be told before the file is read.
    """
    upload = find_upload(principal=principal, token=token)
    # Without a system where the import makes it: a hidden one goes, and its jobs with it.
    sender = find_target(principal, upload.system_name) or principal
    title = f"Import {upload.name} into {upload.system_name}"
    return enqueue(sender, ImportRequest(token=token, given=given, key=key, content=content), title=title)


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
