"""What every model of influences can do, however it came about."""

from typing import Protocol

from analytics.configurations.options import IntArray
from analytics.influence.terms import Estimate, TermTable
from analytics.influence.times import FloatArray


class TermModel(Protocol):
    """A sum of terms relative to `base`: composed of regions (`InfluenceModel`) or learned (`LinearModel`)."""

    @property
    def base(self) -> IntArray:
        """The configuration that terms are relative to, shape (n_options,)."""

    @property
    def terms(self) -> TermTable:
        """The terms, the intercept first: the value of the base."""

    def relative_to(self, base: IntArray) -> "TermModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""

    def between(self, before: IntArray, after: IntArray) -> "TermModel":
        """The terms that lead from configuration `before`, the base, to `after`: nothing else varies."""

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,); NaN where the measurements do not determine it."""

    def shares(self, row: int, /) -> dict[str, Estimate]:
        """What each region adds to the term in `row` of `terms`, the largest first; none of a model without regions."""

    def significant_regions(self) -> IntArray:
        """In how many regions each term is significant, shape (n_terms,)."""
