"""Uniform random sampling."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations


@dataclass(frozen=True, slots=True)
class UniformRandom:
    """`size` different valid configurations, each set of them as likely as any other."""

    size: int

    def choose(self, valid: ValidConfigurations, rng: np.random.Generator) -> IntArray:
        """The configurations, all valid ones where there are no more; shape (n, n_options)."""
        return valid.sample(self.size, rng)
