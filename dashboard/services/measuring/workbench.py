"""Making the runs of one job: revisions are prepared when their first run comes, every run is stored as it ends."""

import errno
import os
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Self

from dashboard.models import Batch, Job, System
from dashboard.selectors.histories.series import words
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.machine_watch import ClockWatch, MachineWatch
from dashboard.services.subjects import assignments_of
from runner.environments import Prepared, Unprepared, prepare
from runner.errors import MachineBusy
from runner.executions import Execution, execute
from runner.plans import PlannedRun
from runner.revisions import SourceRevision
from runner.state import RunnerState, measuring_lock
from runner.subjects import SubjectDefinition

_WAIT_SECONDS = 0.5


class Workbench:
    """The runs of one job, one after the other; `held` are the descriptors that subjects inherit.

    A context: at its end, runs that were made while the machine was noisy are marked.
    """

    def __init__(
        self,
        *,
        context: JobContext,
        subject: SubjectDefinition,
        state: RunnerState,
        batch: Batch,
        revisions: Sequence[SourceRevision],
        held: Sequence[int],
    ) -> None:
        self._context = context
        self._subject = subject
        self._state = state
        self._store = RunStore(batch=batch, subject=subject)
        self._revisions = {revision.identifier: revision for revision in revisions}
        self._held = held
        self._prepared: dict[str, Prepared | Unprepared] = {}
        self._watch = MachineWatch(context, batch)
        self._clock = ClockWatch()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._watch.close()

    def make(self, run: PlannedRun, *, profile: bool) -> Execution | Unprepared:
        """Make one run and store it, or that its revision cannot be built.

        Raises as `JobContext.check`, and `DiskFull`, `RepositoryGone`: no fault of the revision, and nothing is stored.
        """
        prepared = self.prepare(run.revision)
        if isinstance(prepared, Unprepared):
            with self._context.fenced():
                self._store.unprepared(run, prepared)
            return prepared
        self._watch.look()
        self._clock.jump()
        with room_on_disk(self._state):
            execution = execute(
                prepared, run, profile=profile, cancelled=self._context.cancelled, held=self._held
            )
        self._context.check()
        if jump := self._clock.jump():
            execution = self._marked(execution, jump)
        if execution.status != "ok":
            self._context.log(f"{self.in_words(run)}: {execution.status}: {execution.message}")
        with self._context.fenced():
            self._store.execution(execution)
        return execution

    def _marked(self, execution: Execution, jump: float) -> Execution:
        """The execution with a mark that the machine's clock jumped meanwhile; it stays valid."""
        said = f"the clock of the machine jumped by {jump:+.0f} s during this run"
        self._context.log(
            f"{self.in_words(execution.run)}: {said}; times are taken by clocks that do not jump"
        )
        return execution if execution.message else replace(execution, message=said)

    def count(self, run: PlannedRun) -> None:
        """Run once more with counters, and store what they showed. Raises as `JobContext.check`.

        The timed runs stay as they are: counters would cost some of their time. What is counted has no noise, so once
        is enough.
        """
        prepared = self.prepare(run.revision)
        if isinstance(prepared, Unprepared):
            return
        execution = execute(
            prepared, run, profile=False, mode="count", cancelled=self._context.cancelled, held=self._held
        )
        self._context.check()
        if execution.status != "ok":
            self._context.log(f"{self.in_words(run)}, counting: {execution.status}: {execution.message}")
            return
        with self._context.fenced():
            self._store.counts(execution, timed=True)

    def prepare(self, identifier: str) -> Prepared | Unprepared:
        """The environment of a revision, made on first use. Raises as `JobContext.check`."""
        if identifier not in self._prepared:
            self._context.log(f"preparing revision {identifier}")
            with room_on_disk(self._state):
                made = prepare(
                    self._subject,
                    self._revisions[identifier],
                    state=self._state,
                    cancelled=self._context.cancelled,
                )
                self._context.check()
                if isinstance(made, Unprepared) and os.strerror(errno.ENOSPC) in made.output:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if isinstance(made, Unprepared):
                self._context.log(f"revision {identifier} cannot be built: {made.message}")
            else:
                with self._context.fenced():
                    self._store.prepared(made)
            self._prepared[identifier] = made
        return self._prepared[identifier]

    def in_words(self, run: PlannedRun) -> str:
        """What a run is: "3.3.4, tables + toc, repetition 2"."""
        several = [name for name, option in self._subject.options.items() if len(option.levels) > 2]
        configuration = words(assignments_of(run.configuration, self._subject), several)
        return f"{run.revision}, {configuration}, repetition {run.repetition}"


class DiskFull(JobError):
    """No room is left where environments are kept."""


@contextmanager
def room_on_disk(state: RunnerState) -> Iterator[None]:
    """Say what to do where the disk is full: that is no fault of what is measured. Raises `DiskFull`."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise DiskFull(
            f"no room is left on the disk of {state.root}: free some, then resume the job; what was measured is kept"
        ) from error


def open_batch(context: JobContext, system: System, kind: str, manifest: Mapping[str, Any]) -> Batch:
    """The batch of a job, from its checkpoint or new. It is visible at once: results are looked at while they arrive."""
    known = Batch.objects.filter(pk=context.checkpoint.get("batch", 0), system=system).first()
    if known is not None:
        return known
    with context.fenced():
        batch = Batch.objects.create(
            system=system,
            format=kind,
            # Measuring the same again is no second import of the same: the digest is this batch's alone.
            digest=secrets.token_hex(32),
            source=f"job {context.job_id}",
            state=Batch.State.VISIBLE,
            manifest={
                "title": Job.objects.values_list("title", flat=True).get(pk=context.job_id),
                **manifest,
            },
        )
        context.save_checkpoint({"batch": batch.pk})
    return batch


@contextmanager
def bench_alone(
    *,
    context: JobContext,
    subject: SubjectDefinition,
    state: RunnerState,
    batch: Batch,
    revisions: Sequence[SourceRevision],
    share: float = 0.0,
) -> Iterator[Workbench]:
    """The workbench of a job that has the machine for itself, waited for; `share` of the job is done.

    Raises as `JobContext.check`.
    """
    with (
        alone(context, state, share) as held,
        Workbench(
            context=context, subject=subject, state=state, batch=batch, revisions=revisions, held=held
        ) as bench,
    ):
        yield bench


@contextmanager
def alone(context: JobContext, state: RunnerState, share: float) -> Iterator[tuple[int, ...]]:
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
