"""What an analysis knows after its runs so far: partitions by taints and counts, and what counts still contradict."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from analytics.influence.times import PROGRAM_REGION
from analytics.whitebox.count_evidence import ConfigurationCounts, CountDifference, CountEvidence
from analytics.whitebox.decisions import (
    AS_PUBLISHED,
    NO_DEPENDENCY,
    Decision,
    Extensions,
    option_parsing,
)
from analytics.whitebox.dependencies import TURNS, WHOLE, Statement, options_of, statement_of
from analytics.whitebox.effects import RegionEffects, region_effects, unmoved_statements, unmoved_ways
from analytics.whitebox.evidence import COUNTED_DECISIONS, CountedEffect, DependencyEvidence
from analytics.whitebox.exploration import Coverage, Exploration, coverage
from analytics.whitebox.other_processes import work_elsewhere
from analytics.whitebox.refinement import refined
from analytics.whitebox.result import WhiteBoxResult
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.whitebox.analysis_counts import in_packages


class AnalysisState:
    """What follows from the runs of a result, whose decisions by taints are `decisions`.

    `counts` are those of its counted configurations that are evidence. `exploration` holds all traced configurations,
    those that failed too, and decisions by taints and counts.
    `succeeded` are the configurations that were traced to their end, `excluded` the regions that only parse options,
    each with the reason. With `AS_PUBLISHED` nothing is refined by counts.
    """

    def __init__(
        self,
        result: WhiteBoxResult,
        decisions: frozenset[Decision],
        counts: ConfigurationCounts,
        configurations: SubjectConfigurations,
        extensions: Extensions,
    ) -> None:
        self._result, self._configurations = result, configurations
        self.evidence = CountEvidence(counts, decisions)
        # What was counted in each region; how often a loop turns is work, whatever decides it.
        work: Counter[str] = Counter()
        for site, count in zip(counts.sites, counts.counts.sum(axis=0).tolist(), strict=True):
            work[site[0]] += int(count)
        loops = {(region, f"{line}:{column}") for region, line, column, kind in counts.sites if kind == TURNS}
        parsing = option_parsing((one for one in decisions if statement_of(one) not in loops), work)
        analysis = configurations.subject.analysis
        found = {**parsing, **dict.fromkeys(analysis.exclude, "named in subject.toml")}
        kept = sorted(found.keys() - analysis.include) if extensions != AS_PUBLISHED else ()
        self.excluded = {region: found[region] for region in kept}
        rows = [configurations.row(run.levels) for run in result.runs]
        self.succeeded = tuple(row for row, run in zip(rows, result.runs, strict=True) if run.succeeded)
        self.exploration = Exploration(
            configurations.space,
            tuple(rows),
            refined(self.evidence) | self._elsewhere(),
            replace(extensions, excluded=frozenset(kept)),
        )

    def _elsewhere(self) -> frozenset[Decision]:
        """The decision by which other processes work: their time is the program's, as no function of ours takes it."""
        found = work_elsewhere(self._result.counted)
        if found is None or not found.levels:
            return frozenset()
        names = self._configurations.space.names
        options = sorted(names.index(name) for name, _ in found.levels)
        return frozenset([Decision(PROGRAM_REGION, "", tuple(options), ())])

    @cached_property
    def coverage(self) -> Coverage:
        """How far it is; a configuration that failed has seen nothing."""
        seen = [self._configurations.row(run.levels) for run in self._result.explored]
        width = len(self.exploration.space.options)
        rows = np.array(seen, dtype=np.int8).reshape(len(seen), width)
        return coverage(self.exploration.partitions, rows)

    def unexecuted(self, packages: Iterable[str]) -> tuple[str, ...]:
        """The packages of which no function was entered in any run that counted, nor any module left as it is."""
        if not self._result.counted:
            return ()
        entered = [site[0] for site in self.evidence.counted.sites]
        entered += [module.split(" ")[0] for module in self._result.modules_not_rewritten]
        return tuple(one for one in packages if not any(in_packages(region, [one]) for region in entered))

    @property
    def findings(self) -> dict[str, Any]:
        """What follows from the runs, by the fields of a `WhiteBoxResult`.

        Nothing of a region left out is among the evidence, and a region as a whole is unexplained only where none of its
        statements is.
        """
        missed, left = (
            [one for one in found if one.region not in self.excluded]
            for found in (self.evidence.missed_dependencies, self.evidence.residual_variation)
        )
        effects = region_effects(self.evidence.counted)
        names = self._configurations.space.names
        unexplained = {one.region for one in left if one.place != WHOLE}
        return {
            "partitions": {
                region: tuple(part.formulas for part in parts)
                for region, parts in self.exploration.partitions.items()
            },
            "excluded": self.excluded,
            "sources": self._configurations.subject.sources,
            "effects": tuple(
                CountedEffect(
                    region=region,
                    option=names[option],
                    moved=int(effects.moved[option, at]),
                    differing=int(effects.differing[option, at]),
                )
                for at, region in enumerate(effects.regions)
                for option in np.flatnonzero(effects.moved[:, at]).tolist()
            ),
            "pairs": dict(zip(names, effects.pairs.tolist(), strict=True)),
            "work": dict(zip(effects.regions, effects.work.tolist(), strict=True)),
            "recall": effects.recall,
            "refuted": self._refuted,
            "unmoved": self._unmoved(effects),
            "missed_dependencies": tuple(self._named(one) for one in missed if one.place == WHOLE),
            # Region, "line:column" and names of options.
            "statements": tuple(
                (region, place, self._names(own))
                for (region, place), own in self.evidence.by_statement.items()
                if place != WHOLE
            ),
            "residual_variation": tuple(
                self._named(one) for one in left if one.place != WHOLE or one.region not in unexplained
            ),
        }

    def _unmoved(self, effects: RegionEffects) -> tuple[tuple[str, str, int], ...]:
        """The options that taints tell of a region and that never changed its counts, with how many pairs of runs say so."""
        seen = defaultdict[str, set[str]](set)
        for site in self._result.sites:
            if site.decides:
                seen[site.region].update((*site.data, *site.control))
        still = np.where(effects.differing == 0, effects.working, 0).T
        return tuple(
            (region, name, pairs)
            for region, own in zip(effects.regions, still.tolist(), strict=True)
            for name, pairs in zip(self._configurations.space.names, own, strict=True)
            if pairs and name in seen[region]
        )

    @property
    def _refuted(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The options that taints tell of a decision, or of a step on one of its ways, and counts refute."""
        counted = self.evidence.counted
        unmoved = unmoved_statements(counted) | unmoved_ways(counted)
        seen = defaultdict[Statement, set[str]](set)
        compared = frozenset(at for at, pairs in enumerate(counted.neighbours) if len(pairs))
        entered = {site[0] for site in counted.sites}
        counters = {(region, f"{line}:{column}:{kind}") for region, line, column, kind in counted.sites}
        for site in self._result.sites:
            statement, way = (site.region, f"{site.line}:{site.column}"), (site.region, site.way)
            # What never took a way has no counter.
            if site.way:
                seen[way].update((*site.data, *site.control))
                if site.region in entered and way not in counters:
                    unmoved[way] = compared
            if site.decides:
                seen[statement].update(site.data)
                known = site.kind not in COUNTED_DECISIONS or statement in counted.counters
                if site.region in entered and not known:
                    unmoved[statement] = compared
        refuted = (
            (*one, tuple(name for name in self._names(unmoved[one]) if name in seen[one]))
            for one in sorted(seen.keys() & unmoved.keys())
        )
        return tuple(one for one in refuted if one[2])

    def _names(self, options: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._configurations.space.names[option] for option in sorted(options))

    def _named(self, one: CountDifference) -> DependencyEvidence:
        counted = self.evidence.counted
        region, line, column, kind = counted.sites[one.counter]
        known = options_of(self.evidence.dependencies.get(one.statement, NO_DEPENDENCY))
        first, second = (self._configurations.labels(counted.configurations[run]) for run in one.runs)
        return DependencyEvidence.model_validate(
            {
                "region": region,
                "line": line,
                "column": column,
                "kind": kind,
                "options": self._names(one.options),
                "known": self._names(known.union(self.evidence.by_statement.get(one.statement, ()))),
                "counts": one.counts,
                "levels": (first, second),
            }
        )
