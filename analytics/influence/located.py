"""A learned model: of the program as a whole, and of the regions where its terms arise, as far as these are known."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.linear import LinearModel, relative_to_reference
from analytics.influence.models import InfluenceModel
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.multiplicative import LearnedWhole, MultiplicativeModel
from analytics.influence.terms import Estimate, TermTable, by_size
from analytics.influence.times import FloatArray


@dataclass(frozen=True, eq=False)
class LocatedModel:
    """The model of the program as a `whole`, relative to its base, and those of `regions` relative to the reference.

    `target` is the configuration that the terms lead to, None where they lead anywhere. What the regions' terms lack of
    the whole arises in none of them. There are none where the program was measured as a whole alone, or effects multiply.
    """

    whole: LearnedWhole
    regions: Mapping[str, LinearModel]
    target: IntArray | None = None

    @property
    def base(self) -> IntArray:
        """The configuration that terms are relative to, shape (n_options,)."""
        return self.terms.base

    @property
    def is_multiplicative(self) -> bool:
        """Whether effects multiply: a prediction is no sum of terms then."""
        return isinstance(self.whole, MultiplicativeModel)

    @property
    def terms(self) -> TermTable:
        """The terms of the whole, the intercept first."""
        return self.whole.terms

    @cached_property
    def local(self) -> Mapping[str, TermTable]:
        """The terms of each region, relative to the same base as those of the whole."""
        if self.target is None:
            return {name: one.relative_to(self.base).terms for name, one in self.regions.items()}
        return {name: one.between(self.base, self.target).terms for name, one in self.regions.items()}

    def relative_to(self, base: IntArray) -> "LocatedModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""
        return LocatedModel(self.whole.relative_to(base), self.regions)

    def between(self, before: IntArray, after: IntArray) -> "LocatedModel":
        """The terms that lead from configuration `before`, the base, to `after`: nothing else varies."""
        return LocatedModel(self.whole.between(before, after), self.regions, after)

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,)."""
        return self.whole.predict(configurations)

    def shares(self, row: int) -> dict[str, Estimate]:
        """What each region adds to the term in `row` of `terms`, the largest first; regions that add exactly 0 are left out."""
        found = {}
        for name, table in self.local.items():
            for own in np.flatnonzero((table.levels == self.terms.levels[row]).all(axis=1)).tolist():
                if table.coefficients[own] != 0:
                    found[name] = table.estimates()[own]
        return by_size(found)

    def reached(self) -> IntArray:
        """In how many regions each option has a term, shape (n_options,); without regions, whether it has one."""
        levels = [one.levels for one in self.regions.values()] or [self.terms.levels]
        return np.asarray(np.sum([(own != UNTOUCHED).any(axis=0) for own in levels], axis=0))

    def significant_regions(self) -> IntArray:
        """In how many regions each term of the whole is significant, shape (n_terms,)."""
        indices = {row.tobytes(): index for index, row in enumerate(self.terms.levels.astype(np.int8))}
        counts = np.zeros(len(self.terms), dtype=int)
        for table in self.local.values():
            for row in table.levels[table.significant].astype(np.int8):
                if row.tobytes() in indices:
                    counts[indices[row.tobytes()]] += 1
        return counts


# A sum of terms relative to a base: composed of regions, or learned.
TermModel = InfluenceModel | LocatedModel


def without_zero_terms(model: LinearModel) -> LinearModel:
    """The same local model without the terms that are surely zero."""
    fitted = model.fitted
    kept = (fitted.coefficients != 0) | (np.diag(fitted.covariance) > 0)
    return relative_to_reference(
        model.terms.space,
        model.levels[kept],
        fitted.of(np.eye(len(kept))[kept]),
    )
