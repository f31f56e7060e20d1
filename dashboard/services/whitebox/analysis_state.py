"""What an analysis knows after its runs so far: partitions by taints and counts, and what counts still contradict."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analytics.configurations.partitions import Partition
from analytics.whitebox.count_evidence import (
    ConfigurationCounts,
    CountDifference,
    CountEvidence,
    count_evidence,
)
from analytics.whitebox.decisions import AS_PUBLISHED, Decision, Extensions, left_out, option_parsing
from analytics.whitebox.dependencies import (
    NO_DEPENDENCY,
    TURNS,
    WHOLE,
    dependencies_by_statement,
    options_of,
    statement_of,
)
from analytics.whitebox.exploration import Coverage, Exploration, coverage
from analytics.whitebox.refinement import next_to_count, next_to_move, refined
from analytics.whitebox.result import DependencyEvidence, WhiteBoxResult
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.whitebox.count_table import CountTable, Row, row_of

# A run that moves an option must tell something new of so many of all statements and regions.
LEAST_NEWS = 0.01


@dataclass(frozen=True, eq=False)
class AnalysisState:
    """`exploration` holds all traced configurations, those that failed too, and decisions by taints and counts.

    `tainted` are the decisions by taints alone, `succeeded` the configurations that were traced to their end.
    `excluded` are the regions that only parse options, each with the reason.
    """

    configurations: SubjectConfigurations
    exploration: Exploration
    tainted: frozenset[Decision]
    counts: ConfigurationCounts
    evidence: CountEvidence
    succeeded: tuple[Row, ...]
    excluded: dict[str, str]

    @classmethod
    def of(
        cls,
        result: WhiteBoxResult,
        decisions: frozenset[Decision],
        table: CountTable,
        configurations: SubjectConfigurations,
        extensions: Extensions,
    ) -> "AnalysisState":
        """The state after the runs of a result; `decisions` are its own, by taints.

        With `AS_PUBLISHED` nothing is refined by counts.
        """
        space, refines = configurations.space, extensions != AS_PUBLISHED
        counted = [row_of(configurations.row(run.levels)) for run in result.counted if run.succeeded]
        counts = table.counts_of(counted if refines else (), result.nondeterministic)
        excluded = _excluded(configurations, decisions, counts) if refines else {}
        evidence = count_evidence(counts, decisions)
        rows = [row_of(configurations.row(run.levels)) for run in result.runs]
        return cls(
            configurations=configurations,
            exploration=Exploration(
                space,
                tuple(rows),
                refined(decisions, evidence, space),
                replace(extensions, excluded=frozenset(excluded)),
            ),
            tainted=decisions,
            counts=counts,
            evidence=evidence,
            succeeded=tuple(row for row, run in zip(rows, result.runs, strict=True) if run.succeeded),
            excluded=excluded,
        )

    @property
    def partitions(self) -> dict[str, tuple[Partition, ...]]:
        """The partitions of each region, with the options that counts have added."""
        return self.exploration.partitions

    @property
    def coverage(self) -> Coverage:
        """How far it is; a configuration that failed has seen nothing."""
        traced = np.array(self.succeeded, dtype=np.int8)
        return coverage(
            self.partitions, traced.reshape(len(self.succeeded), len(self.exploration.space.options))
        )

    def to_count(self, tried: Collection[Row]) -> Row | None:
        """The configuration that would explain most of the counts that nothing explains yet."""
        return next_to_count(self.counts, self.evidence, self.tainted, self.configurations.valid, tried)

    def to_move(self, tried: Collection[Row]) -> Row | None:
        """A counted configuration with one option moved: the one that compares most of what was never compared."""
        found = next_to_move(self.counts, self.evidence, self.tainted, self.configurations.valid, tried)
        return found[0] if found and found[1] >= LEAST_NEWS * len(self.counts.counters) else None

    @property
    def missed_dependencies(self) -> tuple[DependencyEvidence, ...]:
        """The options that counts have added to regions, each with its evidence; nothing of a region left out."""
        found = (one for one in self.evidence.missed_dependencies if one.place == WHOLE)
        return tuple(self._named(one) for one in found if one.region not in self.excluded)

    @property
    def statements(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The options that counts have added to single statements: region, "line:column" and names of options."""
        found = self.evidence.by_statement.items()
        return tuple((region, place, self._names(own)) for (region, place), own in found if place != WHOLE)

    @property
    def residual_variation(self) -> tuple[DependencyEvidence, ...]:
        """The statements whose counts still differ within a subspace, each with its evidence.

        A region as a whole is among them only where none of its statements is, and nothing of a region left out.
        """
        left = self.evidence.residual_variation
        own = {one.region for one in left if one.place != WHOLE}
        return tuple(
            self._named(one)
            for one in left
            if one.region not in self.excluded and (one.place != WHOLE or one.region not in own)
        )

    def _names(self, options: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.configurations.space.names[option] for option in sorted(options))

    def _named(self, one: CountDifference) -> DependencyEvidence:
        region, line, column, kind = self.counts.sites[one.counter]
        known = options_of(dependencies_by_statement(self.tainted).get(one.statement, NO_DEPENDENCY))
        first, second = (self.configurations.labels(self.counts.configurations[run]) for run in one.runs)
        return DependencyEvidence.model_validate(
            {
                "region": region,
                "line": line,
                "column": column,
                "kind": kind,
                "options": self._names(one.options),
                "known": self._names(known.union(self._added.get(one.statement, ()))),
                "counts": one.counts,
                "levels": (first, second),
            }
        )

    @cached_property
    def _added(self) -> dict[tuple[str, str], tuple[int, ...]]:
        return self.evidence.by_statement


def _excluded(
    configurations: SubjectConfigurations, decisions: Iterable[Decision], counts: ConfigurationCounts
) -> dict[str, str]:
    """The regions that only parse options, by their counts and by `subject.toml`."""
    work: Counter[str] = Counter()
    for site, count in zip(counts.sites, counts.counts.sum(axis=0).tolist(), strict=True):
        work[site[0]] += int(count)
    # How often a loop turns is work, whatever decides it.
    loops = {(region, f"{line}:{column}") for region, line, column, kind in counts.sites if kind == TURNS}
    analysis = configurations.subject.analysis
    found = option_parsing((one for one in decisions if statement_of(one) not in loops), work)
    return left_out(found, analysis.exclude, analysis.include)
