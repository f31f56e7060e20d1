"""What an analysis knows after so many runs: partitions from taints, what counts say of them, what was not seen yet."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from analytics.configurations.covers import distinct_partitions
from analytics.configurations.partitions import Partition
from analytics.whitebox.count_evidence import Counted, Difference, Findings, findings
from analytics.whitebox.decisions import AS_PUBLISHED, Decision, Extensions, flattened
from analytics.whitebox.dependencies import TURN, WHOLE, Statement, options_of, said_of, statement_of
from analytics.whitebox.exploration import Exploration, unseen_subspaces
from analytics.whitebox.option_parsing import left_out, option_parsing
from analytics.whitebox.refinement import next_to_count, next_to_move, refined
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.whitebox.counted import CountBook, Row, in_packages, row_of
from dashboard.services.whitebox.records import AnalysisResult

# A run that moves an option must tell something new of so many of all statements and regions.
LEAST_NEWS = 0.01


@dataclass(frozen=True, slots=True)
class Way:
    """How an analysis goes: as published, or with what is beyond it.

    `cap`: regions with more subspaces are split by pairs of options. `published` leaves everything out that the
    published algorithm does not have: caps, regions that only callers reach, and refinement by counts.
    """

    cap: int | None
    published: bool

    @property
    def extensions(self) -> Extensions:
        """What the partitions are made with."""
        return AS_PUBLISHED if self.published else Extensions(cap=self.cap, callers=True)


@dataclass(frozen=True, slots=True)
class Seen:
    """How far an analysis is: regions with decisions on options, and their subspaces, equal ones counted once.

    `unseen` of them were in no configuration that could be traced to its end.
    """

    regions: int
    subspaces: int
    unseen: int


@dataclass(frozen=True, eq=False)
class Known:
    """`exploration` holds all traced configurations, those that failed too; `tainted` are the decisions from taints alone.

    `partitions` have the options that counts have added. `excluded` are the regions that only parse options, each with
    the reason.
    """

    configurations: SubjectConfigurations
    exploration: Exploration
    tainted: frozenset[Decision]
    partitions: dict[str, tuple[Partition, ...]]
    counted: Counted
    findings: Findings
    succeeded: tuple[Row, ...]
    excluded: dict[str, str]

    @property
    def seen(self) -> Seen:
        """How far it is; a configuration that failed has seen nothing."""
        parts = distinct_partitions(flattened(self.partitions))
        state = Exploration(
            self.exploration.space, self.succeeded, self.exploration.decisions, self.exploration.extensions
        )
        unseen = sum(int(one.mask.sum()) for one in unseen_subspaces(state))
        return Seen(len(self.partitions), sum(part.n_subspaces for part in parts), unseen)

    @property
    def split(self) -> tuple[str, ...]:
        """The regions that have too many subspaces, and are split pair-wise."""
        testing = {one.region for one in self.exploration.decisions if one.data}
        return tuple(
            region for region, parts in self.partitions.items() if len(parts) > 1 and region in testing
        )

    def to_count(self, tried: Collection[Row]) -> Row | None:
        """The configuration that would tell most about the counts that are not explained."""
        return next_to_count(self.counted, self.findings, self.tainted, self.configurations.valid, tried)

    def to_move(self, tried: Collection[Row]) -> Row | None:
        """A counted configuration with one option moved: the one that would tell most of what was never compared."""
        found = next_to_move(self.counted, self.findings, self.tainted, self.configurations.valid, tried)
        return found[0] if found and found[1] >= LEAST_NEWS * len(self.counted.counters) else None

    def missed(self) -> list[dict[str, Any]]:
        """The options that counts have added to regions, each with its evidence, as plain JSON values."""
        found = (one for one in self.findings.missed if one.place == WHOLE)
        return [self._evidence(one) for one in found if one.region not in self.excluded]

    def statements(self) -> list[list[Any]]:
        """The options that counts have added to single statements: region, "line:column" and names of options."""
        found = self.findings.by_statement.items()
        return [[region, place, self._names(options)] for (region, place), options in found if place != WHOLE]

    def unexplained(self) -> list[dict[str, Any]]:
        """The statements whose counts still differ within a subspace, each with its evidence, as plain JSON values.

        A region as a whole is among them only where none of its statements is, and nothing of a region left out.
        """
        own = {one.region for one in self.findings.unexplained if one.place != WHOLE}
        return [
            self._evidence(one)
            for one in self.findings.unexplained
            if one.region not in self.excluded and (one.place != WHOLE or one.region not in own)
        ]

    def _names(self, options: Iterable[int]) -> list[str]:
        return [self.configurations.space.names[option] for option in sorted(options)]

    def _evidence(self, one: Difference) -> dict[str, Any]:
        region, line, column, kind = self.counted.sites[one.counter]
        return {
            "region": region,
            "line": line,
            "column": column,
            "kind": kind,
            "options": self._names(one.options),
            "known": self._names(self._claimed[one.statement]),
            "counts": list(one.counts),
            "levels": [self.configurations.labels(self.counted.configurations[run]) for run in one.runs],
        }

    @cached_property
    def _claimed(self) -> dict[Statement, frozenset[int]]:
        """The options that each statement is known to depend on."""
        found = defaultdict(frozenset, {one: options_of(own) for one, own in said_of(self.tainted).items()})
        for statement, options in self.findings.by_statement.items():
            found[statement] |= frozenset(options)
        return found


def known(
    record: AnalysisResult,
    book: CountBook,
    configurations: SubjectConfigurations,
    packages: Collection[str],
    way: Way,
) -> Known:
    """What the runs so far tell; only what lies in the subject's packages is a region."""
    space = configurations.space
    decisions = _within(record.decided(configurations), tuple(packages))
    rows_counted = () if way.published else [row_of(one) for one in record.counted_rows(configurations)]
    counted = book.table(rows_counted, record.unsteady)
    excluded = {} if way.published else _excluded(configurations, decisions, counted)
    extensions = replace(way.extensions, excluded=frozenset(excluded))
    found = findings(counted, decisions)
    rows = [row_of(one) for one in record.rows(configurations)]
    exploration = Exploration(space, tuple(rows), refined(decisions, found, space), extensions)
    ended = zip(rows, record.runs, strict=True)
    return Known(
        configurations=configurations,
        exploration=exploration,
        tainted=decisions,
        partitions=exploration.partitions,
        counted=counted,
        findings=found,
        succeeded=tuple(row for row, run in ended if run["status"] == "ok"),
        excluded=excluded,
    )


# Runs that only count change no decision, and all that is worked out of them.
@lru_cache(maxsize=2)
def _within(decisions: frozenset[Decision], packages: tuple[str, ...]) -> frozenset[Decision]:
    return frozenset(one for one in decisions if in_packages(one.region, packages))


def _excluded(
    configurations: SubjectConfigurations, decisions: Iterable[Decision], counted: Counted
) -> dict[str, str]:
    """The regions that only parse options, as counts and `subject.toml` say."""
    work: Counter[str] = Counter()
    for site, count in zip(counted.sites, counted.counts.sum(axis=0).tolist(), strict=True):
        work[site[0]] += int(count)
    # How often a loop turns is work, whatever decides it.
    loops = {(region, f"{line}:{column}") for region, line, column, kind in counted.sites if kind == TURN}
    analysis = configurations.subject.analysis
    found = option_parsing((one for one in decisions if statement_of(one) not in loops), work)
    return left_out(found, analysis.exclude, analysis.include)
