"""On a measuring machine: the jobs of the installation that it measures for, as jobs of its own.

What comes from there are names and numbers. They mean what a subject registered here lists under them; nothing else of them is run.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from analytics.evaluation import DRAWN_SAMPLINGS
from analytics.whitebox.evidence import OLDER_APPROACHES
from dashboard.access import Access, Principal, Refused, access_to
from dashboard.importers.bundle.writing import write_bundle
from dashboard.models import Batch, Job, Subject
from dashboard.selectors.export.records import load_batch_records
from dashboard.selectors.job_columns import MeasuringRequest, SubjectCheckpoint, asked_with
from dashboard.services.jobs.queueing import request_cancel, resume
from dashboard.services.machines.claims import TakenJob
from dashboard.services.machines.registry import Fingerprint, OfferedSubject
from dashboard.services.measuring.job import start_measuring
from dashboard.services.measuring.plans import ANALYSIS
from dashboard.services.subjects import registered_subject, runner_state, store_revisions, stored_revisions
from runner.environments import run_environment
from runner.errors import RunnerError
from runner.fingerprints import MachineFingerprint
from runner.interpreters import interpreter
from runner.subjects import SubjectDefinition


def offered_subjects() -> tuple[list[OfferedSubject], list[str]]:
    """The subjects that are registered here, with what their times belong to; and in words those that cannot be measured."""
    offered, problems = [], []
    for row in Subject.objects.select_related("system"):
        try:
            subject = registered_subject(slug=row.system.slug)
            found = Fingerprint.model_validate(asdict(_environment(subject)))
            offered.append(OfferedSubject(name=row.name, digest=subject.digest, environment=found))
        except (RunnerError, Refused) as error:
            problems.append(f"{row.name}: {error}")
    return offered, problems


def _environment(subject: SubjectDefinition) -> MachineFingerprint:
    return run_environment(subject, interpreter(runner_state(), subject.install.python))


def begin(taken: TakenJob, *, principal: Principal, asked_by: str) -> int:
    """The job of this machine (id) that does a taken one: new, or going on where it was interrupted.

    Raises `Refused` for what no subject here lists, and as `start_measuring`.
    """
    earlier = (
        Job.objects.filter(asked_with(asked_by=asked_by), kind=MeasuringRequest.kind).order_by("-pk").first()
    )
    if earlier is not None and (earlier.active or earlier.state == Job.State.DONE):
        return earlier.pk
    if earlier is not None and earlier.checkpoint:
        resume(principal=principal, job_id=earlier.pk)
        return earlier.pk
    row = Subject.objects.select_related("system").filter(name=taken.subject).first()
    if row is None:
        raise Refused(f"no subject {taken.subject!r} is registered on this machine")
    access = access_to(principal, row.system.slug)
    subject = registered_subject(slug=access.slug)
    _check(access, subject, taken)
    asked = {
        "workload",
        "repetitions",
        "half_width",
        "profile",
        "counts",
        "metric",
        "seed",
        "configurations",
        "revisions",
    }
    request = MeasuringRequest(asked_by=asked_by, **taken.model_dump(include=asked))
    return start_measuring(access=access, request=request)


def drop_unwanted(*, principal: Principal) -> None:
    """Cancel jobs that are begun here for another installation, when that has none for this machine: somebody else did them.

    Should one come again, it goes on where it was. Raises as `request_cancel`.
    """
    asked = Job.objects.filter(
        asked_with(asked_by__startswith="http"), kind=MeasuringRequest.kind, state__in=Job.ACTIVE
    )
    for job_id in list(asked.values_list("pk", flat=True)):
        request_cancel(principal=principal, job_id=job_id)


def _check(access: Access, subject: SubjectDefinition, taken: TakenJob) -> None:
    """Raise `Refused` unless everything that a taken job names is listed by the subject here, under just this name."""
    if taken.digest != subject.digest:
        raise Refused(
            f"the subject {subject.name} on this machine is another one: register the same folder on both"
        )
    if _environment(subject).digest != taken.environment:
        raise Refused("the environment of this machine has changed since it said what it may measure")
    for asked in taken.configurations:
        term = asked.partition("=")[0]
        if term in (ANALYSIS, *OLDER_APPROACHES, *DRAWN_SAMPLINGS) and term not in subject.options:
            raise Refused(f"{asked!r} is no configuration that the subject {subject.name} lists")
    missing = _unlisted(access, subject, taken)
    if missing:
        store_revisions(access=access, subject=subject)
        missing = _unlisted(access, subject, taken)
    if missing:
        raise Refused(f"the subject {subject.name} on this machine lists no revision {missing[0]!r}")


def _unlisted(access: Access, subject: SubjectDefinition, taken: TakenJob) -> list[str]:
    listed = {one.identifier for one in stored_revisions(slug=access.slug, subject=subject)}
    return [name for name in taken.revisions if name not in listed]


@contextmanager
def runs_of(job_id: int) -> Iterator[Path]:
    """A file with the runs of a job that has ended: a bundle of its batch. It is gone afterwards."""
    batch = SubjectCheckpoint.model_validate(Job.objects.get(pk=job_id).checkpoint).batch
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.zip"
        write_bundle(load_batch_records(Batch.objects.select_related("system").get(pk=batch)), path)
        yield path
