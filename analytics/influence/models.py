"""Local models of regions and their sum, the global model (Velez et al., ICSE 2021, Sec. III-C)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.errors import UnknownRegionError
from analytics.influence.moebius import TermWeights, all_levels, levels_between
from analytics.influence.subspaces import SubspaceTimes, subspace_times
from analytics.influence.terms import Estimate, TermTable, by_size, exceeds, margins, union
from analytics.influence.times import FloatArray, RegionTimes
from analytics.influence.uncertainty import difference_variance, global_variances, local_variances


@dataclass(frozen=True, slots=True, eq=False)
class LocalTerms:
    """The local models of all regions with one partition.

    `positions` (n_terms,) are rows of the global model; coefficients, standard errors and degrees of freedom
    have shape (n_regions, n_terms).
    """

    subspaces: SubspaceTimes
    weights: TermWeights
    positions: IntArray
    coefficients: FloatArray
    standard_errors: FloatArray
    degrees_of_freedom: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class InfluenceModel:
    """A global model relative to `base`, with the local models it is the sum of."""

    times: RegionTimes
    base: IntArray
    terms: TermTable
    local: tuple[LocalTerms, ...]

    def relative_to(self, base: IntArray) -> "InfluenceModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""
        return self._over(all_levels(self.times.space, base))

    def between(self, before: IntArray, after: IntArray) -> "InfluenceModel":
        """The terms that lead from configuration `before`, the base, to `after`: nothing else varies."""
        return self._over(levels_between(self.times.space, before, after))

    def _over(self, reach: Sequence[IntArray]) -> "InfluenceModel":
        return _compose(self.times, [local.subspaces for local in self.local], reach)

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,): the sum of its subspaces' values over all regions.

        NaN where a configuration falls into a subspace that was never measured.
        """
        configurations = self.times.space.checked(configurations)
        total = np.zeros(len(configurations))
        for group in (local.subspaces for local in self.local):
            total += group.values.sum(axis=0)[group.partition.assign(configurations)]
        return total

    def difference(self, before: IntArray, after: IntArray) -> Estimate:
        """What configuration `after` takes more than `before`, (n_options,) each, by all regions together."""
        first, second = self.predict(np.stack([before, after]))
        groups = [local.subspaces for local in self.local]
        error, freedom = difference_variance(groups, self.times.ran.sum(axis=1), before, after)
        return Estimate.of(float(second - first), float(margins(error, freedom)))

    def shares(self, row: int) -> dict[str, Estimate]:
        """What each region adds to the term in `row` of `terms`, the largest first; those that add 0 are left out.

        They sum to the term.
        """
        found = {}
        for local in self.local:
            for column in np.flatnonzero(local.positions == row):
                values, errors = local.coefficients[:, column], local.standard_errors[:, column]
                half = margins(errors, local.degrees_of_freedom[:, column])
                for member in np.flatnonzero(values):
                    region = self.times.regions[local.subspaces.regions[member]]
                    found[region] = Estimate.of(float(values[member]), float(half[member]))
        return by_size(found)

    def significant_regions(self) -> IntArray:
        """In how many regions each term is significant, the program region not counted; shape (n_terms,)."""
        counts = np.zeros(len(self.terms), dtype=int)
        for local in self.local:
            regions = [self.times.regions[position] for position in local.subspaces.regions]
            own = np.array([region != self.times.program_region for region in regions])
            half = margins(local.standard_errors, local.degrees_of_freedom)
            counts[local.positions] += exceeds(local.coefficients, half)[own].sum(axis=0)
        return counts

    def local_model(self, region: str) -> TermTable:
        """The terms of one region. Raises `UnknownRegionError`."""
        return self.table(*self.local_of(region))

    def table(self, local: LocalTerms, member: int) -> TermTable:
        """The terms of the region in row `member` of the local models `local`."""
        return TermTable(
            self.times.space,
            self.base,
            local.weights.levels,
            local.coefficients[member],
            local.standard_errors[member],
            local.degrees_of_freedom[member],
        )

    def local_of(self, region: str) -> tuple[LocalTerms, int]:
        """The local models among which the region's is, and its row there. Raises `UnknownRegionError`."""
        if region not in self.times.regions:
            raise UnknownRegionError(f"the model has no region {region!r}")
        position = list(self.times.regions).index(region)
        local = next(local for local in self.local if position in local.subspaces.regions)
        return local, list(local.subspaces.regions).index(position)


def fit(times: RegionTimes, base: IntArray | None = None) -> InfluenceModel:
    """The influence model of `times`, relative to `base` (None: the reference configuration)."""
    reach = all_levels(times.space, times.space.reference if base is None else base)
    return _compose(times, subspace_times(times), reach)


def _compose(
    times: RegionTimes, subspaces: Sequence[SubspaceTimes], reach: Sequence[IntArray]
) -> InfluenceModel:
    """The model with the terms over the levels in `reach`, whose first entry per option is the base level."""
    weights = [TermWeights(group.partition, group.covered, reach) for group in subspaces]
    levels, positions = union([weight.levels for weight in weights])
    coefficients = np.zeros(len(levels))
    local = []
    for group, weight, rows in zip(subspaces, weights, positions, strict=True):
        own = group.values[:, weight.subspaces] @ weight.weights.T
        own[:, ~weight.determined] = np.nan
        coefficients[rows] += own.sum(axis=0)
        local.append(LocalTerms(group, weight, rows, own, *local_variances(group, weight)))
    base = np.array([own[0] for own in reach], dtype=np.int8)
    errors, freedom = global_variances(
        list(zip(subspaces, weights, positions, strict=True)), times.ran.sum(axis=1), len(levels)
    )
    table = TermTable(times.space, base, levels, coefficients, errors, freedom)
    return InfluenceModel(times, base, table, tuple(local))
