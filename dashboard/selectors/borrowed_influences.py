"""The influences in a workload of which little was measured, as far as other workloads tell them."""

from functools import lru_cache

import numpy as np
from scipy import special

from analytics.influence.terms import CONFIDENCE, Estimate
from analytics.workloads.borrowed import FEWEST_OWN, borrow, left_out_errors
from analytics.workloads.families import WorkloadFamily, learn_family
from dashboard.models import System
from dashboard.selectors.workload_rows import (
    BorrowedInfluence,
    BorrowedInfluences,
    ComparedWorkloads,
    WorkloadContext,
)
from dashboard.selectors.workload_tables import DataVersion, workload_table
from dashboard.selectors.workloads import changed_levels


def little_measured(found: ComparedWorkloads) -> tuple[str, ...]:
    """The workloads that were left out since too little was measured, and of which enough was to borrow for them."""
    if not found.terms:
        return ()
    return tuple(
        one.name for one in found.workloads if one.left_out == "missing" and one.configurations >= FEWEST_OWN
    )


def borrowed_influences(*, system: System, context: WorkloadContext, workload: str) -> BorrowedInfluences:
    """Of one of `little_measured`. Four queries; none where it is kept in this process."""
    return _borrowed(DataVersion.of(system), context, workload)


@lru_cache(maxsize=16)
def workload_family(version: DataVersion, context: WorkloadContext) -> WorkloadFamily:
    """What the compared workloads of a context have in common. Four queries; none where it is kept in this process."""
    table = workload_table(version, context)
    return learn_family(table.space, table.sample)


@lru_cache(maxsize=64)
def _borrowed(version: DataVersion, context: WorkloadContext, workload: str) -> BorrowedInfluences:
    table, family = workload_table(version, context), workload_family(version, context)
    values = table.values[:, table.names.index(workload)]
    own = np.flatnonzero(np.isfinite(values))
    found = borrow(family, table.configurations[own], values[own])
    errors = left_out_errors(family, table.configurations[own], values[own])
    # What a further workload would have, were nothing measured of it.
    beyond = float(special.stdtrit(family.workloads - 1, (1 + CONFIDENCE) / 2)) * np.sqrt(
        1 + 1 / family.workloads
    )
    influences = [
        BorrowedInfluence(
            *changed_levels(table.space, levels),
            here=Estimate(float(found.coefficients[at]), float(found.margins[at])),
            others=Estimate(float(family.means[at]), float(beyond * family.deviations[at])),
            told=float(found.told[at]),
        )
        for at, levels in enumerate(family.levels)
        if at
    ]
    return BorrowedInfluences(
        workload=workload,
        influences=tuple(sorted(influences, key=lambda one: (-abs(one.here.value), one.key))),
        configurations=len(own),
        runs=table.runs[workload],
        known=family.workloads,
        error=float(errors.mean()) if len(errors) else None,
    )
