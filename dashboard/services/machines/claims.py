"""Handing measuring jobs out to machines: claimed, renewed and given up as by any worker, over the API.

A claim is the owner of the job's lease: `machine:ID:job:random part`. What comes under one that does not hold any more changes nothing.
"""

import secrets
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field

from dashboard.access import Principal, Refused
from dashboard.importers.errors import ImporterError
from dashboard.importers.preview import preview_file
from dashboard.models import Job, Machine, Revision, Subject
from dashboard.selectors.job_columns import MeasuringRequest, SubjectCheckpoint, reached_with
from dashboard.selectors.machines import CLAIMED, held_jobs
from dashboard.services.imports.errors import FileRefused
from dashboard.services.imports.uploads import drop_upload, receive_upload
from dashboard.services.jobs.leases import (
    MAX_ATTEMPTS,
    append_log,
    ended,
    laid_aside,
    lease_end,
    requeued,
    takeable,
)
from dashboard.services.jobs.queueing import send_on_commit, stop_if_asked
from dashboard.services.machines.registry import owner_may_edit

_LONGEST_MESSAGE = 400
Stop = Literal["", "cancel", "pause"]
How = Literal["failed", "cancelled", "paused", "released"]
_STOPPING = Q(cancel_requested=True) | Q(pause_requested=True)
_Names = Annotated[tuple[str, ...], Field(min_length=1, max_length=100_000)]


class ClaimLost(Refused):
    """The job is no longer the machine's: what it does for it is of no use."""


class TakenJob(BaseModel):
    """What a machine is to measure: names and numbers alone, which mean what its own subject lists under them."""

    model_config = ConfigDict(frozen=True)

    job_id: int
    claim: str
    asked_at: str
    title: str
    subject: str
    digest: str
    environment: str
    configurations: _Names
    revisions: _Names
    workload: str
    repetitions: int | tuple[int, int]
    half_width: float
    profile: bool
    counts: bool | None
    metric: Literal["time", "work", "instructions"]
    seed: int


def take(*, machine: Machine) -> TakenJob | None:
    """The machine's next job, claimed: the one that it held when it was cut off, else the oldest; None for none.

    One at a time: a claim that the machine made before ends with this one.
    """
    able = dict(machine.subjects.values_list("system_id", "environment"))
    # One that is to stop is not begun anew.
    mine = held_jobs(machine.pk).exclude(_STOPPING)
    waiting = Job.objects.none()
    if not machine.paused:
        waiting = Job.objects.filter(takeable(), environment__in=set(able.values()), system__in=able)
        waiting = waiting.exclude(_STOPPING)
    for job in [*mine.select_related("system"), *waiting.select_related("system").order_by("pk")]:
        if able.get(job.system_id or 0) != job.environment or (found := _taken(machine, job)) is None:
            continue
        return found
    return None


def _taken(machine: Machine, job: Job) -> TakenJob | None:
    """The job under a new claim; None where it is not for this machine, or another one was quicker."""
    request, system = MeasuringRequest.of(job), job.system
    subject = Subject.objects.filter(system=system).first()
    held = machine.subjects.filter(system=system, environment=job.environment).first()
    if system is None or subject is None or held is None or held.digest != subject.digest:
        return None
    if not owner_may_edit(machine, system):
        return None
    claim = f"{CLAIMED}:{machine.pk}:{job.pk}:{secrets.token_hex(8)}"
    unmoved = Job.objects.filter(pk=job.pk, owner=job.owner, state=job.state, attempt=job.attempt)
    if job.attempt >= MAX_ATTEMPTS:
        text = f"given up: machines fell silent {MAX_ATTEMPTS} times without getting on; look at their logs"
        unmoved.update(**ended(Job.State.FAILED), message=text)
        return None
    with transaction.atomic():
        taken = unmoved.update(
            state=Job.State.RUNNING,
            owner=claim,
            attempt=F("attempt") + 1,
            lease_expires_at=lease_end(),
            started_at=job.started_at or timezone.now(),
            message=f"taken by {machine.name}",
        )
        if not taken:
            return None
        append_log(job_id=job.pk, lines=[f"{machine.name} takes it"])
    job.refresh_from_db(fields=["owner"])
    return _described(job, request, subject)


