"""Learning models to be stored: with the error on configurations held back, and the version of the method."""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.accuracy import PredictionQuality, prediction_quality
from analytics.influence.cross_validation import (
    FEWEST,
    MANY,
    PARTS,
    PARTS_OF_MANY,
    prediction_margin,
    predictions_without_parts,
)
from analytics.influence.design import design_matrix
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.model import CountModel, hybrid_model, with_intervals
from analytics.influence.linear import learn, left_out_predictions
from analytics.influence.located import LocatedModel
from analytics.influence.multiplicative import MultiplicativeModel, logarithms
from analytics.influence.stored import LearnedModel
from analytics.influence.times import FloatArray

# Method versions of stored fits: each moves when the same measurements would give other numbers.
LEARNER_VERSION = "least-squares-2"
HYBRID_VERSION = "hybrid-8"


def learn_linear(
    space: OptionSpace,
    levels: IntArray,
    configurations: IntArray,
    values: FloatArray,
    *,
    sums: FloatArray | None = None,
    without_parts: Sequence[IntArray] | None = None,
    lower_is_better: bool = True,
    is_multiplicative: bool = False,
) -> LearnedModel:
    """The model over the terms `levels` of `values` (n,) of `configurations`, as `learn` takes them, and its quality.

    A multiplicative one is over the terms of their logarithms; values that have none are left out. Raises `LearningError`.

    `without_parts` are the terms that were chosen without each part (`terms_without_parts`); none where they are not
    known: then there are neither intervals nor an error. None: nobody chose the terms by these values.
    """
    configurations = space.checked(configurations)
    targets = logarithms(values) if is_multiplicative else values
    if without_parts is None:
        predicted = left_out_predictions(design_matrix(levels, configurations, sums), targets)
    else:
        predicted = predictions_without_parts(configurations, targets, without_parts)
    model = learn(space, levels, configurations, targets, sums=sums, held_out=predicted)
    margin = prediction_margin(targets - predicted)
    if is_multiplicative:
        predicted = np.exp(predicted)
    return LearnedModel(
        model=LocatedModel(MultiplicativeModel.of(model) if is_multiplicative else model, {}),
        configurations=int(np.isfinite(targets).sum()),
        quality=prediction_quality(predicted, values, lower_is_better=lower_is_better),
        margin=margin,
    )


def learn_hybrid(runs: CountedSample, candidates: Candidates | None, seed: int = 0) -> LearnedModel:
    """The hybrid model of `runs` with their plain times, the same for the same `seed`. Raises `InfluenceError`.

    Its intervals and its quality come from models that were each learned without a part of the configurations.
    """
    model = hybrid_model(CountModel(runs, candidates))
    count = len(runs.configurations)
    if count < FEWEST or runs.plain is None:
        return LearnedModel(with_intervals(model, ()), count, PredictionQuality(), None)
    parts = min(count, PARTS if count < MANY else PARTS_OF_MANY)
    order = np.random.default_rng(seed).permutation(count)
    predicted, others = np.empty(count), []
    for part in range(parts):
        held = order[part::parts]
        rest = np.setdiff1d(order, held)
        others.append(hybrid_model(CountModel(runs.part(rest), candidates)))
        predicted[held] = others[-1].predict(runs.configurations[held])
    return LearnedModel(
        with_intervals(model, others),
        count,
        prediction_quality(predicted, runs.plain),
        prediction_margin(runs.plain - predicted),
    )
