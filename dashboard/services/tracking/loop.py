"""The loop of a tracking job: fit what is known, choose the next revision, measure it, note why."""

import time
from collections.abc import Callable
from dataclasses import replace

from django.db.models import QuerySet

from dashboard.models import Batch, Revision, Run
from dashboard.selectors.batch_manifests import TrackingStep, manifest_of, save_manifest
from dashboard.selectors.histories.next_revisions import unbuildable_revisions
from dashboard.selectors.histories.tracking_logs import MEASURED
from dashboard.selectors.job_checkpoints import IntendedRuns, changed_checkpoint, read_checkpoint
from dashboard.services.measuring.run_executor import RunExecutor
from dashboard.services.tracking.choosing import TrackingState, choose
from dashboard.services.tracking.tracked_series import TrackedSeries
from runner.environments import Unprepared
from runner.plans import PlannedRun


class TrackingLoop:
    """One job's choices, one after the other; the decision log stands in the batch's manifest.

    Every choice is run `repetitions` times. `begin` gives what is tracked, before anything was measured; it is asked again
    where a build shows which revisions are the same program.
    """

    def __init__(
        self,
        *,
        series: TrackedSeries,
        executor: RunExecutor,
        batch: Batch,
        repetitions: int,
        begin: Callable[[], TrackingState],
    ) -> None:
        self._context = series.job.context
        self._series = series
        self._executor = executor
        self._batch = batch
        self._repetitions = repetitions
        self._begin = begin
        self._begun = begin()

    def run(self) -> str:
        """Measure until something ends it; says what did. Raises as `JobContext.check`."""
        # What is missing of the choice at which this job was interrupted: none is made twice, none forgotten.
        if (interrupted := read_checkpoint(self._context.checkpoint).intended) is not None:
            self._measure(interrupted)
        while True:
            state = self.state()
            choice = choose(state)
            if isinstance(choice, str):
                return choice
            version, step = choice
            # How much of the budget or of the count is used up.
            by_time = state.spent / state.rule.budget if state.rule.budget else 0.0
            by_count = len(state.taken) / state.rule.most if state.rule.most else 0.0
            self._context.progress(min(max(by_time, by_count), 1.0), f"{version.title}: {step.reason}")
            earlier = self._runs(step.revision).count()
            intended = IntendedRuns(
                revision=step.revision,
                reason=step.reason,
                gain=step.gain,
                equal=step.equal,
                title=version.title,
                first=earlier + 1,
                last=earlier + self._repetitions,
                is_new=version.position not in state.measured,
            )
            self._context.save_checkpoint(changed_checkpoint(self._context.checkpoint, intended=intended))
            self._measure(intended)

    def state(self) -> TrackingState:
        """What is known now."""
        # The revisions that were tried and never ran, anywhere, and those of which a run failed in this job.
        tried = unbuildable_revisions(system=self._series.job.system, workload=self._series.workload)
        failed = {
            *Revision.objects.filter(pk__in=tried).values_list("name", flat=True),
            *self._batch.runs.exclude(status=Run.Status.OK).values_list("revision__name", flat=True),
        }
        measured = [step for step in manifest_of(self._batch).trail if step.outcome == MEASURED]
        return replace(
            self._begun,
            sessions=self._series.sessions(),
            failed=failed,
            latest=measured[-1].revision if measured else "",
            taken=[step.seconds for step in measured],
            spent=self._spent,
        )

    @property
    def _spent(self) -> float:
        return read_checkpoint(self._context.checkpoint).spent

    def _measure(self, intended: IntendedRuns) -> None:
        """Make the runs that a choice asks for, and note what came of it."""
        started = time.monotonic()
        outcome = self._outcome(intended)
        step = TrackingStep(
            revision=intended.revision,
            reason=intended.reason,
            gain=intended.gain,
            equal=intended.equal,
            seconds=time.monotonic() - started,
            outcome=outcome,
        )
        with self._context.fenced():
            save_manifest(self._batch, trail=(*manifest_of(self._batch).trail, step))
            self._context.save_checkpoint(
                changed_checkpoint(self._context.checkpoint, spent=self._spent + step.seconds, intended=None)
            )
        self._context.log(f"{intended.title}: {outcome} in {step.seconds:.1f} s; {step.reason}")

    def _outcome(self, intended: IntendedRuns) -> str:
        runs = self._runs(intended.revision).filter(repetition__gte=intended.first)
        made = list(runs.values_list("status", flat=True))
        if any(status != Run.Status.OK for status in made):
            return "failed"
        if not made and intended.is_new and self._is_built_alike(intended.revision):
            return "same build"
        for repetition in range(intended.first + len(made), intended.last + 1):
            run = PlannedRun(
                0, intended.revision, self._series.configuration, self._series.workload, repetition
            )
            result = self._executor.make(run, profile=False)
            if isinstance(result, Unprepared):
                return "not built"
            if result.status != "ok":
                return "failed"
        return MEASURED

    def _is_built_alike(self, revision: str) -> bool:
        """Whether the build of a revision made the same program as that of one that was measured."""
        if not self._series.job.subject.install.built or isinstance(
            self._executor.prepare(revision), Unprepared
        ):
            return False
        self._begun = self._begin()
        return self._begun.order.codes[revision] in self.state().by_code

    def _runs(self, revision: str) -> QuerySet[Run]:
        return self._batch.runs.filter(
            kind=Run.Kind.PLAIN, revision__name=revision, configuration__identity=self._series.identity
        )
