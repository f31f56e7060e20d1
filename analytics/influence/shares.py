"""Where in the code a term arises."""

from dataclasses import dataclass

import numpy as np

from analytics.influence.models import InfluenceModel
from analytics.influence.terms import Term, margins


@dataclass(frozen=True, slots=True)
class RegionShare:
    """What one region adds to a term: in the metric's unit, and as a share of the term (NaN if that is 0).

    `standard_error` and the ends of the 95 % interval are NaN where the repetitions give none.
    """

    region: str
    coefficient: float
    share: float
    standard_error: float
    lower: float
    upper: float


def region_shares(model: InfluenceModel, term: Term) -> tuple[RegionShare, ...]:
    """The regions of `term`, the largest first; their coefficients add up to the term's.

    Regions that add exactly 0 are left out. Raises `UnknownTermError`.
    """
    row = model.terms.index(term)
    total = float(model.terms.coefficients[row])
    found = []
    for local in model.local:
        for column in np.flatnonzero(local.positions == row):
            errors = local.standard_errors[:, column]
            half = margins(errors, local.degrees_of_freedom[:, column])
            for member, coefficient in enumerate(local.coefficients[:, column].tolist()):
                if coefficient != 0:
                    found.append(
                        RegionShare(
                            region=model.times.regions[local.subspaces.regions[member]],
                            coefficient=coefficient,
                            share=coefficient / total if total else float("nan"),
                            standard_error=float(errors[member]),
                            lower=coefficient - float(half[member]),
                            upper=coefficient + float(half[member]),
                        )
                    )
    return tuple(sorted(found, key=lambda share: (-abs(share.coefficient), share.region)))
