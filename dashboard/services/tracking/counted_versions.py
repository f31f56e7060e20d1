"""What the versions of a tracked configuration count: one run each; where two runs of one differ, it is told in which functions."""

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import fsum

from analytics.work import moved_regions
from dashboard.selectors.histories.counted import counted_amounts
from dashboard.services.metrics import QUANTITIES, WORK, counted
from dashboard.services.subjects import runner_state
from dashboard.services.tracking.tracked_series import CodeVersion, TrackedSeries
from runner.environments import Unprepared
from runner.instructions import counter_of
from runner.plans import PlannedRun
from runner.subjects import SubjectDefinition

# Counts that differ from run to run are left out; where they are more than this share of all, nothing is told by counts.
MOST_SCATTERED = 0.5


def counted_quantity(subject: SubjectDefinition) -> str:
    """What a subject's runs are counted in on this machine. Raises `CountingImpossible`, with what to do."""
    counter = counter_of(subject, runner_state())
    return WORK if counter is None else QUANTITIES[counter.tool]


class CountedVersions:
    """What one configuration counts, version by version, in a `quantity`; versions that were counted before are not run again.

    `scattered` are the regions whose counts differ from run to run, as far as `count_twice` saw: they are left out of
    all that is told. Where only a total is counted, it stands for one region. A run that fails is kept as one of the program
    where it is `alone`; else it is told in the log only, for the program may well run without counters.
    """

    def __init__(self, series: TrackedSeries, quantity: str, *, alone: bool = False) -> None:
        self._series, self.quantity, self._alone = series, quantity, alone
        self._known: dict[str, Mapping[str, float]] = {}
        self._failed: set[str] = set()
        self.scattered: set[str] = {
            region for regions in series.job.checkpoint.scattered.values() for region in regions
        }

    def load(self, revisions: Collection[str]) -> None:
        """Read what was counted of revisions, in whatever job. Queries as `counted_amounts`, and four more."""
        own = self._series.context()
        if own is not None:
            alike = replace(own, metric_id=counted(self.quantity).pk)
            system = self._series.job.system
            self._known |= counted_amounts(system, alike, quantity=self.quantity, revisions=revisions)

    def amounts(self, revision: str) -> Mapping[str, float] | None:
        """What each region of a revision counted, without those that scatter; None where that is not known."""
        known = self._known.get(revision)
        if known is None:
            return None
        return {region: amount for region, amount in known.items() if region not in self.scattered}

    def total(self, revision: str) -> float | None:
        """The sum of `amounts`."""
        known = self.amounts(revision)
        return None if known is None else fsum(known.values())

    def may_be_counted(self, revision: str) -> bool:
        """Whether a revision is not counted yet, and no run of it that was to count failed."""
        return revision not in self._known and revision not in self._failed

    def may_be_counted_again(self, version: CodeVersion) -> bool:
        """Whether `count_twice` has not told yet what of a version scatters, and no run of it that was to count failed."""
        name = version.first
        return name not in self._series.job.checkpoint.scattered and name not in self._failed

    def count(self, version: CodeVersion) -> bool:
        """Count a version by a run of its own unless it was; returns whether it is known. Raises as `RunExecutor.count`."""
        if self.may_be_counted(version.first):
            self._run(version)
        return version.first in self._known

    def count_twice(self, version: CodeVersion) -> Mapping[str, float]:
        """Count a version once more than it was, and note which regions counted otherwise; by how much, the largest first.

        Raises as `count`.
        """
        if not self.may_be_counted_again(version) or not self.count(version):
            return {}
        before = self._known[version.first]
        self._run(version)
        if version.first in self._failed:
            return {}
        differing = dict(moved_regions(before, self._known[version.first]))
        self.scattered |= differing.keys()
        noted = self._series.job.checkpoint.scattered
        self._series.job.save_checkpoint(scattered={**noted, version.first: tuple(differing)})
        return differing

    def left_out(self, version: CodeVersion) -> float:
        """How much of what a version counts lies in regions that scatter."""
        known = self._known.get(version.first, {})
        return fsum(amount for region, amount in known.items() if region in self.scattered)

    def scattered_share(self, version: CodeVersion) -> float:
        """The share of `left_out` in all that a version counts."""
        return self.left_out(version) / (fsum(self._known.get(version.first, {}).values()) or 1.0)

    def _run(self, version: CodeVersion) -> None:
        series, name, started = self._series, version.first, time.monotonic()
        repetition = series.runs(name).count() + 1
        (configuration,) = series.configurations
        planned = PlannedRun(0, name, configuration, series.request.workload, repetition)
        made = series.count(planned, alone=self._alone)
        if isinstance(made, Unprepared) or made.result.counts is None:
            self._failed.add(name)
        else:
            self.load([name])
            if (total := made.result.counts.total) is not None and not made.result.counts.regions:
                self._known[name] = {"the program": float(total)}
        spent = series.job.checkpoint.spent + time.monotonic() - started
        series.job.save_checkpoint(spent=spent)
