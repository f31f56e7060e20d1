"""Learners: models of configurations from end-to-end measurements alone, the black-box baselines."""

from analytics.influence.learners.fitted import Fitted, LinearFit, TreeFit
from analytics.influence.learners.linear import Linear, Penalized
from analytics.influence.learners.registry import (
    LEARNERS,
    Learner,
    ListedLearner,
    UnknownLearnerError,
    learner_called,
)
from analytics.influence.learners.stepwise import Stepwise
from analytics.influence.learners.trees import Cart, RandomForest

__all__ = [
    "LEARNERS",
    "Cart",
    "Fitted",
    "Learner",
    "Linear",
    "LinearFit",
    "ListedLearner",
    "Penalized",
    "RandomForest",
    "Stepwise",
    "TreeFit",
    "UnknownLearnerError",
    "learner_called",
]
