"""Making the runs of an analysis: each a fresh process, and of the first ones which share of their time is not counted."""

import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.analysis_counts import Row
from runner.environments import Prepared, Unprepared
from runner.executions import Execution, Mode, execute
from runner.plans import PlannedRun
from runner.source_revisions import SourceRevision
from runner.uncounted import sampler_of

# A command is sampled until so many samples tell where its time is, but not more often than this; of fewer nothing is told.
_ENOUGH_SAMPLES, _FEWEST_SAMPLES, _MOST_SAMPLED = 100, 20, 8


class AnalysisRuns:
    """Runs a prepared revision on one workload, traced with `weak` updates or without; `plain` is what can be sampled of a command."""

    def __init__(
        self,
        job: SubjectJob,
        prepared: Prepared,
        configurations: SubjectConfigurations,
        *,
        workload: str,
        weak: bool,
        plain: Prepared | None,
    ) -> None:
        self._context, self._prepared, self._plain = job.context, prepared, plain
        self._configurations, self._workload, self._weak = configurations, workload, weak

    def make(self, row: Row, mode: Mode, position: int, until: float) -> Execution:
        """What came of a run, which is stopped at this monotonic time; what failed is logged. Raises as `JobContext.check`."""
        return self._execute(self._prepared, row, mode, position=position, until=until)

    def make_watched(self, row: Row, position: int, until: float) -> Execution:
        """A run that counts, with the shares of its time that no counter sees: of Python from this run, of a command from one more."""
        if not self._prepared.notes:
            return self._execute(self._prepared, row, "count", position=position, until=until, uncounted=())
        execution = self.make(row, "count", position, until)
        counts = execution.result.counts
        if self._plain is None or counts is None:
            return execution
        names = {one.qualified_name for one in counts.functions.values()}
        found, samples = Counter[str](), 0
        for _ in range(_MOST_SAMPLED):
            sampled = self._execute(
                self._plain, row, "sample", position=position, until=until, uncounted=names
            ).result
            samples += sampled.samples
            found.update({name: share * sampled.samples for name, share in (sampled.uncounted or {}).items()})
            if samples >= _ENOUGH_SAMPLES or not sampled.samples:
                break
        if samples < _FEWEST_SAMPLES:
            return execution
        shares = {name: amount / samples for name, amount in found.most_common()}
        return replace(execution, result=execution.result.model_copy(update={"uncounted": shares}))

    def _execute(
        self,
        prepared: Prepared,
        row: Row,
        mode: Mode,
        *,
        position: int,
        until: float,
        uncounted: Collection[str] | None = None,
    ) -> Execution:
        run = PlannedRun(
            position=position,
            revision=prepared.revision.identifier,
            configuration=self._configurations.configuration(row),
            workload=self._workload,
            repetition=1,
        )
        execution = execute(
            prepared,
            run,
            profile=False,
            mode=mode,
            weak=self._weak,
            cancelled=lambda: self._context.cancelled() or time.monotonic() > until,
            held=self._context.held,
            uncounted=uncounted,
        )
        self._context.check()
        if execution.status not in {"ok", "cancelled"}:
            word = self._configurations.word(row)
            self._context.log(f"{word}: {execution.status}: {execution.message} {execution.place}".rstrip())
        return execution


def build_to_sample(job: SubjectJob, revision: SourceRevision) -> Prepared | str:
    """The plain build of a command, where this machine lets its time be sampled; or why it cannot be. Raises as `SubjectJob.prepare`."""
    sampler = sampler_of(job.state, job.state.root)
    why = sampler if isinstance(sampler, str) else sampler.refusal()
    if why:
        return why
    made = job.prepare(revision)
    return f"its plain build: {made.message}" if isinstance(made, Unprepared) else made
