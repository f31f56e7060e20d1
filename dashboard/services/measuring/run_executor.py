"""Making the runs of one job: revisions are prepared when their first run comes, every run is stored as it ends."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analytics.configurations.identities import configuration_identity
from dashboard.models import Batch, CountedRun, Run
from dashboard.selectors.batch_manifests import save_manifest
from dashboard.selectors.configurations import words
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.machine_watch import (
    CLOCK_SECONDS,
    MachineWatch,
    clock_offset,
    reference_columns,
    strain_columns,
)
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.subjects import assignments_of
from runner.environments import Prepared, Unprepared
from runner.executions import Execution, execute
from runner.machine_state import machine_state
from runner.plans import PlannedRun
from runner.subjects import SubjectDefinition


class CompletedRuns:
    """The runs that the batch of a job holds, read once and kept as runs are made: an interrupted job repeats none."""

    def __init__(self, batch: Batch, subject: SubjectDefinition) -> None:
        self._subject = subject
        rows = batch.runs.filter(kind=Run.Kind.PLAIN).values_list(
            "revision__name", "configuration__identity", "repetition", "status"
        )
        self._status = {((revision, identity), at): status for revision, identity, at, status in rows}
        self._counted = set(
            CountedRun.objects.filter(batch=batch).values_list("revision__name", "configuration__identity")
        )

    def contains(self, run: PlannedRun) -> bool:
        """Whether the run was made, however it ended."""
        return (self.cell(run), run.repetition) in self._status

    def add(self, run: PlannedRun, made: Execution | Unprepared) -> None:
        """Remember a run that was just made."""
        self._status[self.cell(run), run.repetition] = made.status

    def needs_counting(self, run: PlannedRun) -> bool:
        """Whether to count after it: after the first repetition, if that ran to its end."""
        cell = self.cell(run)
        ended_well = self._status.get((cell, 1)) == Run.Status.OK
        return run.repetition == 1 and ended_well and cell not in self._counted

    @property
    def cells(self) -> set[tuple[str, str]]:
        """The cells of which a run was made."""
        return {cell for cell, _ in self._status}

    def cell(self, run: PlannedRun) -> tuple[str, str]:
        """The revision and the identity of the configuration."""
        return run.revision, configuration_identity(assignments_of(run.configuration, self._subject))


class RunExecutor:
    """Makes and stores the runs of one job, one after the other, on a machine that it has for itself.

    `configurations` and `revisions` are those that the `request` means, `batch`, from the job's checkpoint or new, holds
    the runs.
    """

    def __init__(self, context: JobContext, request: MeasuringRequest, manifest: Mapping[str, Any]) -> None:
        """Begin. Raises as `SubjectJob.select` and `JobContext.check`."""
        self.job = SubjectJob.begin(context)
        self.request = request
        self.configurations, self.revisions = self.job.select(request)
        self.batch = self.job.batch(manifest)
        self._context = context
        self._store = RunStore(batch=self.batch, subject=self.job.subject)
        self._prepared: dict[tuple[str, bool], Prepared | Unprepared] = {}
        self._watch = MachineWatch(context, pinned=self.job.subject.is_pinned)
        with context.fenced():
            save_manifest(self.batch, machine=(machine_state(),))

    def make(self, run: PlannedRun, *, profile: bool) -> Execution | Unprepared:
        """Make one run and store it, or that its revision cannot be built.

        Raises as `JobContext.check` and `SubjectJob.room_on_disk`, and `RepositoryGone`: no fault of the revision, and
        nothing is stored.
        """
        prepared = self.prepare(run.revision)
        if isinstance(prepared, Unprepared):
            with self._context.fenced():
                self._store.unprepared(run, prepared)
            return prepared
        before, clock, state = self._watch.before(), clock_offset(), machine_state()
        execution = self._execute(prepared, run, profile=profile)
        strain = strain_columns(state, machine_state())
        after = self._watch.after()
        if abs(jump := clock_offset() - clock) > CLOCK_SECONDS:
            note = f"the clock of the machine jumped by {jump:+.0f} s during this run"
            self._context.log(f"{self.in_words(run)}: {note}; times are taken by clocks that do not jump")
            # Marked, and still valid.
            execution = execution if execution.message else replace(execution, message=note)
        if execution.status != "ok":
            self._context.log(f"{self.in_words(run)}: {execution.status}: {execution.message}")
        with self._context.fenced():
            self._store.execution(execution, {**reference_columns(before, after), **strain})
        return execution

    def count(self, run: PlannedRun, *, alone: bool = False) -> Execution | Unprepared:
        """Run once with counters, and store what they showed; how it failed only if it is `alone`. Raises as `make`.

        Timed runs stay as they are: counters would cost some of their time. What is counted has no noise, so once
        is enough.
        """
        prepared = self.prepare(run.revision, counting=self.job.subject.counts_functions)
        if isinstance(prepared, Unprepared):
            if alone:
                with self._context.fenced():
                    self._store.unprepared(run, prepared)
            return prepared
        execution = self._execute(prepared, run, profile=False, mode="count")
        if execution.message:
            self._context.log(f"{self.in_words(run)}, counting: {execution.status}: {execution.message}")
        if execution.status == "ok" or alone:
            with self._context.fenced():
                self._store.counted(execution)
        return execution

    def _execute(self, prepared: Prepared, run: PlannedRun, **asked: Any) -> Execution:
        context = self._context
        with self.job.room_on_disk():
            execution = execute(prepared, run, cancelled=context.cancelled, held=context.held, **asked)
        context.check()
        return execution

    def prepare(self, identifier: str, *, counting: bool = False) -> Prepared | Unprepared:
        """The environment of a revision, made on first use. Raises as `SubjectJob.prepare`."""
        if (identifier, counting) not in self._prepared:
            (revision,) = (one for one in self.revisions if one.identifier == identifier)
            made = self.job.prepare(revision, counting=counting)
            if isinstance(made, Unprepared):
                how = " with counters" if counting else ""
                self._context.log(f"revision {identifier} cannot be built{how}: {made.message}")
            else:
                with self._context.fenced():
                    self._store.prepared(made)
            self._prepared[identifier, counting] = made
        return self._prepared[identifier, counting]

    def in_words(self, run: PlannedRun) -> str:
        """The run in words: "3.3.4, tables + toc, repetition 2"."""
        subject = self.job.subject
        several = [name for name, option in subject.options.items() if len(option.levels) > 2]
        configuration = words(assignments_of(run.configuration, subject), several)
        return f"{run.revision}, {configuration}, repetition {run.repetition}"
