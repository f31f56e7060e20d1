"""The Pareto front of two metrics: the valid configurations than which none is predicted to be better in both."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.errors import TooManyConfigurationsError
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.errors import InfluenceError
from analytics.influence.located import LocatedModel, TermModel
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

MOST = 1 << 16  # configurations that are compared
_AT_ONCE = 1 << 10
_DIGITS = 10


@dataclass(frozen=True, slots=True, eq=False)
class ParetoFront:
    """Configurations (n, n_options) with the predictions of both metrics (n, 2), by the first one, the best first."""

    configurations: IntArray
    values: FloatArray


def pareto_front(
    models: tuple[TermModel, TermModel], valid: ValidConfigurations, lower_is_better: tuple[bool, bool]
) -> ParetoFront:
    """The front over `valid`; empty where nothing is predicted by both.

    Of configurations with equal predictions one stands for all: the one with the fewest options away from the reference.
    Options that no model uses and no constraint names stay at their reference. Raises `InfluenceError` for more than 2^16.
    """
    used = _options_of(models[0]) | _options_of(models[1])
    still = {
        position: 0
        for position, layer in zip(valid.order, valid.layers, strict=True)
        if position not in used and (layer == layer[:, :1]).all()
    }
    try:
        rows = valid.holding(still).enumerate(MOST)
    except TooManyConfigurationsError:
        raise InfluenceError(
            f"more than {MOST} configurations differ in what the models use: fix some options"
        ) from None
    starts = range(0, len(rows), _AT_ONCE)
    values = np.array(
        [[one for at in starts for one in model.predict(rows[at : at + _AT_ONCE])] for model in models]
    ).T.reshape(-1, 2)
    known = np.isfinite(values).all(axis=1)
    rows, values = rows[known], values[known]
    scale = np.maximum(np.abs(values).max(axis=0, initial=0.0), np.finfo(float).tiny)
    # What rounding leaves between equal sums is no difference.
    costs = np.round(values / scale * np.where(lower_is_better, 1.0, -1.0), _DIGITS)
    order = np.lexsort((np.count_nonzero(rows, axis=1), costs[:, 1], costs[:, 0]))
    # By the first metric, each must be better in the second than all before it.
    second = costs[order, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)])[: len(second)]
    kept = order[second < before]
    return ParetoFront(rows[kept], values[kept])


def _options_of(model: TermModel) -> set[int]:
    """The positions of the options that predictions depend on."""
    if isinstance(model, LocatedModel):
        return set(np.flatnonzero((model.whole.levels != UNTOUCHED).any(axis=0)).tolist())
    return {position for local in model.local for position in local.subspaces.partition.options}
