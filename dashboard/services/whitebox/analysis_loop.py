"""The loop of an analysis: choose a configuration, trace or count it in a fresh process, keep what it showed."""

import math
import time
from collections.abc import Collection
from itertools import chain

from django.db.models import F

from analytics.whitebox.decisions import AS_PUBLISHED, Decision, Extensions
from analytics.whitebox.dependencies import reached_decisions
from analytics.whitebox.exploration import configurations_left, next_configuration
from analytics.whitebox.refinement import SETTLED_AFTER, first_to_count, next_runs
from analytics.whitebox.remaining_time import Kind
from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, WhiteBoxAnalysis
from dashboard.services.jobs.context import Cancelled, Interrupted, Paused
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.analysis_counts import AnalysisCounts, Row, in_packages
from dashboard.services.whitebox.analysis_progress import BEYOND_LIMIT, AnalysisProgress
from dashboard.services.whitebox.analysis_runs import AnalysisRuns
from dashboard.services.whitebox.analysis_state import AnalysisState
from dashboard.services.whitebox.run_results import ended_run, result_of_run
from runner.environments import Prepared
from runner.executions import Execution, Mode
from runner.selections import configurations

# Counting takes a small part of the time of tracing: so many runs may only count for each that may be traced.
COUNTED_PER_TRACED = 4
# Of the seconds of an analysis so many may go into saving what counted runs added; a traced run is saved at once.
_SAVING = 0.03
# So many seconds a page shows the same at most, however long saving takes.
_SILENT = 15.0
# Runs again tell what is never the same twice where nothing is traced. A thread may count one of two numbers by chance.
_NATIVE_AGAIN = 4


