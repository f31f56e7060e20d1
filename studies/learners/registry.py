"""All learners by the names that `analytics.evaluation` titles: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from studies.learners.divided import DivideAndLearn
from studies.learners.linear import Linear
from studies.learners.logarithms import Logarithms
from studies.learners.stepwise import Stepwise
from studies.learners.trees import Boosting, Trees


class Fitted(Protocol):
    """A fitted model of a system's values."""

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), in the metric's unit; shape (n,)."""


class Learner(Protocol):
    """Settings of a learner; `fit` takes the data. None of them is local: they see the program as a whole.

    `interpretable` where people can read the model itself: sums of terms, and a small tree; no forest.
    """

    @property
    def interpretable(self) -> bool:
        """Whether people can read the model itself."""

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator, /
    ) -> Fitted:
        """The model of `values` (n,), all finite, of `configurations` (n, n_options), the same for the same seed."""


# Those of Velez et al., ICSE 2021, Sec. V-B and appendix, as they set them, and two whose penalty is chosen; then what
# came later, and learners of logarithms.
LEARNERS: Mapping[str, Learner] = {
    "linear": Linear(),
    "pair-wise-linear": Linear(degree=2),
    "stepwise": Stepwise(),
    "lasso": Linear(penalty=1.0),
    "pair-wise-lasso": Linear(degree=2, penalty=1.0),
    "elastic-net": Linear(penalty=1.0, absolute=0.5),
    "lasso-chosen": Linear(penalty=None),
    "pair-wise-lasso-chosen": Linear(degree=2, penalty=None),
    "cart-6": Trees(depth=6),
    "cart": Trees(),
    "random-forest": Trees(count=100),
    "boosting": Boosting(),
    "pair-wise-lasso-log": Logarithms(Linear(degree=2, penalty=None)),
    "cart-log": Logarithms(Trees()),
    "random-forest-log": Logarithms(Trees(count=100)),
    "boosting-log": Logarithms(Boosting()),
    "divide-and-learn": DivideAndLearn(),
}
