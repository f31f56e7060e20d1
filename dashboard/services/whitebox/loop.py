"""The loop of an analysis: choose a configuration, trace or count it in a fresh process, keep what it said."""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.exploration import next_configuration
from analytics.whitebox.refinement import first_to_count
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.whitebox.counted import CountBook, Row, row_of
from dashboard.services.whitebox.known import Known, Way, known
from dashboard.services.whitebox.records import AnalysisResult
from runner.environments import Prepared
from runner.executions import Execution, Mode, execute
from runner.plans import PlannedRun
from runner.selections import configurations
from runner.subjects import SubjectDefinition

# Counting takes a small part of the time of tracing: so many runs may only count for each that may be traced.
COUNTED_PER_TRACED = 4


class TracingLoop:
    """Traces into one row, which after every run holds all that is known; made anew, it goes on from there.

    `known` is what it knows now.
    """

    def __init__(
        self,
        *,
        context: JobContext,
        tracing: WhiteBoxAnalysis,
        subject: SubjectDefinition,
        prepared: Prepared,
        held: Sequence[int],
        way: Way,
    ) -> None:
        self._context = context
        self._tracing = tracing
        self._prepared = prepared
        self._held = held
        self._packages = tuple(subject.regions)
        self._way = way
        self._configurations = SubjectConfigurations.of(tracing.system, subject)
        self._store = RunStore(batch=tracing.batch, subject=subject)
        self._book = CountBook(tracing.batch, tracing.revision, self._configurations, self._packages)
        self.record = AnalysisResult.read(tracing.result)
        self.known = self._known()

    def run(self, budget: int, minutes: float | None = None) -> str:
        """Trace and count until every subspace was seen and no count is left to explain; returns how it ended.

        That is "complete", or "budget" after so many traced configurations, or "minutes" of runs. Raises as
        `JobContext.check`.
        """
        while True:
            self._tell(budget)
            if minutes is not None and self._spent >= 60 * minutes:
                return "minutes"
            row = self._to_count(budget)
            if row is not None:
                self._count(row)
                continue
            row = self._to_trace()
            if row is None:
                return "complete"
            if len(self.record.runs) >= budget:
                return "budget"
            self._trace(row)

    @property
    def _spent(self) -> float:
        """What all runs took, in seconds, those before an interruption too."""
        return sum(run["seconds"] or 0.0 for run in (*self.record.runs, *self.record.counted))

    def _to_count(self, budget: int) -> Row | None:
        """What was traced to its end, then what moves one option, then what lies between counts that differ.

        Then what moves one option from where it was not moved yet: a few such runs for each that was traced, and all
        that are left once nothing more is to be traced.
        """
        if self._way.published or not self.known.succeeded:
            return None
        tried = {row_of(row) for row in self.record.counted_rows(self._configurations, failed=True)}
        first = first_to_count(self._configurations.space, self._configurations.valid)
        if len(tried) >= COUNTED_PER_TRACED * budget:
            return None
        row = next((one for one in (*self.known.succeeded, *first) if one not in tried), None)
        if row is None:
            row = self.known.to_count(tried)
        if row is None:
            share = len(first) + COUNTED_PER_TRACED * len(self.record.runs)
            if len(tried) < share or self._to_trace() is None:
                return self.known.to_move(tried)
        return row

    def _to_trace(self) -> Row | None:
        row = next_configuration(self.known.exploration, self._configurations.valid)
        if row is not None or self.known.succeeded:
            return None if row is None else row_of(row)
        # Nothing is known yet, because all have failed: try those with one option moved.
        tried = {row_of(one) for one in self.record.rows(self._configurations)}
        for configuration in configurations(self._configurations.subject, ["feature-wise"]):
            moved = row_of(self._configurations.row(configuration.texts))
            if moved not in tried:
                return moved
        return None

    def _trace(self, row: Row) -> None:
        execution = self._execute(row, "taint")
        self.record.add(execution, self._configurations.labels(_array(row)))
        if execution.counts is not None:
            self._book.put(row, execution.counts)
        self._keep(execution)

    def _count(self, row: Row) -> None:
        execution = self._execute(row, "count")
        self.record.add_counted(execution, self._configurations.labels(_array(row)))
        if execution.counts is not None:
            # What tracing counted else is no evidence: the program saw that it was traced, or is never the same twice.
            self.record.unsteady |= self._book.put(row, execution.counts)
        self._keep(execution)

    def _execute(self, row: Row, mode: Mode) -> Execution:
        """What came of a run; what failed is logged."""
        run = PlannedRun(
            position=len(self.record.runs),
            revision=self._prepared.revision.identifier,
            configuration=self._configurations.configuration(_array(row)),
            workload=self._tracing.workload.name,
            repetition=1,
        )
        execution = execute(
            self._prepared,
            run,
            profile=False,
            mode=mode,
            weak=not self._way.published,
            cancelled=self._context.cancelled,
            held=self._held,
        )
        self._context.check()
        if execution.status != "ok":
            word = self._configurations.word(_array(row))
            self._context.log(f"{word}: {execution.status}: {execution.message} {execution.place}".rstrip())
        return execution

    def _keep(self, execution: Execution) -> None:
        """Store the run and all that is known with it, in one transaction: a run is there wholly or not at all."""
        self.known = self._known()
        with self._context.fenced():
            if execution.counts is not None:
                self._store.counts(execution, self._book.regions(execution.counts))
            self._tracing.result = self.record.as_json() | {
                "partitions": {
                    region: [list(part.formulas) for part in parts]
                    for region, parts in self.known.partitions.items()
                },
                "options": list(self._configurations.subject.options),
                "excluded": self.known.excluded,
                "missed": self.known.missed(),
                "statements": self.known.statements(),
                "unexplained": self.known.unexplained(),
            }
            self._tracing.save(update_fields=["result"])
        self._context.save_checkpoint({**self._context.checkpoint, "traced": len(self.record.runs)})

    def _known(self) -> Known:
        return known(self.record, self._book, self._configurations, self._packages, self._way)

    def _tell(self, budget: int) -> None:
        seen, traced, counted = self.known.seen, len(self.record.runs), len(self.record.counted)
        reached = seen.subspaces - seen.unseen
        share = max(traced / budget, reached / seen.subspaces if seen.subspaces else 0.0)
        more = f", {counted} counted" if counted else ""
        self._context.progress(
            float(np.clip(share, 0.0, 0.99)),
            f"{traced} configurations traced{more}; {seen.regions} regions, {reached} of {seen.subspaces} subspaces "
            f"seen, {seen.unseen} unseen",
        )


def _array(row: Row) -> IntArray:
    return np.array(row, dtype=np.int8)
