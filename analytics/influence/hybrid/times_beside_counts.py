"""Times for the hybrid model: weights of counts, and what options add beside all counts, in libraries say.

What an option does there may depend on others: a level of compression costs nothing where a faster way is taken. A ridge over
single options, as beside counts that explain the times, then finds nothing that helps, and counts that happen to go along are
made responsible. Terms of up to two options by the relaxed lasso are the other way; which one is taken, the folds say.
"""

from dataclasses import replace

import numpy as np

from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.data import CountedSample, uncounted
from analytics.influence.hybrid.relaxed import FOLDS, Columns
from analytics.influence.hybrid.weighing import RegionWeights, WeightFit
from analytics.influence.times import FloatArray

_HIGHEST = 2


def weighing(runs: CountedSample, *, paired: bool) -> WeightFit:
    """What weights are fitted to: measured counts, never predicted ones; errors are relative to plain times.

    With `paired` the times are means of plain and corrected counting runs. Raises `InfluenceError`.
    """
    levels = terms_up_to(runs.space, 1)[1:]
    return WeightFit(
        counts=runs.by_region(),
        modules=[name.partition(":")[0] for name in runs.names],
        columns=design_matrix(levels, runs.configurations),
        levels=levels,
        seconds=_times(runs, paired=paired),
        truth=_times(runs, paired=False),
    )


def weights_beside_options(runs: CountedSample, *, paired: bool) -> RegionWeights:
    """Weights of counts alone, and terms of up to two options for what these leave, of at least five `runs`.

    The error is that of each fifth of the runs, predicted by all of this from the others.
    """
    truth, every, counts = _times(runs, paired=False), np.arange(len(runs.configurations)), runs.by_region()
    held = np.empty(len(every))
    for fold in range(FOLDS):
        rows = every % FOLDS == fold
        made = _beside_options(runs.part(~rows), paired=paired)
        columns = design_matrix(made.levels, runs.configurations[rows])
        held[rows] = made.constant + counts[rows] @ made.regions + columns @ made.options
    error = float(np.mean(np.abs(held - truth) / truth) * 100)
    return replace(_beside_options(runs, paired=paired), error=error)


def _beside_options(runs: CountedSample, *, paired: bool) -> RegionWeights:
    """The weights of counts where options add nothing, and the terms that the relaxed lasso takes for what is left."""
    weights = weighing(runs, paired=paired).best(of_options=(0.0,))
    seconds, truth = (_times(runs, paired=one) for one in (paired, False))
    levels = terms_up_to(runs.space, _HIGHEST)[1:]
    # An error counts by its share of the run's time.
    columns = Columns(design_matrix(levels, runs.configurations), (truth.mean() / truth) ** 2)
    fit = columns.relaxed_lasso(seconds - weights.constant - runs.by_region() @ weights.regions)
    kept = fit.coefficients != 0
    constant = weights.constant + fit.intercept
    return replace(weights, constant=constant, levels=levels[kept], options=fit.coefficients[kept])


def _times(runs: CountedSample, *, paired: bool) -> FloatArray:
    if runs.plain is None:
        raise InfluenceError("these runs have no plain times: measure them without counters too")
    if not paired or runs.counted is None:
        return runs.plain
    total = runs.counts.sum(axis=1).astype(float)
    return (runs.plain + uncounted(runs.plain, runs.counted, total)) / 2
