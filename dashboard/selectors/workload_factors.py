"""What a configuration takes by another one in each workload, and which configuration is best over all of them."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.terms import Estimate
from analytics.workloads.factors import WorkloadModel
from dashboard.models import System
from dashboard.selectors.configurations import chosen
from dashboard.selectors.model_rows import Influences, ModelIdentity
from dashboard.selectors.workload_rows import FactorInWorkload, FactorsInWorkloads, WorkloadContext
from dashboard.selectors.workload_tables import DataVersion, workload_table
from dashboard.selectors.workloads import effects_in, workload_contexts


def factors_in_workloads(
    *, system: System, found: Influences, fixed: Mapping[str, str]
) -> FactorsInWorkloads | None:
    """The target of `found` by its base in the workloads that were measured at the place of its model.

    None where these are not several, or where no measured configuration has the levels of `fixed`, in words by option.
    Ten queries at most.
    """
    context = _context(system, found.model)
    if context is None or found.target is None:
        return None
    version = DataVersion.of(system)
    fitted = _model(version, context)
    if fitted is None:
        return None
    space, sample = workload_table(version, context).space, fitted.sample
    kept = encoded(space, fixed)
    places = [space.position(name) for name in fixed]
    allowed = np.flatnonzero((sample.configurations[:, places] == kept[places]).all(axis=1))
    if not len(allowed):
        return None
    # Lower is better, whatever the metric.
    logs = np.log(sample.values[allowed]) * (1 if context.lower_is_better else -1)
    losses = logs - logs.min(axis=0)
    target, base = (encoded(space, dict(one.differences)) for one in (found.target, found.base))
    factors: list[Estimate | None] = [None] * len(sample.workloads)
    if fitted.knows(target) and fitted.knows(base):
        told = fitted.factors(target, base)
        factors = [
            Estimate(value, None if told.measured else margin)
            for value, margin in zip(told.values.tolist(), told.margins.tolist(), strict=True)
        ]
    over, varied = int(losses.mean(axis=1).argmin()), np.ptp(sample.configurations, axis=0) > 0
    configurations = sample.configurations[allowed]
    rows = [
        FactorInWorkload(name, factor, chosen(space, configurations[best], varied))
        for name, factor, best in zip(sample.workloads, factors, losses.argmin(axis=0), strict=True)
    ]
    return FactorsInWorkloads(
        context=context,
        rows=tuple(sorted(rows, key=lambda row: -row.factor.value if row.factor else 0.0)),
        configurations=len(allowed),
        best=chosen(space, configurations[over], varied),
        typical=float(np.median(losses[over])),
        most=float(losses[over].max()),
        worst=sample.workloads[int(losses[over].argmax())],
    )


def _context(system: System, model: ModelIdentity) -> WorkloadContext | None:
    """Where several workloads were measured as the model was, if anywhere."""
    own = (model.revision, model.environment, model.quantity, model.clock)
    for one in workload_contexts(system):
        if (one.revision, one.environment, one.quantity, one.clock) == own:
            return one
    return None


def encoded(space: OptionSpace, levels: Mapping[str, str]) -> IntArray:
    """The configuration of reference levels but for these, in words by option; shape (n_options,)."""
    row: IntArray = space.reference.copy()
    for name, text in levels.items():
        place = space.position(name)
        row[place] = space.options[place].index_of_text(text)
    return row


@lru_cache(maxsize=16)
def _model(version: DataVersion, context: WorkloadContext) -> WorkloadModel | None:
    effects = effects_in(version, context)
    return (
        None
        if effects is None
        else WorkloadModel.over(effects.levels, workload_table(version, context).sample)
    )
