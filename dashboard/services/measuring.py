"""Measuring a registered subject: a job that makes every planned run and stores it as it comes."""

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import transaction

from dashboard.access import Permission, Principal, require
from dashboard.models import Batch, Job, Run, System
from dashboard.selectors.series import words
from dashboard.services.executions import RunStore
from dashboard.services.exhaustive import refresh_exhaustive_analyses
from dashboard.services.identities import configuration_identity
from dashboard.services.job_context import JobContext
from dashboard.services.jobs import JobId, enqueue
from dashboard.services.measuring_plans import (
    MeasuringError,
    MeasuringRequest,
    Selected,
    planned_runs,
    select,
)
from dashboard.services.subjects import (
    assignments_of,
    registered_subject,
    runner_state,
    store_revisions,
    stored_revisions,
)
from dashboard.services.term_points import refresh_term_points
from runner.environments import Prepared, Unprepared, prepare
from runner.errors import MachineBusy
from runner.executions import execute
from runner.plans import PlannedRun
from runner.revisions import Revision
from runner.state import State, measuring_lock
from runner.subjects import Subject

__all__ = ["KIND", "MeasuringError", "MeasuringRequest", "measure", "start_measuring"]

KIND = "measure"
# Beyond so many configurations a grid of the plan shows nothing, and the job's row need not hold them.
MOST_PLANNED = 1_000
_WAIT_SECONDS = 0.5


def start_measuring(
    *, principal: Principal, slug: str, request: MeasuringRequest, look_again: bool = False
) -> JobId:
    """Queue the measurement of a system's registered subject; the selection is checked first.

    With `look_again` it is asked where the revisions come from, which may take a while; else those listed last count.
    Needs the role editor. Raises `RequestInvalid` and other `MeasuringError`, `SubjectError`, `NotFound`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    system = require(principal, slug, Permission.EDIT)
    subject = registered_subject(slug=slug)
    known = () if look_again else stored_revisions(slug=slug, subject=subject)
    if not known or not system.revisions.filter(name=known[-1].identifier).exists():
        known = store_revisions(principal=principal, slug=slug)
    selected = select(subject, known, request)
    planned = [assignments_of(configuration, subject) for configuration in selected.configurations]
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Measure {subject.name}: {_counted(selected)}",
        parameters={
            "configurations": list(request.configurations),
            "revisions": [revision.identifier for revision in selected.revisions],
            "repetitions": request.repetitions,
            "workload": request.workload,
            "profile": request.profile,
            "seed": request.seed,
            "planned": planned if len(planned) <= MOST_PLANNED else [],
        },
        system=system,
        queue=Job.Queue.MEASURE,
    )


def measure(context: JobContext) -> dict[str, Any]:
    """The kind of job that makes the runs; resumed, it leaves out those that are stored already."""
    system = System.objects.get(jobs=context.job_id)
    request = _request(context.parameters)
    subject = registered_subject(slug=system.slug)
    selected = select(subject, stored_revisions(slug=system.slug, subject=subject), request)
    batch = _batch(context, system, request)
    state = runner_state()
    share = context.checkpoint.get("position", 0) / selected.runs
    with _alone(context, state, share) as held:
        work = _Work(
            context=context,
            subject=subject,
            state=state,
            batch=batch,
            revisions=selected.revisions,
            held=held,
        )
        work.make(planned_runs(subject, selected, request), done=_stored(batch), profile=request.profile)
    counts = {
        status: batch.runs.filter(status=status, kind=Run.Kind.PLAIN).count() for status in Run.Status.values
    }
    failed = sum(counts.values()) - counts[Run.Status.OK]
    context.progress(1.0, f"{sum(counts.values())} runs, {failed or 'none'} failed")
    with transaction.atomic():
        analyses = refresh_exhaustive_analyses(system=system, batch=batch)
        refresh_term_points(system=system, batch=batch)
    return {"runs": counts, "analyses": analyses}


class _Work:
    """The runs of one job, one after the other. A revision is prepared when its first run comes."""

    def __init__(
        self,
        *,
        context: JobContext,
        subject: Subject,
        state: State,
        batch: Batch,
        revisions: Sequence[Revision],
        held: Sequence[int],
    ) -> None:
        self._context = context
        self._subject = subject
        self._state = state
        self._batch = batch
        self._store = RunStore(batch=batch, subject=subject)
        self._revisions = {revision.identifier: revision for revision in revisions}
        self._held = held
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
            else:
                self._execute(prepared, run, profile=profile)
            # A job that gets on may be interrupted any number of times.
            self._context.save_checkpoint({"batch": self._batch.pk, "position": run.position})

    def _execute(self, prepared: Prepared, run: PlannedRun, *, profile: bool) -> None:
        execution = execute(
            prepared, run, profile=profile, cancelled=self._context.cancelled, held=self._held
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
            else:
                self._store.released(made.revision)
            self._prepared[identifier] = made
        return self._prepared[identifier]


@contextmanager
def _alone(context: JobContext, state: State, share: float) -> Iterator[tuple[int, ...]]:
    """Hold the runner's lock, and yield the descriptors that subjects inherit; `share` of the job is done.

    A subject that outlived its worker holds the lock still: it is waited for. Raises as `JobContext.check`.
    """
    with ExitStack() as stack:
        lock: int | None = None
        while lock is None:
            try:
                lock = stack.enter_context(measuring_lock(state))
            except MachineBusy:
                context.progress(share, "waiting for an earlier measurement on this machine to end")
                time.sleep(_WAIT_SECONDS)
        yield (lock,) if context.machine_lock is None else (lock, context.machine_lock)


def _request(parameters: Mapping[str, Any]) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=tuple(parameters["configurations"]),
        revisions=tuple(parameters["revisions"]),
        repetitions=parameters["repetitions"],
        workload=parameters["workload"],
        profile=parameters["profile"],
        seed=parameters["seed"],
    )


def _batch(context: JobContext, system: System, request: MeasuringRequest) -> Batch:
    """The job's batch, from its checkpoint. It is visible from the start: results are looked at while they arrive."""
    known = Batch.objects.filter(pk=context.checkpoint.get("batch", 0), system=system).first()
    if known is not None:
        return known
    with context.fenced():
        batch = Batch.objects.create(
            system=system,
            format=KIND,
            # Measuring the same again is no second import of the same: the digest is this batch's alone.
            digest=secrets.token_hex(32),
            source=f"job {context.job_id}",
            state=Batch.State.VISIBLE,
            manifest={
                "title": Job.objects.values_list("title", flat=True).get(pk=context.job_id),
                "seed": request.seed,
                "repetitions": request.repetitions,
                "profile": request.profile,
                "workload": request.workload,
                "configurations": list(request.configurations),
            },
        )
        context.save_checkpoint({"batch": batch.pk, "position": 0})
    return batch


def _stored(batch: Batch) -> set[tuple[str, str, int]]:
    rows = batch.runs.filter(kind=Run.Kind.PLAIN)
    return set(rows.values_list("revision__name", "configuration__identity", "repetition"))


def _key(run: PlannedRun, subject: Subject) -> tuple[str, str, int]:
    identity = configuration_identity(assignments_of(run.configuration, subject))
    return run.revision, identity, run.repetition


def _counted(selected: Selected) -> str:
    parts = (
        (len(selected.configurations), "configuration"),
        (len(selected.revisions), "revision"),
        (selected.repetitions, "repetition"),
    )
    return " × ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in parts)


def _in_words(run: PlannedRun, subject: Subject) -> str:
    return f"{run.revision}, {words(assignments_of(run.configuration, subject))}, repetition {run.repetition}"
