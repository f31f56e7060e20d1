"""Performance histories: a band of certainty over all revisions, measured or not."""

from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.scale import Scale
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy

__all__ = [
    "Band",
    "FittedHistory",
    "HistoryError",
    "HistorySettings",
    "Hyperparameters",
    "Kernel",
    "Measurements",
    "NoisePolicy",
    "Scale",
    "fit",
    "predict",
]
