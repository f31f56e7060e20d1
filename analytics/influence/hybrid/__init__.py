"""The hybrid model: white-box candidates, noise-free counts and measured times in one sum of terms."""

from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.intervals import with_intervals
from analytics.influence.hybrid.model import CountModel, HybridModel, count_model, hybrid_model, weighed

__all__ = [
    "Candidates",
    "CountModel",
    "CountedSample",
    "HybridModel",
    "count_model",
    "hybrid_model",
    "weighed",
    "with_intervals",
]
