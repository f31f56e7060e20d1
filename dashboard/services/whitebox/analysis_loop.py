"""The loop of an analysis: choose a configuration, trace or count it in a fresh process, keep what it showed."""

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np

from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.decisions import AS_PUBLISHED, Decision, Extensions
from analytics.whitebox.dependencies import Site, reached_decisions
from analytics.whitebox.evidence import CALL, ENTRY, AnalysisRun, TaintedSite
from analytics.whitebox.exploration import next_configuration
from analytics.whitebox.refinement import first_to_count, next_to_count, next_to_move
from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, CountedRun, WhiteBoxAnalysis
from dashboard.selectors.counts import counts_by_site, site_tables
from dashboard.services.measuring.executions import RunStore
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.whitebox.analysis_state import AnalysisState
from runner.environments import Prepared
from runner.executions import Execution, Mode, execute
from runner.plans import PlannedRun
from runner.results import Trace
from runner.selections import configurations

Row = tuple[int, ...]

# Counting takes a small part of the time of tracing: so many runs may only count for each that may be traced.
COUNTED_PER_TRACED = 4


class AnalysisLoop:
    """Traces and counts into the analysis of one batch, stored after every run; made anew, it goes on from there.

    `result` is what all runs showed, `state` what follows from it.
    """

    def __init__(
        self,
        job: SubjectJob,
        batch: Batch,
        prepared: Prepared,
        *,
        workload: str,
        extensions: Extensions,
    ) -> None:
        subject = job.subject
        self._job = job
        self._context = job.context
        self._batch = batch
        self._revision = job.system.revisions.get(name=prepared.revision.identifier)
        self._workload = job.system.workloads.get(name=workload)
        self._prepared = prepared
        self._packages = tuple(subject.regions)
        self._extensions = extensions
        self._configurations = SubjectConfigurations.of(job.system, subject)
        self._store = RunStore(batch=batch, subject=subject)
        # What the last run of each configuration counted, in these packages.
        tables = site_tables([batch.pk])
        rows = CountedRun.objects.filter(batch=batch, revision=self._revision).select_related("configuration")
        self._counts: dict[Row, Mapping[Site, int]] = {
            self._configurations.row(one.configuration.assignments): counts_by_site(one, tables)
            for one in rows
        }
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
            now, traced, counted = self.state.coverage, len(self.result.runs), len(self.result.counted)
            share = max(traced / budget, now.seen / now.subspaces if now.subspaces else 0.0)
            more = f", {counted} counted" if counted else ""
            self._context.progress(
                float(np.clip(share, 0.0, 0.99)),
                f"{traced} configurations traced{more}; {now.regions} regions, {now.seen} of {now.subspaces} "
                f"subspaces seen, {now.unseen} unseen",
            )
            if minutes is not None and self.result.seconds >= 60 * minutes:
                ended = "minutes"
            elif (row := self._to_count(budget)) is not None:
                self._count(row)
            elif (row := self._to_trace()) is None:
                ended = "complete"
            elif len(self.result.runs) >= budget:
                ended = "budget"
            else:
                execution = self._execute(row, "taint")
                labels = self._configurations.labels(row)
                self.result = self.result.with_run(result_of_run(execution, labels))
                self._decisions = self._decided()
                self._take_counts(row, execution)
                self._keep(row, execution)
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
        tried = {self._configurations.row(run.levels) for run in self.result.counted}
        first = first_to_count(self._configurations.space, self._configurations.valid)
        if len(tried) >= COUNTED_PER_TRACED * budget:
            return None
        row = next((one for one in (*self.state.succeeded, *first) if one not in tried), None)
        if row is None:
            row = next_to_count(self.state.evidence, self._configurations.valid, tried)
        if row is None:
            share = len(first) + COUNTED_PER_TRACED * len(self.result.runs)
            if len(tried) < share or self._to_trace() is None:
                return next_to_move(self.state.evidence, self._configurations.valid, tried)
        return row

    def _to_trace(self) -> Row | None:
        row = next_configuration(self.state.exploration, self._configurations.valid)
        if row is not None or self.state.succeeded:
            return None if row is None else tuple(row.tolist())
        # Nothing is known yet, because all have failed: try those with one option moved.
        for configuration in configurations(self._configurations.subject, ["feature-wise"]):
            moved = self._configurations.row(configuration.texts)
            if moved not in self.state.exploration.executed:
                return moved
        return None

    def _count(self, row: Row) -> None:
        execution = self._execute(row, "count")
        run = _ended(execution, self._configurations.labels(row))
        # What tracing counted else is no evidence: the program saw that it was traced, or is never the same twice.
        differing = self._take_counts(row, execution).union(self.result.nondeterministic)
        self.result = self.result.model_copy(
            update={"counted": (*self.result.counted, run), "nondeterministic": tuple(sorted(differing))}
        )
        self._keep(row, execution)

    def _take_counts(self, row: Row, execution: Execution) -> set[Site]:
        """Take over what a run counted; returns the counters that an earlier run of this configuration left elsewhere."""
        counts = execution.result.counts
        if counts is None:
            return set()
        new = {site: n for site, n in counts.by_site.items() if in_packages(site[0], self._packages)}
        old = self._counts.get(row, new)
        self._counts[row] = new
        return {site for site in old.keys() | new.keys() if old.get(site) != new.get(site)}

    def _execute(self, row: Row, mode: Mode) -> Execution:
        """What came of a run; what failed is logged."""
        run = PlannedRun(
            position=len(self.result.runs),
            revision=self._prepared.revision.identifier,
            configuration=self._configurations.configuration(row),
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
            held=self._context.held,
        )
        self._context.check()
        if execution.status != "ok":
            word = self._configurations.word(row)
            self._context.log(f"{word}: {execution.status}: {execution.message} {execution.place}".rstrip())
        return execution

    def _keep(self, row: Row, execution: Execution) -> None:
        """Store the run and all that follows, in one transaction: a run is there wholly or not at all."""
        self.state = self._state()
        self.result = self.result.model_copy(update=self.state.findings)
        with self._context.fenced():
            if execution.result.counts is not None:
                self._store.counts(execution, self._counts.get(row, {}))
            self._save()
        self._job.save_checkpoint(traced=len(self.result.runs))

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
        """What follows from the runs; the algorithm as published counts nothing."""
        counted = () if self._extensions == AS_PUBLISHED else self.result.counted
        rows = [self._configurations.row(run.levels) for run in counted if run.succeeded]
        rows = [row for row in rows if row in self._counts]
        sites = sorted(
            {site for row in rows for site in self._counts[row]}.difference(self.result.nondeterministic)
        )
        counts = ConfigurationCounts(
            self._configurations.space,
            np.array(rows, dtype=np.int8).reshape(len(rows), len(self._configurations.space.options)),
            np.array(
                [[self._counts[row].get(site, 0) for site in sites] for row in rows], dtype=np.int64
            ).reshape(len(rows), len(sites)),
            sites,
        )
        return AnalysisState(self.result, self._decisions, counts, self._configurations, self._extensions)

    def _decided(self) -> frozenset[Decision]:
        """The decisions by taints, of functions in the subject's packages: runs that only count change none."""
        found = reached_decisions(self.result, self._configurations.space)
        return frozenset(one for one in found if in_packages(one.region, self._packages))

    def _unexecuted_packages(self) -> tuple[str, ...]:
        """The packages of which no function was entered in any run that counted, nor any module left as it is."""
        if not self.result.counted:
            return ()
        entered = [site[0] for site in self.state.evidence.counted.sites]
        entered += [module.split(" ")[0] for module in self.result.modules_not_rewritten]
        return tuple(
            package for package in self._packages if not any(in_packages(one, [package]) for one in entered)
        )


