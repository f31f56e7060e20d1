"""Performance histories: a band of certainty over all revisions, measured or not."""

from analytics.histories.acquisition import (
    DEFAULT,
    Acquisition,
    acquisition_named,
    bisect,
    hidden_step,
    longest_gap,
    max_variance,
    mix,
    suggest,
)
from analytics.histories.errors import HistoryError
from analytics.histories.estimate import estimate
from analytics.histories.evidence import Evidence
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.gaps import Reason, Suggestion
from analytics.histories.history import fit, predict
from analytics.histories.jumps import best_values, located_jumps
from analytics.histories.mass import Mass, share_measurements
from analytics.histories.measurements import Measurements
from analytics.histories.scale import Scale
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy

__all__ = [
    "DEFAULT",
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
    "best_values",
    "bisect",
    "estimate",
    "fit",
    "hidden_step",
    "located_jumps",
    "longest_gap",
    "max_variance",
    "mix",
    "predict",
    "share_measurements",
    "suggest",
]
