"""Which options reach which region: by its partition, or, without partitions, by an analysis of variance."""

from functools import lru_cache

import numpy as np
from scipy.special import fdtrc

from analytics.configurations.formulas import BoolArray
from analytics.influence.times import RegionTimes
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
        return options_beyond_noise(times)
    reached = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for row, partition in enumerate(times.partitions):
        reached[row, list(partition.options)] = True
    return reached


def options_beyond_noise(times: RegionTimes) -> BoolArray:
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
    changes = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for option in range(len(times.space.options)):
        others = np.delete(times.configurations, option, axis=1)
        _, group = np.unique(others, axis=0, return_inverse=True)
        # The sum of squares between configurations that agree in all others, for each region.
        belongs = np.eye(group.max() + 1)[group.ravel()] * counts[:, np.newaxis]
        centres = (means @ belongs) / belongs.sum(axis=0)
        spread = (counts * (means - centres[:, group.ravel()]) ** 2).sum(axis=1)
        between = len(group.ravel()) - centres.shape[1]  # its degrees of freedom
        if between:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(spread / between / noise, posinf=np.inf)
            changes[:, option] = fdtrc(between, freedom, ratio) < _CHANCE
    return changes