def _described(job: Job, request: MeasuringRequest, subject: Subject) -> TakenJob:
    names = Revision.objects.filter(pk__in=request.revision_ids).values_list("name", flat=True)
    asked = {"workload", "repetitions", "half_width", "profile", "counts", "metric", "seed", "configurations"}
    return TakenJob(
        job_id=job.pk,
        claim=job.owner,
        asked_at=job.created_at.isoformat(),
        title=job.title,
        subject=subject.name,
        digest=subject.digest,
        environment=job.environment,
        revisions=tuple(names),
        **request.model_dump(include=asked),
    )


def beat(*, machine: Machine, claim: str, progress: float, message: str, lines: Iterable[str] = ()) -> Stop:
    """Renew a claim and tell how the job gets on; "cancel" or "pause" where it is to stop, else "". Raises `ClaimLost`.

    A claim on what is to stop is not renewed: a machine that goes on all the same loses it.
    """
    held = _held(machine, claim)
    with transaction.atomic():
        job = held.select_for_update().first()
        if job is None:
            raise ClaimLost("the job was taken back, or ended: drop what you do for it")
        stop: Stop = "cancel" if job.cancel_requested else "pause" if job.pause_requested else ""
        moved: dict[str, Any] = {"attempt": 1} if progress > job.progress else {}
        if not stop:
            moved["lease_expires_at"] = lease_end()
        held.update(
            progress=progress,
            progress_at=timezone.now(),
            message=message[:_LONGEST_MESSAGE],
            **moved,
        )
        append_log(job_id=job.pk, lines=list(lines))
    return stop


def end(*, machine: Machine, claim: str, how: How, message: str) -> None:
    """Give a job up: it failed, stopped as it was asked to, or goes back to the queue. Raises `ClaimLost`."""
    fields: dict[str, Any] = {
        "failed": {**ended(Job.State.FAILED), "message": message[:_LONGEST_MESSAGE], "error": message},
        "cancelled": ended(Job.State.CANCELLED),
        "paused": laid_aside(),
        "released": {**requeued(timezone.now()), "attempt": F("attempt") - 1},
    }[how]
    held = _held(machine, claim)
    with transaction.atomic():
        job = held.first()
        if job is None or not held.update(**fields):
            raise ClaimLost("the job was taken back, or ended: drop what you do for it")
        said = f": {message}" if message else ""
        append_log(job_id=job.pk, lines=[f"{how} on {machine.name}{said}"])
        if job.cancel_requested or how == "released":
            stop_if_asked(job)


def receive_runs(*, machine: Machine, claim: str, name: str, parts: Iterable[bytes]) -> int:
    """Keep the file of runs that a job came to, and have a worker store them; the job's id.

    Sent again under the same claim it is passed over. A small file is read and checked before. Raises `ClaimLost`, and
    `FileRefused`: nothing stays of the file then.
    """
    stored = Job.objects.filter(reached_with(claim=claim)).first()
    if stored is not None:
        return stored.pk
    job = _held(machine, claim).select_related("system", "created_by", "parent__created_by").first()
    sender = None if job is None else Principal.of_job(job)
    if job is None or job.system is None or sender is None or not owner_may_edit(machine, job.system):
        raise ClaimLost("the job was taken back, or ended: drop what you do for it")
    try:
        upload = receive_upload(
            principal=sender, name=name, parts=parts, format_name="bundle", system_name=job.system.slug
        )
    except Refused as error:
        raise FileRefused(str(error)) from None
    is_kept = False
    try:
        if upload.is_checked_at_once:
            preview_file(format_name="bundle", path=upload.path, given={})
        checkpoint = SubjectCheckpoint(upload=upload.token, claim=claim).as_json()
        with transaction.atomic():
            # From here on it is a job as any other, for a worker of this installation.
            fields = {**requeued(timezone.now()), "message": "the runs have come", "queue": Job.Queue.DEFAULT}
            is_kept = bool(
                _held(machine, claim).update(**fields, environment="", checkpoint=checkpoint, attempt=0)
            )
            if not is_kept:
                raise ClaimLost("the job was taken back, or ended: drop what you do for it")
            append_log(job_id=job.pk, lines=[f"{machine.name} sent {upload.size} bytes of runs"])
            job.environment, job.queue = "", Job.Queue.DEFAULT
            send_on_commit(job)
    except ImporterError as error:
        raise FileRefused.of(error) from None
    finally:
        if not is_kept:
            drop_upload(upload.token)
    return job.pk


def _held(machine: Machine, claim: str) -> QuerySet[Job]:
    return held_jobs(machine.pk).filter(owner=claim)
