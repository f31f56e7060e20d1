"""Learners: models of configurations from end-to-end measurements alone, the black-box baselines."""

from analytics.influence.learners.registry import (
    LEARNERS,
    Fitted,
    Learner,
    ListedLearner,
    UnknownLearnerError,
    learner_called,
)
from analytics.influence.learners.stepwise import Stepwise
from analytics.influence.learners.trees import TreeFit

__all__ = [
    "LEARNERS",
    "Fitted",
    "Learner",
    "ListedLearner",
    "Stepwise",
    "TreeFit",
    "UnknownLearnerError",
    "learner_called",
]