class AnalysisLoop:
    """Traces and counts into the analysis of one batch, stored as it gets on; made anew, it goes on from there.

    `result` is what all runs showed, `state` what follows from it. `plain` is the build of a command without counters, or why its
    time cannot be sampled.
    """

    def __init__(
        self,
        job: SubjectJob,
        batch: Batch,
        prepared: Prepared,
        *,
        workload: str,
        extensions: Extensions,
        tracing: bool = True,
        plain: Prepared | str = "",
    ) -> None:
        subject = job.subject
        self._job, self._context, self._batch, self._prepared = job, job.context, batch, prepared
        self._revision = job.system.revisions.get(name=prepared.revision.identifier)
        self._workload = job.system.workloads.get(name=workload)
        self._packages, self._extensions, self._tracing = tuple(subject.regions), extensions, tracing
        self._configurations = SubjectConfigurations.of(job.system, subject)
        self._runner = AnalysisRuns(
            job,
            prepared,
            self._configurations,
            workload=workload,
            weak=extensions != AS_PUBLISHED,
            plain=None if isinstance(plain, str) else plain,
        )
        self._store = RunStore(batch=batch, subject=subject)
        own = None if prepared.notes else self._packages
        self._counts = AnalysisCounts(self._configurations, own, batch, self._revision)
        stored = WhiteBoxAnalysis.objects.filter(batch=batch).first()
        self.result = stored.result if stored else WhiteBoxResult.of_options(subject.options)
        if isinstance(plain, str) and plain:
            self.result = self.result.model_copy(update={"unsampled": plain})
        self._known: AnalysisState | None = None
        self._to_count_next: list[Row] = []
        self._traced_ahead: dict[Row, Execution] = {}
        self._began = time.monotonic() - job.checkpoint.spent
        self._saved, self._saving = time.monotonic(), 0.0
        if later := self._counts.recovered(self.result):
            self.result = self.result.model_copy(update={"counted": (*self.result.counted, *later)})
        self._progress = AnalysisProgress(job.context, self.result, tracing=tracing)
        self._decisions = self._decided()

    @property
    def state(self) -> AnalysisState:
        """What follows from all runs so far, found when it is asked for."""
        if self._known is None:
            self._known = self._state()
        return self._known

    def run(self, budget: int, minutes: float | None) -> None:
        """Trace and count until every subspace was seen and no residual variation is left; sets `result.ended`.

        That is "complete", or "budget" after so many traced configurations, or "minutes" of wall time. Raises as
        `JobContext.check`.
        """
        try:
            ended = self._runs(budget, None if minutes is None else 60 * minutes)
        except (Cancelled, Paused, Interrupted, KeyboardInterrupt):
            self._save()
            raise
        self.result = self.result.model_copy(
            update={"ended": ended, "unexecuted_packages": self.state.unexecuted(self._packages)}
        )
        self._save()

    def _runs(self, budget: int, limit: float | None) -> str:
        """Make runs until there is a reason to end, which is returned; `limit` is in seconds of wall time."""
        while True:
            begun = time.monotonic()
            kind: Kind = "count"
            row = self._to_count(budget)
            if row is None:
                row, kind = self._to_trace(), "taint"
            self._progress.report(self.state.coverage, self.result, self._spent, limit)
            if row is None:
                return "complete"
            if kind == "taint" and len(self.result.runs) >= budget:
                return "budget"
            ahead = self._traced_ahead.pop(row, None) if kind == "taint" else None
            if ahead is None and self._made and self._progress.would_pass(kind, self._spent, limit):
                return "minutes"
            execution = ahead or self._execute(row, kind, limit)
            if execution.status == "cancelled":
                return "minutes"
            if kind == "count":
                self._count(row, execution)
            else:
                self._trace(row, execution, budget)
            if ahead is None:
                self._ended(kind, row, begun)
            if self._tracing and self._progress.may_try_tracing(self.result, limit):
                self._progress.report(self.state.coverage, self.result, self._spent, limit)
                begun = time.monotonic()
                self._traced_ahead[row] = self._execute(row, "taint", limit)
                self._ended("taint", row, begun)

    def _ended(self, kind: Kind, row: Row, begun: float) -> None:
        self._progress.ended(kind, time.monotonic() - begun, work=self._counts.work(row))

    @property
    def _spent(self) -> float:
        """The seconds of wall time so far, those before an interruption too."""
        return time.monotonic() - self._began

    @property
    def _made(self) -> bool:
        return bool(self.result.runs or self.result.counted)

    def _to_count(self, budget: int) -> Row | None:
        """What moves one option, then what lies between counts that differ, and then what moves one option elsewhere.

        All of that comes before anything is traced. Some are chosen at a time, more as more is known.
        """
        if not self._to_count_next:
            self._to_count_next = self._choose_to_count(budget)
        return self._to_count_next.pop(0) if self._to_count_next else None

    def _choose_to_count(self, budget: int) -> list[Row]:
        if self._extensions == AS_PUBLISHED:
            return []
        tried = dict.fromkeys(self._configurations.row(run.levels) for run in self.result.counted)
        space, valid = self._configurations.space, self._configurations.valid
        allowed = COUNTED_PER_TRACED * budget - len(tried)
        traced = (self._configurations.row(run.levels) for run in self.result.traced)
        first = dict.fromkeys((*first_to_count(space, valid), *traced))
        rows, at_once = [row for row in first if row not in tried][: max(allowed, 0)], len(first)
        if not rows and allowed > 0:
            told = self.state.evidence, valid, [*tried], len(first), allowed
            rows, at_once = next_runs(*told, refuting=self._tracing)
        self._progress.left.plan_counting(min(self._expected(rows, tried, first), max(allowed, 0)))
        return rows[:at_once]

    def _expected(self, rows: Collection[Row], tried: Collection[Row], first: Collection[Row]) -> float:
        """How many counted runs are to come, where `rows` are those that are planned so far."""
        search, moved = self._progress.left.search_on, len(first)
        if self.result.runs:
            # What is traced later is counted, too, and leads to no such search of its own.
            return len(rows)
        if len(tried) < moved:
            return len(rows) + search(0, moved, moved)
        proved = [*chain.from_iterable(self.state.evidence.by_statement.values())]
        self._progress.left.options_count(len(set(proved)))
        expected = search(len(proved), len(tried), moved)
        return expected if len(rows) >= SETTLED_AFTER * moved else len(rows)

    def _to_trace(self) -> Row | None:
        if not self._tracing or (
            self.result.counted and not any(run.succeeded for run in self.result.counted)
        ):
            return None
        row = next_configuration(self.state.exploration, self._configurations.valid)
        if row is not None or self.state.succeeded:
            return None if row is None else tuple(row.tolist())
        # Nothing is known yet, because all have failed: try those with one option moved.
        for configuration in configurations(self._configurations.subject, ["feature-wise"]):
            moved = self._configurations.row(configuration.texts)
            if moved not in self.state.exploration.executed:
                return moved
        return None

    def _trace(self, row: Row, execution: Execution, budget: int) -> None:
        self.result = self.result.with_run(result_of_run(execution, self._configurations.labels(row)))
        self._decisions = self._decided()
        is_new = self._take(row, execution)
        self._known = None
        self._save(row, execution if is_new else None)
        most = budget - len(self.result.runs)
        more = configurations_left(self.state.exploration, self._configurations.valid, most)
        self._progress.left.plan_tracing(more)

    def _count(self, row: Row, execution: Execution) -> None:
        self._take(row, execution)
        run = ended_run(execution, self._configurations.labels(row))
        self.result = self.result.model_copy(update={"counted": (*self.result.counted, run)})
        is_first, threads = len(self.result.counted) == 1, self._job.subject.counting.threads
        again = (_NATIVE_AGAIN if self._prepared.notes else 1) if is_first else int(threads)
        for _ in range(again if run.succeeded and not self._tracing else 0):
            self._take(row, self._runner.make(row, "count", 0, math.inf))
        # What follows is found anew where it is asked for: with the last of those that were chosen together.
        if not self._to_count_next:
            self._known = None
        since = time.monotonic() - self._saved
        if self._saving <= _SAVING * since or since > _SILENT or execution.status != "ok":
            self._known = None
            self._save(row, execution)
        else:
            with self._context.fenced():
                self._store.counts(execution, self._counts.of(row))

    def _take(self, row: Row, execution: Execution) -> bool:
        """Take over what a run counted, if it is the first one of its configuration; whether it is.

        What another run counted else is no evidence: the program saw that it was traced, or is never the same twice.
        """
        if execution.result.counts is None:
            return False
        is_new = row not in self._counts
        differing = self._counts.take(row, execution.result.counts.by_site)
        if not differing <= set(self.result.nondeterministic):
            found = tuple(sorted(differing.union(self.result.nondeterministic)))
            self.result = self.result.model_copy(update={"nondeterministic": found})
            self._known = None
        return is_new

    def _execute(self, row: Row, mode: Mode, limit: float | None) -> Execution:
        """What came of a run, which is stopped shortly after `limit`.

        Of the first run that counts, and of those that differ from it in one option, it is found out which share is not counted.
        """
        # The first run of all is made in any case: an analysis without one says nothing.
        until = self._began + BEYOND_LIMIT * limit if limit and self._made else math.inf
        counted = self.result.counted
        first = self._configurations.row(counted[0].levels) if counted else row
        near = sum(one != other for one, other in zip(row, first, strict=True)) <= 1
        if mode == "count" and near and self._extensions != AS_PUBLISHED:
            return self._runner.make_watched(row, len(self.result.runs), until)
        return self._runner.make(row, mode, len(self.result.runs), until)

    def _save(self, row: Row = (), execution: Execution | None = None) -> None:
        """Store a run with all that follows, in one transaction: it is there wholly or not at all."""
        begun = time.monotonic()
        # What an evaluation held against all configurations were the claims before this run.
        self.result = self.result.model_copy(update={**self.state.findings, "checked": None})
        with self._context.fenced():
            if execution is not None and execution.result.counts is not None:
                self._store.counts(execution, self._counts.of(row))
            # Not update_or_create, which would read what is stored: nobody else writes it.
            stored = WhiteBoxAnalysis.objects.filter(batch=self._batch)
            if not stored.update(result=self.result, data_version=F("data_version") + 1):
                WhiteBoxAnalysis.objects.create(
                    batch=self._batch,
                    system=self._batch.system,
                    revision=self._revision,
                    workload=self._workload,
                    result=self.result,
                )
        self._saved = time.monotonic()
        self._saving = self._saved - begun
        if execution is not None:
            self._job.save_checkpoint(traced=len(self.result.runs), spent=self._spent)

    def _state(self) -> AnalysisState:
        """What follows from the runs; the algorithm as published counts nothing."""
        counted = () if self._extensions == AS_PUBLISHED else self.result.counted
        rows = [self._configurations.row(run.levels) for run in counted if run.succeeded]
        counts = self._counts.table(rows, without=self.result.nondeterministic)
        return AnalysisState(self.result, self._decisions, counts, self._configurations, self._extensions)

    def _decided(self) -> frozenset[Decision]:
        """The decisions by taints, of functions in the subject's packages: runs that only count change none."""
        found = reached_decisions(self.result, self._configurations.space)
        return frozenset(one for one in found if in_packages(one.region, self._packages))
