"""Performance histories: a band of certainty over all revisions, measured or not."""

from analytics.histories.acquisition import (
    Acquisition,
    hidden_step,
    longest_gap,
    suggest,
)
from analytics.histories.change_prior import ChangePrior, share_measurements
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.gaps import Evidence, Suggestion, SuggestionReason
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.robust_levels import estimate, located_jumps, point_estimates
from analytics.histories.scale import ValueScale
from analytics.histories.settings import METHOD_VERSION, HistorySettings, Kernel, NoisePolicy

__all__ = [
    "METHOD_VERSION",
    "Acquisition",
    "Band",
    "ChangePrior",
    "Evidence",
    "FittedHistory",
    "HistoryError",
    "HistorySettings",
    "Hyperparameters",
    "Kernel",
    "Measurements",
    "NoisePolicy",
    "Suggestion",
    "SuggestionReason",
    "ValueScale",
    "estimate",
    "fit",
    "hidden_step",
    "located_jumps",
    "longest_gap",
    "point_estimates",
    "predict",
    "share_measurements",
    "suggest",
]
