"""Learning models to be stored: with the error on configurations held back, and the version of the method."""

from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.accuracy import mape
from analytics.influence.design import design_matrix
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.model import CountModel, hybrid_model, with_intervals
from analytics.influence.linear import learn, left_out_predictions
from analytics.influence.located import LocatedModel
from analytics.influence.stored import LearnedModel
from analytics.influence.times import FloatArray

# Method versions of stored fits: each moves when the same measurements would give other numbers.
LEARNER_VERSION = "least-squares-1"
HYBRID_VERSION = "hybrid-3"
# So many parts of the configurations are held back, one after the other; of fewer than two each, none.
PARTS = 5
_FEWEST = 2 * PARTS


def learn_linear(
    space: OptionSpace,
    levels: IntArray,
    configurations: IntArray,
    values: FloatArray,
    *,
    sums: FloatArray | None = None,
) -> LearnedModel:
    """The model over the terms `levels` of `values` (n,) of `configurations`, and its error, as `learn` takes them."""
    model = learn(space, levels, configurations, values, sums=sums)
    predicted = left_out_predictions(design_matrix(levels, space.checked(configurations), sums), values)
    # A share of nothing is no error in percent.
    fair = np.isfinite(predicted) & (values != 0)
    return LearnedModel(
        model=LocatedModel(model, {}),
        configurations=int(np.isfinite(values).sum()),
        error=mape(predicted[fair], values[fair]) if fair.any() else None,
        checked=int(fair.sum()),
    )


def learn_hybrid(runs: CountedSample, candidates: Candidates | None, seed: int = 0) -> LearnedModel:
    """The hybrid model of `runs` with their plain times, the same for the same `seed`. Raises `InfluenceError`.

    Its error is that of predicting each configuration by a model that was learned without its part.
    """
    model = with_intervals(hybrid_model(CountModel(runs, candidates)), seed)
    count = len(runs.configurations)
    if count < _FEWEST or runs.plain is None:
        return LearnedModel(model, count, None, 0)
    order = np.random.default_rng(seed).permutation(count)
    predicted = np.empty(count)
    for part in range(PARTS):
        held = order[part::PARTS]
        rest = np.setdiff1d(order, held)
        others = replace(
            runs,
            configurations=runs.configurations[rest],
            counts=runs.counts[rest],
            plain=runs.plain[rest],
            counted=None if runs.counted is None else runs.counted[rest],
        )
        learned = hybrid_model(CountModel(others, candidates))
        predicted[held] = learned.predict(runs.configurations[held])
    return LearnedModel(model, count, mape(predicted, runs.plain), count)
