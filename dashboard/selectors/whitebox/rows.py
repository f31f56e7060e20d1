"""A white-box analysis with its system's options, and its view of one region: free of Django."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import fsum
from typing import Any

from analytics.configurations.options import OptionSpace
from analytics.influence.times import PROGRAM_REGION
from analytics.whitebox.dependencies import counted_options
from analytics.whitebox.effects import REFUTING
from analytics.whitebox.evidence import ENTRY, CountedEffect, DependencyEvidence, TaintedSite
from analytics.whitebox.exploration import Coverage, coverage
from analytics.whitebox.other_processes import work_elsewhere
from analytics.whitebox.result import WhiteBoxResult
from analytics.work import CountWeights


@dataclass(frozen=True)
class WhiteBoxDetail:
    """An analysis of one revision on one workload, as far as it got, with the options of its system."""

    revision: str
    workload: str
    at: datetime
    result: WhiteBoxResult
    space: OptionSpace
    # What one count of a region costs, by region, where that was learned.
    weights: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def regions(self) -> "tuple[RegionAnalysis, ...]":
        """The regions that have a partition; those come first that an option changes most, then those that most reach."""
        rows = [RegionAnalysis(self, key) for key in self.result.partitions]
        return tuple(sorted(rows, key=lambda row: (-row.share, -len(row.options), -row.subspaces, row.key)))

    @cached_property
    def effects(self) -> "Mapping[str, tuple[CountedEffect, ...]]":
        """What counts prove, by region, the largest effects first."""
        found: dict[str, list[CountedEffect]] = defaultdict(list)
        for one in sorted(self.result.effects, key=lambda one: (-one.moved, one.option)):
            found[one.region].append(one)
        return {region: tuple(own) for region, own in found.items()}

    @property
    def option_effects(self) -> "tuple[tuple[str, tuple[CountedEffect, ...]], ...]":
        """Each option with its effects, the largest first; the option with the largest of all first."""
        ranked = sorted(self.result.effects, key=lambda one: (-self.share(one), one.region))
        found: dict[str, list[CountedEffect]] = {one.option: [] for one in ranked}
        found.update((name, []) for name in self.result.options if name not in found)
        for one in ranked:
            found[one.option].append(one)
        return tuple((name, tuple(own)) for name, own in found.items())

    @property
    def ranked_effects(self) -> list[dict[str, Any]]:
        """All effects as plain values with their shares, by option."""
        return [
            {**one.model_dump(mode="json"), "share": self.share(one)}
            for _, own in self.option_effects
            for one in own
        ]

    def share(self, effect: CountedEffect) -> float:
        """How much of all that the program does an effect is: of its work, which is time as far as weights are known."""
        return self._costs.of(effect.region) * effect.moved / self._work if self._work else 0.0

    @cached_property
    def _costs(self) -> CountWeights:
        return CountWeights(self.weights)

    @cached_property
    def _work(self) -> float:
        return fsum(self._costs.work(self.result.work).values())

    @cached_property
    def unmoved(self) -> Mapping[str, Mapping[str, int]]:
        """In how many pairs of runs an option that was seen in a region's decisions changed nothing there, by region and option."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for region, option, pairs in self.result.unmoved:
            found[region][option] = pairs
        return found

    @cached_property
    def sites(self) -> Mapping[str, list[TaintedSite]]:
        """The sites of each region."""
        found: dict[str, list[TaintedSite]] = defaultdict(list)
        for site in self.result.sites:
            found[site.region].append(site)
        return found

    @cached_property
    def counted(self) -> Mapping[str, set[str]]:
        """The options that counts have added to each region, whatever was traced."""
        return counted_options(self.result)

    @cached_property
    def coverage(self) -> Coverage:
        """How many subspaces the regions have, and how many of them a traced run was in."""
        traced = self.space.encode(run.levels for run in self.result.explored)
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
        """Its decisions, by place; `control` without what is in `data`.

        Decisions that begin at one place, such as `a and b or c`, are one with the options of all of them.
        """
        places: dict[tuple[int, int], list[TaintedSite]] = defaultdict(list)
        for site in self._sites:
            if site.decides:
                places[site.line, site.column].append(site)
        joined = []
        for _, sites in sorted(places.items()):
            data = dict.fromkeys(name for site in sites for name in site.data)
            control = dict.fromkeys(name for site in sites for name in site.control if name not in data)
            # The longest text holds the others.
            whole = max(sites, key=lambda site: len(site.text))
            joined.append(whole.model_copy(update={"data": tuple(data), "control": tuple(control)}))
        return tuple(joined)

    @property
    def decisions_by_line(self) -> dict[int, list[TaintedSite]]:
        """Its decisions by the line that they stand in."""
        lines: dict[int, list[TaintedSite]] = {}
        for decision in self.decisions:
            lines.setdefault(decision.line, []).append(decision)
        return lines

    @property
    def counted_by_line(self) -> dict[int, tuple[str, ...]]:
        """The options that change what is counted on each of its lines, beyond those of decisions there."""
        lines: dict[int, set[str]] = defaultdict(set)
        for region, place, options in self.analysis.result.statements:
            if region == self.key:
                lines[int(place.partition(":")[0])].update(options)
        return {line: self._in_order(names) for line, names in lines.items()}

    @property
    def n_decisions(self) -> int:
        """At how many places an option has a say."""
        sites = (
            one for one in self._sites if one.decides and one.kind != ENTRY and (one.data or one.control)
        )
        return len({(one.line, one.column) for one in sites})

    @property
    def steps(self) -> tuple[TaintedSite, ...]:
        """The sites that options were seen at, one for each line: of several on a line the one that decides."""
        rows: dict[int, TaintedSite] = {}
        sites = [site for site in self._sites if site.data or site.control]
        for site in sorted(sites, key=lambda one: (one.line, not one.decides, one.column)):
            rows.setdefault(site.line, site)
        return tuple(rows.values())

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The options that it depends on: those that were seen in its decisions and not refuted, those that counts have added, and `started`."""
        return self._in_order({*self.tainted, *self.added, *self.started} - self.refuted.keys())

    @cached_property
    def refuted(self) -> dict[str, int]:
        """The options that were seen in its decisions and that many pairs of runs refute; how many."""
        known = self.analysis.unmoved.get(self.key, {})
        return {name: pairs for name in self.tainted if (pairs := known.get(name, 0)) >= REFUTING}

    @cached_property
    def tainted(self) -> tuple[str, ...]:
        """The options that were seen in its decisions."""
        return self._in_order({name for one in self.decisions for name in (*one.data, *one.control)})

    @property
    def effects(self) -> tuple[CountedEffect, ...]:
        """What counts prove of it, the largest effect first."""
        return self.analysis.effects.get(self.key, ())

    @property
    def share(self) -> float:
        """How much of all that the program does its largest effect is."""
        return self.analysis.share(self.effects[0]) if self.effects else 0.0

    @property
    def started(self) -> set[str]:
        """Of the program region the options that have other processes work."""
        found = work_elsewhere(self.analysis.result.counted) if self.key == PROGRAM_REGION else None
        return {name for name, _ in found.levels} if found else set()

    @property
    def possible(self) -> tuple[str, ...]:
        """The options that only taints speak for, or `started`: no two runs that differ in one of them alone count differently."""
        proved = {one.option for one in self.effects}
        return tuple(name for name in self.options if name not in proved)

    @property
    def added(self) -> set[str]:
        """The options that counts have added, whether they were seen in a decision or not."""
        return self.analysis.counted.get(self.key, set())

    @property
    def counted(self) -> tuple[str, ...]:
        """The options that counts alone have added."""
        return self._in_order(self.added.difference(self.tainted))

    @property
    def unreached(self) -> tuple[str, ...]:
        """The options that were seen in none of its decisions in any traced run, and that no count speaks for."""
        reached = {*self.tainted, *self.added}
        return tuple(name for name in self.analysis.result.options if name not in reached)

    @property
    def partitions(self) -> tuple[tuple[str, ...], ...]:
        """The formulas of its partition; several where it was split by pairs of options, none without options."""
        return self.analysis.result.partitions.get(self.key, ())

    @property
    def subspaces(self) -> int:
        """How many subspaces it has, of all its partitions."""
        return sum(map(len, self.partitions))

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

    @property
    def _sites(self) -> list[TaintedSite]:
        return self.analysis.sites.get(self.key, [])

    def _in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """Options in the order of the subject's."""
        return tuple(name for name in self.analysis.result.options if name in names)
