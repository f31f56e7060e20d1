"""The hybrid model: white-box candidates, noise-free counts and measured times in one sum of terms."""

from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.intervals import BootstrapDraws, draws
from analytics.influence.hybrid.model import CountModel, HybridModel, count_model, hybrid_model, weighed

__all__ = [
    "BootstrapDraws",
    "Candidates",
    "CountModel",
    "CountedSample",
    "HybridModel",
    "count_model",
    "draws",
    "hybrid_model",
    "weighed",
]
