"""Models of noise-free counts: for each counter few terms over the options that may matter to its region."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.data import Candidates, CountedRuns
from analytics.influence.hybrid.projections import differs_inside, exact_options, exact_terms
from analytics.influence.hybrid.relaxed import least_squares, relaxed_lasso
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

Way = Literal["constant", "exact", "learned"]
_HIGHEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class CountFit:
    """How one pattern of counts depends on options.

    `sites` have this pattern, each `scales` times it. `levels` (n_terms, n_options) with `coefficients` (n_terms,), the
    intercept among them. `way`: the same in all runs, exactly a table over few options, or learned by the relaxed lasso
    with the `share` of its shrinkage. `missed`: counts differ where all tainted options agree, so that all options are
    candidates.
    """

    sites: IntArray
    scales: FloatArray
    pattern: FloatArray
    levels: IntArray
    coefficients: FloatArray
    way: Way
    missed: bool
    share: float = 0.0

    def drawn(self, configurations: IntArray, weights: FloatArray) -> FloatArray:
        """The coefficients where the configurations have other `weights` (n,), the terms and their shrinkage kept.

        An exact table is what it is, however often its configurations count.
        """
        if self.way != "learned" or self.share == 1.0:
            return self.coefficients
        columns = design_matrix(self.levels[1:], configurations)
        every = np.ones(columns.shape[1], dtype=bool)
        before = least_squares(columns, self.pattern, every)
        after = least_squares(columns, self.pattern, every, weights)
        moved = (1 - self.share) * (after - before)
        shares = weights / weights.sum()
        level = shares @ self.pattern - shares @ columns @ (self.coefficients[1:] + moved)
        return np.concatenate([[level], self.coefficients[1:] + moved])


@dataclass(slots=True, eq=False)
class _Patterns:
    """What was fitted already: counters of one pattern and the same candidates share a fit."""

    space: OptionSpace
    configurations: IntArray
    terms: dict[frozenset[int], IntArray] = field(default_factory=dict)

    def fit(
        self, pattern: FloatArray, options: frozenset[int], sites: IntArray, scales: FloatArray
    ) -> CountFit:
        """The fit of one pattern over the options that taint its region."""
        everything = frozenset(range(len(self.space.options)))
        missed = options != everything and differs_inside(self.configurations, pattern, options)
        options = everything if missed else options
        way: Way = "learned"
        share = 0.0
        exact = exact_options(self.space, self.configurations, pattern, options)
        if exact:
            way = "exact" if exact[0] else "constant"
            levels, coefficients = self._mean(exact, pattern)
        else:
            levels, coefficients, share = self._learned(pattern, options)
        return CountFit(sites, scales, pattern, levels, coefficients, way, missed, share)

    def _mean(self, exact: list[tuple[int, ...]], pattern: FloatArray) -> tuple[IntArray, FloatArray]:
        """The mean of the tables that fit equally well: nothing tells which is right."""
        joined: dict[bytes, float] = {}
        for chosen in exact:
            rows, values = exact_terms(self.space, self.configurations, pattern, chosen)
            for row, value in zip(rows, values, strict=True):
                joined[row.tobytes()] = joined.get(row.tobytes(), 0.0) + float(value) / len(exact)
        width = len(self.space.options)
        if not joined:
            return np.full((1, width), UNTOUCHED, dtype=np.int8), np.zeros(1)
        levels = np.frombuffer(b"".join(joined), dtype=np.int8).reshape(-1, width)
        return levels, np.array(list(joined.values()))

    def _learned(self, pattern: FloatArray, options: frozenset[int]) -> tuple[IntArray, FloatArray, float]:
        levels = self._terms(options)
        found = relaxed_lasso(design_matrix(levels[1:], self.configurations), pattern)
        kept = np.concatenate([[True], found.chosen])
        return levels[kept], np.concatenate([[found.intercept], found.coefficients])[kept], found.share

    def _terms(self, options: frozenset[int]) -> IntArray:
        """Terms over `options`: of up to three of them where these are no more than the runs, else of up to two."""
        if options not in self.terms:
            for degree in range(_HIGHEST, 1, -1):
                levels = _over(self.space, options, degree)
                if len(levels) <= len(self.configurations):
                    break
            self.terms[options] = levels
        return self.terms[options]


def _over(space: OptionSpace, options: Iterable[int], degree: int) -> IntArray:
    positions = sorted(options)
    inner = terms_up_to(OptionSpace(tuple(space.options[position] for position in positions)), degree)
    levels = np.full((len(inner), len(space.options)), UNTOUCHED, dtype=np.int8)
    levels[:, positions] = inner
    return levels


def fit_counts(runs: CountedRuns, candidates: Candidates | None) -> tuple[CountFit, ...]:
    """The fits of all counters of `runs`, one for each pattern. `candidates` None: every option for every region."""
    patterns = _Patterns(runs.space, runs.configurations)
    everything = frozenset(range(len(runs.space.options)))
    groups: dict[tuple[bytes, frozenset[int]], list[tuple[int, float]]] = {}
    kept: dict[bytes, FloatArray] = {}
    for site, region in enumerate(runs.regions):
        column = runs.counts[:, site].astype(np.int64)
        scale = int(np.gcd.reduce(column)) or 1
        pattern = (column // scale).tobytes()
        kept.setdefault(pattern, (column // scale).astype(float))
        options = everything if candidates is None else candidates.get(region, frozenset())
        groups.setdefault((pattern, options), []).append((site, float(scale)))
    return tuple(
        patterns.fit(
            kept[pattern],
            options,
            np.array([site for site, _ in members]),
            np.array([scale for _, scale in members]),
        )
        for (pattern, options), members in groups.items()
    )
