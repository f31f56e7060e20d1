"""Which options reach which region: as partitions say, or, where none are known, as the measurements tell."""

from functools import lru_cache

import numpy as np
from scipy.special import fdtrc

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray, RegionTimes
from dashboard.models import PerformanceModel
from dashboard.selectors.loaded_models import ModelKey, cached_model

# Every option is tried in every region: this rare, chance alone makes none of a thousand regions stand out.
_CHANCE = 1e-5


@lru_cache(maxsize=8)
def reaching_options(key: ModelKey) -> BoolArray:
    """Whether an option reaches a region, shape (n_regions, n_options)."""
    model = cached_model(key)
    times = model.times
    if model.row.kind == PerformanceModel.Kind.FULL_FACTORIAL and bool((times.ran.sum(axis=1) > 1).any()):
        return telling_options(times)
    reached = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for row, partition in enumerate(times.partitions):
        reached[row, list(partition.options)] = True
    return reached


def telling_options(times: RegionTimes) -> BoolArray:
    """Which options change a region's time beyond what repetitions differ, shape (n_regions, n_options).

    An analysis of variance for each option: configurations that differ in it alone are compared with each other,
    and their spread is held against the spread of repetitions, pooled over all configurations (F test).
    """
    counts = times.ran.sum(axis=1)
    kept = np.where(times.ran, times.values, 0.0)
    means = kept.sum(axis=2) / counts
    within = np.where(times.ran, kept - means[:, :, np.newaxis], 0.0)
    freedom = int((counts - 1).sum())
    noise = (within**2).sum(axis=(1, 2)) / freedom
    told = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for option in range(len(times.space.options)):
        others = np.delete(times.configurations, option, axis=1)
        spread, between = _spread(means, counts, others)
        if between:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(spread / between / noise, posinf=np.inf)
            told[:, option] = fdtrc(between, freedom, ratio) < _CHANCE
    return told


def _spread(means: FloatArray, counts: IntArray, others: IntArray) -> tuple[FloatArray, int]:
    """The sum of squares between configurations that agree in `others`, for each region, and its degrees of freedom."""
    _, group = np.unique(others, axis=0, return_inverse=True)
    belongs = np.eye(group.max() + 1)[group.ravel()] * counts[:, np.newaxis]
    centres = (means @ belongs) / belongs.sum(axis=0)
    spread = (counts * (means - centres[:, group.ravel()]) ** 2).sum(axis=1)
    return spread, len(group.ravel()) - centres.shape[1]
