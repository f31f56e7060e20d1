"""Which terms are large enough to matter.

The two ways differ: local influences of opposite sign cancel in the global sum, and many small ones add up.
"""

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.influence.models import InfluenceModel

_SLACK = 1e-9  # relative: a sum that rounding left just below the threshold still reaches it


def reach_globally(model: InfluenceModel, threshold: float) -> BoolArray:
    """Which terms have a summed coefficient of at least `threshold` in size; shape (n_terms,)."""
    return np.abs(model.terms.coefficients) >= threshold * (1 - _SLACK)


def reach_locally(model: InfluenceModel, threshold: float) -> BoolArray:
    """Which terms have such a coefficient in at least one region: the union of thresholded local models.

    This is how the term counts of Velez et al., ICSE 2021, Table II, come about.
    """
    reached = np.zeros(len(model.terms), dtype=bool)
    for local in model.local:
        large = np.abs(local.coefficients) >= threshold * (1 - _SLACK)
        reached[local.positions] |= large.any(axis=0)
    return reached
