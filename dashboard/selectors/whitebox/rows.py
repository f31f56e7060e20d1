"""A white-box analysis with its system's options, and its view of one region: free of Django."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain

from analytics.configurations.options import OptionSpace
from analytics.whitebox.exploration import Coverage, coverage
from analytics.whitebox.region_dependencies import (
    RegionDependencies,
    counted_options,
    decisions_of,
    dependent_regions,
    in_order,
    steps_of,
)
from analytics.whitebox.result import DependencyEvidence, TaintedSite, WhiteBoxResult


@dataclass(frozen=True)
class WhiteBoxDetail:
    """An analysis of one revision on one workload, as far as it got, with the options of its system."""

    revision: str
    workload: str
    at: datetime
    result: WhiteBoxResult
    space: OptionSpace

    @cached_property
    def regions(self) -> tuple[RegionDependencies, ...]:
        """The regions that depend on options."""
        return dependent_regions(self.result)

    @cached_property
    def coverage(self) -> Coverage:
        """How many subspaces the regions have, and how many of them a traced run was in."""
        traced = self.space.encode(run.levels for run in self.result.traced)
        return coverage(self.result.partitions_over(self.space), traced)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The options that are read but were in no decision."""
        return tuple(name for name in self.result.undecided if name not in self.result.unread)


@dataclass(frozen=True)
class RegionAnalysis:
    """What an analysis showed of the region `key`."""

    analysis: WhiteBoxDetail
    key: str

    @cached_property
    def decisions(self) -> tuple[TaintedSite, ...]:
        """Its decisions, one for each place."""
        return decisions_of(self.analysis.result, self.key)

    @property
    def decisions_by_line(self) -> dict[int, list[TaintedSite]]:
        """Its decisions by the line that they stand in."""
        lines: dict[int, list[TaintedSite]] = {}
        for decision in self.decisions:
            lines.setdefault(decision.line, []).append(decision)
        return lines

    @cached_property
    def steps(self) -> tuple[TaintedSite, ...]:
        """The lines that options were seen at."""
        return steps_of(self.analysis.result, self.key)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were seen in its decisions."""
        return self._ordered(chain.from_iterable((*one.data, *one.control) for one in self.decisions))

    @property
    def counted(self) -> tuple[str, ...]:
        """The options that counts alone have added."""
        return self._ordered(
            counted_options(self.analysis.result).get(self.key, set()).difference(self.options)
        )

    @property
    def unreached(self) -> tuple[str, ...]:
        """The options that were seen in none of its decisions in any traced run, and that no count speaks for."""
        known = (*self.options, *self.counted)
        return tuple(name for name in self.analysis.result.options if name not in known)

    @property
    def partitions(self) -> tuple[tuple[str, ...], ...]:
        """The formulas of its partition; several where it was split by pairs of options, none without options."""
        return self.analysis.result.partitions.get(self.key, ())

    @property
    def excluded_because(self) -> str:
        """Why it has no partition though it decides on options: it only parses them; empty of all others."""
        return self.analysis.result.excluded.get(self.key, "")

    @property
    def evidence(self) -> tuple[DependencyEvidence, ...]:
        """The evidence of counts beyond taints: its residual variation first, then its missed dependencies."""
        result = self.analysis.result
        both = (*result.residual_variation, *result.missed_dependencies)
        return tuple(one for one in both if one.region == self.key)

    def _ordered(self, names: Iterable[str]) -> tuple[str, ...]:
        return in_order(self.analysis.result, names)
