"""What counts as a change."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analytics.changepoints.errors import ChangePointError


@dataclass(frozen=True, slots=True)
class ChangePointSettings:
    """Settings of one search.

    They hold for every detector. `minimum_effect` is the smallest relative size
    that is reported. `minimum_points` is how many measured revisions each side needs. `noise_floor` is the smallest
    noise of one value, relative to the level; `known_noise`, where given, is the noise of each value and is not
    estimated. `reference_level`, in the metric's unit, is what sizes refer to where values may be zero or negative,
    such as the base configuration's time for a term. `log_scale` asks for logarithms where all values are positive.
    Raises `ChangePointError`.
    """

    minimum_effect: float = 0.02
    minimum_points: int = 2
    noise_floor: float = 0.003
    known_noise: float | None = None
    log_scale: bool = True
    reference_level: float | None = None

    def __post_init__(self) -> None:
        """Check every size."""
        if not 0 <= self.minimum_effect < math.inf:
            raise ChangePointError(f"minimum_effect must be zero or positive, got {self.minimum_effect}")
        if self.minimum_points < 1:
            raise ChangePointError(f"minimum_points must be at least 1, got {self.minimum_points}")
        sizes = {
            "noise_floor": self.noise_floor,
            "known_noise": self.known_noise,
            "reference_level": self.reference_level,
        }
        for name, size in sizes.items():
            if size is not None and not 0 < size < math.inf:
                raise ChangePointError(f"{name} must be positive and finite, got {size}")
