"""Samplings: which configurations to measure before a model is learned from them."""

from analytics.configurations.samplings.covering import TWise
from analytics.configurations.samplings.designs import Exhaustive, FeatureWise, NegativeFeatureWise, PairWise
from analytics.configurations.samplings.random import UniformRandom
from analytics.configurations.samplings.registry import (
    SAMPLINGS,
    Sampling,
    sampling_called,
    sampling_title,
)

__all__ = [
    "SAMPLINGS",
    "Exhaustive",
    "FeatureWise",
    "NegativeFeatureWise",
    "PairWise",
    "Sampling",
    "TWise",
    "UniformRandom",
    "sampling_called",
    "sampling_title",
]
