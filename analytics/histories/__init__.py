"""Performance histories: a band of certainty over all revisions, measured or not."""

from analytics.histories.acquisition import (
    Acquisition,
    Reason,
    Suggestion,
    acquisition_named,
    bisect,
    hidden_step,
    longest_gap,
    max_variance,
    mix,
    suggest,
)
from analytics.histories.errors import HistoryError
from analytics.histories.evidence import Evidence
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.history import fit, predict
from analytics.histories.mass import Mass, share_measurements
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
    "Mass",
    "Measurements",
    "NoisePolicy",
    "Reason",
    "Scale",
    "Suggestion",
    "acquisition_named",
    "bisect",
    "fit",
    "hidden_step",
    "longest_gap",
    "max_variance",
    "mix",
    "predict",
    "share_measurements",
    "suggest",
]