def in_packages(region: str, packages: Iterable[str]) -> bool:
    """Whether a region, "module:function", lies in one of these packages."""
    module = region.partition(":")[0]
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def result_of_run(execution: Execution, labels: Mapping[str, str]) -> WhiteBoxResult:
    """The result of one traced run of the configuration `labels`, for `with_run`; of one that failed only how it ended."""
    result = WhiteBoxResult.of_options(()).model_copy(update={"runs": (_ended(execution, labels),)})
    trace = execution.result.trace
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
    calls = ((*call[:5], _names(trace, call[5]), _names(trace, call[6])) for call in trace.calls)
    return result.model_copy(
        update={
            "decisions": tuple(decisions),
            "entries": tuple(entries),
            "sites": tuple(sites),
            "arguments": tuple(arguments),
            "calls": tuple(calls),
            "unfollowed": trace.unfollowed,
            "cut": trace.cut,
        }
    )


def _ended(execution: Execution, labels: Mapping[str, str]) -> AnalysisRun:
    """How a run ended, with a digest of what it returned, of how much it printed and of the end of that."""
    output = f"{execution.result.returned}\0{execution.outcome.output_bytes}\0{execution.outcome.output}"
    digest = hashlib.sha256(output.encode("utf-8", "replace")).hexdigest()
    return AnalysisRun(
        levels=dict(labels),
        status=execution.status,
        message=execution.message[:400],
        place=execution.place,
        seconds=execution.outcome.wall_seconds,
        output_digest=digest if execution.status == "ok" else "",
        returned=bool(execution.result.returned),
    )


def _names(trace: Trace, taint: int) -> tuple[str, ...]:
    return tuple(name for at, name in enumerate(trace.options) if taint >> at & 1)
