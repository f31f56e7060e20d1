"""Measuring a registered subject: a job that makes every planned run and stores it as it comes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from dashboard.access import Permission, Principal, require
from dashboard.models import Batch, Job, Run, System
from dashboard.services.executions import RunStore
from dashboard.services.exhaustive import refresh_exhaustive_analyses
from dashboard.services.identities import configuration_identity
from dashboard.services.job_context import JobContext
from dashboard.services.jobs import JobId, enqueue
from dashboard.services.subjects import (
    assignments_of,
    registered_subject,
    runner_state,
    store_revisions,
)
from dashboard.services.term_points import refresh_term_points
from runner.environments import Prepared, Unprepared, prepare
from runner.executions import execute
from runner.plans import PlannedRun, plan
from runner.revisions import Revision, select_revisions
from runner.selections import configurations as select_configurations
from runner.state import State, measuring_lock
from runner.subjects import Subject

KIND = "measure"
MOST_RUNS = 100_000


class MeasuringError(ValueError):
    """A measurement cannot be started as asked."""


@dataclass(frozen=True, slots=True)
class MeasuringRequest:
    """What is to be measured, in the words of the selections of `runner`."""

    configurations: tuple[str, ...] = ("default",)
    revisions: tuple[str, ...] = ("latest",)
    repetitions: int = 5
    workload: str = "regular"
    profile: bool = True
    seed: int = 0


def start_measuring(*, principal: Principal, slug: str, request: MeasuringRequest) -> JobId:
    """Queue the measurement of a system's registered subject; the selection is checked first.

    Needs the role editor. Raises `runner.errors.SelectionInvalid` and `RevisionsUnavailable`, `SubjectError`,
    `MeasuringError`, `NotFound` and `Forbidden`.
    """
    system = require(principal, slug, Permission.EDIT)
    subject = registered_subject(slug=slug)
    revisions = select_revisions(store_revisions(principal=principal, slug=slug), request.revisions)
    runs = _plan(subject, revisions, request)
    if len(runs) > MOST_RUNS:
        raise MeasuringError(
            f"{len(runs)} runs are more than {MOST_RUNS}: select fewer configurations or revisions"
        )
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Measure {subject.name}: {_counted(runs)}",
        parameters={
            "configurations": list(request.configurations),
            "revisions": [revision.identifier for revision in revisions],
            "repetitions": request.repetitions,
            "workload": request.workload,
            "profile": request.profile,
            "seed": request.seed,
        },
        system=system,
        queue=Job.Queue.MEASURE,
    )


def measure(context: JobContext) -> dict[str, Any]:
    """The kind of job that makes the runs; resumed, it leaves out those that are stored already."""
    system = System.objects.get(jobs=context.job_id)
    request = _request(context.parameters)
    subject = registered_subject(slug=system.slug)
    found = store_revisions(principal=Principal.operator(), slug=system.slug)
    revisions = select_revisions(found, request.revisions)
    runs = _plan(subject, revisions, request)
    batch = _batch(system, context.job_id, request)
    store = RunStore(batch=batch, subject=subject)
    state = runner_state()
    with measuring_lock(state) as lock:
        work = _Work(
            context=context,
            subject=subject,
            state=state,
            store=store,
            revisions={revision.identifier: revision for revision in revisions},
            lock=lock,
        )
        work.make(runs, done=_stored(batch), profile=request.profile)
    with transaction.atomic():
        analyses = refresh_exhaustive_analyses(system=system, batch=batch)
        refresh_term_points(system=system, batch=batch)
    counts = {
        status: batch.runs.filter(status=status, kind=Run.Kind.PLAIN).count() for status in Run.Status.values
    }
    return {"runs": counts, "analyses": analyses}


class _Work:
    """The runs of one job, one after the other. A revision is prepared when its first run comes."""

    def __init__(
        self,
        *,
        context: JobContext,
        subject: Subject,
        state: State,
        store: RunStore,
        revisions: dict[str, Revision],
        lock: int,
    ) -> None:
        self._context = context
        self._subject = subject
        self._state = state
        self._store = store
        self._revisions = revisions
        self._lock = lock
        self._prepared: dict[str, Prepared | Unprepared] = {}

    def make(self, runs: Sequence[PlannedRun], *, done: set[tuple[str, str, int]], profile: bool) -> None:
        for run in runs:
            if _key(run, self._subject) in done:
                continue
            self._context.progress(run.position / len(runs), _in_words(run, self._subject))
            prepared = self._prepare(run.revision)
            if isinstance(prepared, Unprepared):
                with self._context.fenced():
                    self._store.unprepared(run, prepared)
                continue
            execution = execute(
                prepared, run, profile=profile, cancelled=self._context.cancelled, held=(self._lock,)
            )
            self._context.check()
            if execution.status != "ok":
                self._context.log(f"{_in_words(run, self._subject)}: {execution.status}: {execution.message}")
            with self._context.fenced():
                self._store.execution(execution)

    def _prepare(self, identifier: str) -> Prepared | Unprepared:
        if identifier not in self._prepared:
            self._context.log(f"preparing revision {identifier}")
            made = prepare(
                self._subject,
                self._revisions[identifier],
                state=self._state,
                cancelled=self._context.cancelled,
            )
            self._context.check()
            if isinstance(made, Unprepared):
                self._context.log(f"revision {identifier} cannot be built: {made.message}")
            self._prepared[identifier] = made
        return self._prepared[identifier]


def _plan(
    subject: Subject, revisions: Sequence[Revision], request: MeasuringRequest
) -> tuple[PlannedRun, ...]:
    return plan(
        subject,
        select_configurations(subject, request.configurations),
        [revision.identifier for revision in revisions],
        repetitions=request.repetitions,
        seed=request.seed,
        workload=request.workload,
    )


def _request(parameters: dict[str, Any]) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=tuple(parameters["configurations"]),
        revisions=tuple(parameters["revisions"]),
        repetitions=parameters["repetitions"],
        workload=parameters["workload"],
        profile=parameters["profile"],
        seed=parameters["seed"],
    )


def _batch(system: System, job_id: int, request: MeasuringRequest) -> Batch:
    """The job's batch. It is visible from the start: results are looked at while they arrive."""
    batch, _ = Batch.objects.get_or_create(
        system=system,
        digest=hashlib.sha256(f"job {job_id}".encode()).hexdigest(),
        defaults={
            "format": KIND,
            "source": f"job {job_id}",
            "state": Batch.State.VISIBLE,
            "manifest": {"seed": request.seed, "repetitions": request.repetitions},
        },
    )
    return batch


def _stored(batch: Batch) -> set[tuple[str, str, int]]:
    rows = batch.runs.filter(kind=Run.Kind.PLAIN)
    return set(rows.values_list("revision__name", "configuration__identity", "repetition"))


def _key(run: PlannedRun, subject: Subject) -> tuple[str, str, int]:
    identity = configuration_identity(assignments_of(run.configuration, subject))
    return run.revision, identity, run.repetition


def _counted(runs: Sequence[PlannedRun]) -> str:
    revisions = {run.revision for run in runs}
    configurations = {run.configuration for run in runs}
    parts = (
        (len(configurations), "configuration"),
        (len(revisions), "revision"),
        (max(run.repetition for run in runs), "repetition"),
    )
    return " × ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in parts)


def _in_words(run: PlannedRun, subject: Subject) -> str:
    switched = assignments_of(run.configuration, subject)
    words = " + ".join(f"{name} = {label}" if label != "on" else name for name, label in switched.items())
    return f"{run.revision}, {words or 'default'}, repetition {run.repetition}"
