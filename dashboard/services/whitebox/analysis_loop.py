"""The loop of an analysis: choose a configuration, trace or count it in a fresh process, keep what it showed."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.decisions import AS_PUBLISHED, Decision, Extensions
from analytics.whitebox.exploration import next_configuration
from analytics.whitebox.refinement import first_to_count
from analytics.whitebox.region_dependencies import reached_decisions
from analytics.whitebox.result import CALL, ENTRY, AnalysisRun, TaintedSite, WhiteBoxResult
from dashboard.models import Batch, Revision, WhiteBoxAnalysis, Workload
from dashboard.selectors.job_checkpoints import changed_checkpoint
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.whitebox.analysis_state import AnalysisState
from dashboard.services.whitebox.count_table import CountTable, Row, in_packages, row_of
from runner.environments import Prepared
from runner.executions import Execution, Mode, execute
from runner.plans import PlannedRun
from runner.results import Trace
from runner.selections import configurations
from runner.subjects import SubjectDefinition

# Counting takes a small part of the time of tracing: so many runs may only count for each that may be traced.
COUNTED_PER_TRACED = 4


class AnalysisLoop:
    """Traces and counts into the analysis of one batch, stored after every run; made anew, it goes on from there.

    `result` is what all runs showed, `state` what follows from it.
    """

    def __init__(
        self,
        *,
        context: JobContext,
        batch: Batch,
        revision: Revision,
        workload: Workload,
        subject: SubjectDefinition,
        prepared: Prepared,
        held: Sequence[int],
        extensions: Extensions,
    ) -> None:
        self._context = context
        self._batch = batch
        self._revision = revision
        self._workload = workload
        self._prepared = prepared
        self._held = held
        self._packages = tuple(subject.regions)
        self._extensions = extensions
        self._configurations = SubjectConfigurations.of(batch.system, subject)
        self._store = RunStore(batch=batch, subject=subject)
        self._table = CountTable(batch, revision, self._configurations, self._packages)
        stored = WhiteBoxAnalysis.objects.filter(batch=batch).first()
        self.result = stored.result if stored else WhiteBoxResult.of_options(subject.options)
        self._decisions = self._decided()
        self.state = self._state()

    def run(self, budget: int, minutes: float | None) -> None:
        """Trace and count until every subspace was seen and no residual variation is left; sets `result.ended`.

        That is "complete", or "budget" after so many traced configurations, or "minutes" of runs. Raises as
        `JobContext.check`.
        """
        ended = ""
        while not ended:
            self._report(budget)
            if minutes is not None and self.result.seconds >= 60 * minutes:
                ended = "minutes"
            elif (row := self._to_count(budget)) is not None:
                self._count(row)
            elif (row := self._to_trace()) is None:
                ended = "complete"
            elif len(self.result.runs) >= budget:
                ended = "budget"
            else:
                self._trace(row)
        self.result = self.result.model_copy(
            update={"ended": ended, "unexecuted_packages": self._unexecuted_packages()}
        )
        with self._context.fenced():
            self._save()

    def _to_count(self, budget: int) -> Row | None:
        """What was traced to its end, then what moves one option, then what lies between counts that differ.

        Then what moves one option from where it was not moved yet: a few such runs for each that was traced, and all
        that are left once nothing more is to be traced.
        """
        if self._extensions == AS_PUBLISHED or not self.state.succeeded:
            return None
        tried = {row_of(self._configurations.row(run.levels)) for run in self.result.counted}
        first = first_to_count(self._configurations.space, self._configurations.valid)
        if len(tried) >= COUNTED_PER_TRACED * budget:
            return None
        row = next((one for one in (*self.state.succeeded, *first) if one not in tried), None)
        if row is None:
            row = self.state.to_count(tried)
        if row is None:
            share = len(first) + COUNTED_PER_TRACED * len(self.result.runs)
            if len(tried) < share or self._to_trace() is None:
                return self.state.to_move(tried)
        return row

    def _to_trace(self) -> Row | None:
        row = next_configuration(self.state.exploration, self._configurations.valid)
        if row is not None or self.state.succeeded:
            return None if row is None else row_of(row)
        # Nothing is known yet, because all have failed: try those with one option moved.
        for configuration in configurations(self._configurations.subject, ["feature-wise"]):
            moved = row_of(self._configurations.row(configuration.texts))
            if moved not in self.state.exploration.executed:
                return moved
        return None

    def _trace(self, row: Row) -> None:
        execution = self._execute(row, "taint")
        self.result = self.result.with_run(result_of_run(execution, self._configurations.labels(_array(row))))
        self._decisions = self._decided()
        if execution.counts is not None:
            self._table.put(row, execution.counts)
        self._keep(execution)

    def _count(self, row: Row) -> None:
        execution = self._execute(row, "count")
        run = _ended(execution, self._configurations.labels(_array(row)))
        differing = set(self.result.nondeterministic)
        if execution.counts is not None:
            # What tracing counted else is no evidence: the program saw that it was traced, or is never the same twice.
            differing |= self._table.put(row, execution.counts)
        self.result = self.result.model_copy(
            update={"counted": (*self.result.counted, run), "nondeterministic": tuple(sorted(differing))}
        )
        self._keep(execution)

    def _execute(self, row: Row, mode: Mode) -> Execution:
        """What came of a run; what failed is logged."""
        run = PlannedRun(
            position=len(self.result.runs),
            revision=self._prepared.revision.identifier,
            configuration=self._configurations.configuration(_array(row)),
            workload=self._workload.name,
            repetition=1,
        )
        execution = execute(
            self._prepared,
            run,
            profile=False,
            mode=mode,
            weak=self._extensions != AS_PUBLISHED,
            cancelled=self._context.cancelled,
            held=self._held,
        )
        self._context.check()
        if execution.status != "ok":
            word = self._configurations.word(_array(row))
            self._context.log(f"{word}: {execution.status}: {execution.message} {execution.place}".rstrip())
        return execution

    def _keep(self, execution: Execution) -> None:
        """Store the run and all that follows, in one transaction: a run is there wholly or not at all."""
        self.state = self._state()
        self.result = self.result.model_copy(
            update={
                "partitions": {
                    region: tuple(part.formulas for part in parts)
                    for region, parts in self.state.partitions.items()
                },
                "excluded": self.state.excluded,
                "missed_dependencies": self.state.missed_dependencies,
                "statements": self.state.statements,
                "residual_variation": self.state.residual_variation,
            }
        )
        with self._context.fenced():
            if execution.counts is not None:
                own = {one for one in execution.counts.regions if in_packages(one, self._packages)}
                self._store.counts(execution, own)
            self._save()
        self._context.save_checkpoint(
            changed_checkpoint(self._context.checkpoint, traced=len(self.result.runs))
        )

    def _save(self) -> None:
        """Store the result; called within `fenced`."""
        WhiteBoxAnalysis.objects.update_or_create(
            batch=self._batch,
            defaults={
                "system": self._batch.system,
                "revision": self._revision,
                "workload": self._workload,
                "result": self.result,
            },
        )

    def _state(self) -> AnalysisState:
        return AnalysisState.of(
            self.result, self._decisions, self._table, self._configurations, self._extensions
        )

    def _decided(self) -> frozenset[Decision]:
        """The decisions by taints, of functions in the subject's packages: runs that only count change none."""
        found = reached_decisions(self.result, self._configurations.space)
        return frozenset(one for one in found if in_packages(one.region, self._packages))

    def _unexecuted_packages(self) -> tuple[str, ...]:
        """The packages of which no function was entered in any run that counted, nor any module left as it is."""
        if not self.result.counted:
            return ()
        entered = [site[0] for site in self.state.counts.sites]
        entered += [module.split(" ")[0] for module in self.result.modules_not_rewritten]
        return tuple(
            package for package in self._packages if not any(in_packages(one, [package]) for one in entered)
        )

    def _report(self, budget: int) -> None:
        now, traced, counted = self.state.coverage, len(self.result.runs), len(self.result.counted)
        share = max(traced / budget, now.seen / now.subspaces if now.subspaces else 0.0)
        more = f", {counted} counted" if counted else ""
        self._context.progress(
            float(np.clip(share, 0.0, 0.99)),
            f"{traced} configurations traced{more}; {now.regions} regions, {now.seen} of {now.subspaces} subspaces "
            f"seen, {now.unseen} unseen",
        )


