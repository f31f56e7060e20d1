"""All learners by name: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.errors import InfluenceError
from analytics.influence.learners.linear import Linear
from analytics.influence.learners.stepwise import Stepwise
from analytics.influence.learners.trees import Trees
from analytics.influence.times import FloatArray


class UnknownLearnerError(InfluenceError):
    """A name that no learner has."""


class Fitted(Protocol):
    """A fitted model of a system's values."""

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), in the metric's unit; shape (n,)."""

    def count_terms(self, threshold: float) -> int | None:
        """How many terms have a coefficient of at least `threshold` in size, 0 for all that are not 0.

        None for a model that is no sum of terms.
        """


class Learner(Protocol):
    """Settings of a learner; `fit` takes the data. None of them is local: they see the program as a whole."""

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator, /
    ) -> Fitted:
        """The model of `values` (n,), all finite, of `configurations` (n, n_options), the same for the same seed."""


@dataclass(frozen=True, slots=True)
class ListedLearner:
    """A learner with its settings and its title.

    `interpretable` where people can read the model itself: sums of terms, and a tree of at most 64 leaves; no forest,
    and no tree that was grown to the end, which has about as many leaves as there are measurements.
    """

    title: str
    learner: Learner
    interpretable: bool


# Those of Velez et al., ICSE 2021, Sec. V-B and appendix, as they set them; then two whose penalty is chosen.
LEARNERS: Mapping[str, ListedLearner] = {
    "linear": ListedLearner("linear", Linear(), interpretable=True),
    "pair-wise-linear": ListedLearner("pair-wise linear", Linear(degree=2), interpretable=True),
    "stepwise": ListedLearner("stepwise with interactions", Stepwise(), interpretable=True),
    "lasso": ListedLearner("lasso", Linear(penalty=1.0), interpretable=True),
    "pair-wise-lasso": ListedLearner("pair-wise lasso", Linear(degree=2, penalty=1.0), interpretable=True),
    "elastic-net": ListedLearner("elastic net", Linear(penalty=1.0, absolute=0.5), interpretable=True),
    "lasso-chosen": ListedLearner("lasso, chosen penalty", Linear(penalty=None), interpretable=True),
    "pair-wise-lasso-chosen": ListedLearner(
        "pair-wise lasso, chosen penalty", Linear(degree=2, penalty=None), interpretable=True
    ),
    "cart-6": ListedLearner("tree of depth 6", Trees(depth=6), interpretable=True),
    "cart": ListedLearner("tree", Trees(), interpretable=False),
    "random-forest": ListedLearner("random forest", Trees(count=100), interpretable=False),
}


def learner_called(name: str) -> ListedLearner:
    """The learner called `name`. Raises `UnknownLearnerError`."""
    try:
        return LEARNERS[name]
    except KeyError:
        raise UnknownLearnerError(f"no learner is called {name!r}: known are {', '.join(LEARNERS)}") from None
