"""Learners: models of configurations from end-to-end measurements alone, the black-box baselines."""

from analytics.influence.learners.fitted import Fitted, TreeFit
from analytics.influence.learners.registry import (
    LEARNERS,
    Learner,
    ListedLearner,
    UnknownLearnerError,
    learner_called,
)
from analytics.influence.learners.stepwise import Stepwise

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