def result_of_run(execution: Execution, labels: Mapping[str, str]) -> WhiteBoxResult:
    """The result of one traced run of the configuration `labels`, for `with_run`; of one that failed only how it ended."""
    result = WhiteBoxResult.of_options(()).model_copy(update={"runs": (_ended(execution, labels),)})
    trace = execution.trace
    if trace is None:
        return result
    # (position of the site, taint of the value, taint of what led there); any option may be handed over in a call.
    seen = [(at, -1, 0) for at, site in enumerate(trace.sites) if site.kind == CALL]
    seen += [(at, taint, 0) for at, taint in trace.steps]
    seen += trace.decisions
    decisions, entries = [], []
    for at, data, control in trace.decisions:
        site = trace.sites[at]
        levels = {name: labels[name] for name in sorted(_names(trace, control))}
        if site.kind == ENTRY:
            entries.append((site.region, levels))
        else:
            place = f"{site.file}:{site.line}:{site.column}"
            decisions.append((site.region, place, tuple(sorted(_names(trace, data))), levels))
    sites = (
        TaintedSite(**trace.sites[at].model_dump(), data=_names(trace, data), control=_names(trace, control))
        for at, data, control in seen
    )
    arguments = ((function, name, _names(trace, taint)) for function, name, taint in trace.arguments)
    return result.model_copy(
        update={
            "decisions": tuple(decisions),
            "entries": tuple(entries),
            "sites": tuple(sites),
            "arguments": tuple(arguments),
            "unfollowed": trace.unfollowed,
            "cut": trace.cut,
        }
    )


def _ended(execution: Execution, labels: Mapping[str, str]) -> AnalysisRun:
    """How a run ended, with a digest of what it returned, of how much it printed and of the end of that."""
    output = f"{execution.returned}\0{execution.output_bytes}\0{execution.output}"
    digest = hashlib.sha256(output.encode("utf-8", "replace")).hexdigest()
    return AnalysisRun(
        levels=dict(labels),
        status=execution.status,
        message=execution.message[:400],
        place=execution.place,
        seconds=execution.process_seconds,
        output_digest=digest if execution.status == "ok" else "",
        returned=bool(execution.returned),
    )


def _names(trace: Trace, taint: int) -> tuple[str, ...]:
    return tuple(name for at, name in enumerate(trace.options) if taint >> at & 1)


def _array(row: Row) -> IntArray:
    return np.array(row, dtype=np.int8)
