"""The loop of an analysis: choose a configuration, trace it in a fresh process, keep what it said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from analytics.configurations.covers import distinct_partitions
from analytics.configurations.decisions import Extensions, flattened
from analytics.configurations.exploring import Exploration, next_configuration, unseen_subspaces
from analytics.configurations.options import IntArray
from dashboard.models import Tracing
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.tracing.records import TracingRecord
from runner.environments import Prepared
from runner.executions import Execution, execute
from runner.plans import PlannedRun
from runner.selections import configurations
from runner.subjects import Subject

_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


@dataclass(frozen=True, slots=True)
class Seen:
    """How far an analysis is: regions with decisions on options, and their subspaces, equal ones counted once.

    `unseen` of them were in no configuration that could be traced to its end.
    """

    regions: int
    subspaces: int
    unseen: int


class TracingLoop:
    """Traces into one row, which after every run holds all that is known; made anew, it goes on from there."""

    def __init__(
        self,
        *,
        context: JobContext,
        tracing: Tracing,
        subject: Subject,
        prepared: Prepared,
        held: Sequence[int],
        workload: str,
        cap: int | None,
    ) -> None:
        self._context = context
        self._tracing = tracing
        self._prepared = prepared
        self._held = held
        self._workload = workload
        self._packages = tuple(subject.regions)
        self._configurations = SubjectConfigurations.of(tracing.system, subject)
        self.record = TracingRecord.read(tracing.found)
        self._cap = cap

    @property
    def seen(self) -> Seen:
        """How far it is; a configuration that failed has seen nothing."""
        state = self._state(failed=False)
        parts = distinct_partitions(flattened(state.partitions))
        unseen = sum(int(one.mask.sum()) for one in unseen_subspaces(state))
        return Seen(len(state.partitions), sum(part.n_subspaces for part in parts), unseen)

    @property
    def split(self) -> tuple[str, ...]:
        """The regions that have too many subspaces, and are split pair-wise."""
        found = self._state(failed=True).partitions
        return tuple(region for region, parts in found.items() if len(parts) > 1)

    def run(self, budget: int, minutes: float | None = None) -> None:
        """Trace until every subspace was seen, `budget` configurations, or so many minutes of runs.

        Raises as `JobContext.check`.
        """
        while len(self.record.runs) < budget and (minutes is None or self._spent < 60 * minutes):
            row = self._next()
            if row is None:
                break
            self._tell(budget)
            self._trace(row)
        self._tell(budget)

    @property
    def _spent(self) -> float:
        """What all runs took, in seconds, those before an interruption too."""
        return sum(run["seconds"] or 0.0 for run in self.record.runs)

    def _next(self) -> IntArray | None:
        state = self._state(failed=True)
        row = next_configuration(state, self._configurations.valid)
        if row is not None or any(run["status"] == "ok" for run in self.record.runs):
            return row
        # Nothing is known yet, because all have failed: try those with one option moved.
        known = {tuple(one) for one in self.record.rows(self._configurations)}
        subject = self._configurations.subject
        for configuration in configurations(subject, ["feature-wise"]):
            row = self._configurations.row(configuration.texts)
            if tuple(row) not in known:
                return row
        return None

    def _trace(self, row: IntArray) -> None:
        run = PlannedRun(
            position=len(self.record.runs),
            revision=self._prepared.revision.identifier,
            configuration=self._configurations.configuration(row),
            workload=self._workload,
            repetition=1,
        )
        execution = execute(
            self._prepared,
            run,
            profile=False,
            mode="taint",
            cancelled=self._context.cancelled,
            held=self._held,
        )
        self._context.check()
        word = self._configurations.word(row)
        place = "" if execution.status == "ok" else place_of(execution)
        if execution.status != "ok":
            self._context.log(f"{word}: {execution.status}: {execution.message} {place}".rstrip())
        self.record.add(execution, self._configurations.labels(row), place)
        self._keep()

    def _keep(self) -> None:
        partitions = self._state(failed=True).partitions
        with self._context.fenced():
            self._tracing.found = self.record.as_json() | {
                "partitions": {
                    region: [list(part.formulas) for part in parts] for region, parts in partitions.items()
                },
                "options": list(self._configurations.subject.options),
            }
            self._tracing.save(update_fields=["found"])
        self._context.save_checkpoint({**self._context.checkpoint, "traced": len(self.record.runs)})

    def _state(self, *, failed: bool) -> Exploration:
        """What was traced so far, as the analysis takes it; `failed`: with the configurations that failed.

        Only what lies in the subject's packages is a region.
        """
        runs = [run for run in self.record.runs if failed or run["status"] == "ok"]
        decisions = self.record.decided(self._configurations)
        return Exploration(
            self._configurations.space,
            tuple(tuple(int(level) for level in self._configurations.row(run["levels"])) for run in runs),
            frozenset(one for one in decisions if in_packages(one.region, self._packages)),
            Extensions(cap=self._cap, callers=True),
        )

    def _tell(self, budget: int) -> None:
        seen, traced = self.seen, len(self.record.runs)
        known = seen.subspaces - seen.unseen
        share = max(traced / budget, known / seen.subspaces if seen.subspaces else 0.0)
        self._context.progress(
            float(np.clip(share, 0.0, 0.99)),
            f"{traced} configurations traced; {seen.regions} regions, {known} of {seen.subspaces} subspaces seen",
        )


def in_packages(region: str, packages: Sequence[str]) -> bool:
    """Whether a region, "module:function", lies in one of these packages."""
    module = region.partition(":")[0]
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def place_of(execution: Execution) -> str:
    """Where a program said that it failed: the last file and line of its output; blank where it said nothing."""
    found = _PLACE.findall(execution.output)
    return f"{PurePath(found[-1][0]).name}:{found[-1][1]}" if found else ""
