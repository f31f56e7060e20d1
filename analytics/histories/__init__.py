"""Performance histories: a band of certainty over all revisions, measured or not."""

from analytics.histories.acquisition import (
    Acquisition,
    Evidence,
    Reason,
    Suggestion,
    hidden_step,
    longest_gap,
    mix,
    suggest,
)
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.scale import Scale
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy

__all__ = [
    "Acquisition",
    "Band",
    "Evidence",
    "FittedHistory",
    "HistoryError",
    "HistorySettings",
    "Hyperparameters",
    "Kernel",
    "Measurements",
    "NoisePolicy",
    "Reason",
    "Scale",
    "Suggestion",
    "fit",
    "hidden_step",
    "longest_gap",
    "mix",
    "predict",
    "suggest",
]
