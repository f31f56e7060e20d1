"""What it costs to go from one configuration to another."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.protocol import TermModel
from analytics.influence.terms import TermTable


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The step from `before` to `after`, both in the metric's unit, and the terms it is made of.

    `steps` holds every term over the options that differ; their coefficients add up to `difference`. NaN
    where a subspace on the way was never measured. `model` holds the steps relative to `before`; of an
    `InfluenceModel`, `region_shares` tells each step's regions.
    """

    before: float
    after: float
    steps: TermTable
    model: TermModel

    @property
    def difference(self) -> float:
        """What `after` takes more than `before`."""
        return self.after - self.before


def compare(model: TermModel, before: IntArray, after: IntArray) -> Comparison:
    """Compare configuration `before` with `after`, shape (n_options,) each."""
    between = model.between(before, after)
    totals = model.predict(np.stack([before, after]))
    steps = between.terms.where(between.terms.degrees > 0)
    return Comparison(float(totals[0]), float(totals[1]), steps, between)
