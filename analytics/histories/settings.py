"""How a history is fitted."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from analytics.histories.errors import HistoryError

# The version of the method that fits histories and finds their changes: stored fits of another one are made anew. Raise
# it with every change that moves their numbers (tests/analytics/histories/test_method_version.py holds them).
METHOD_VERSION = "8"


class Kernel(StrEnum):
    """The covariance of a history over positions."""

    BROWNIAN = "brownian"
    """Brownian motion with diffuse start: exact, in O(n); the default."""
    BROWNIAN_GPY = "brownian-gpy"
    """The same process in GPy: dense, with a wide prior on the start."""
    RBF = "rbf"
    MATERN32 = "matern32"
    MATERN52 = "matern52"
    RATIONAL_QUADRATIC = "rational-quadratic"
    EXPONENTIAL = "exponential"
    LINEAR = "linear"


class NoisePolicy(StrEnum):
    """Where the noise of the measured values comes from."""

    REPETITIONS = "repetitions"
    """The spread of the repetitions; where there are none, as `BOUNDED`."""
    BEYOND_REPETITIONS = "beyond-repetitions"
    """The spread of the repetitions and what neighbouring values differ by beyond it: for repetitions within one
    process, which say too little of what another run would give. Where there are none, as `BOUNDED`."""
    BOUNDED = "bounded"
    """Maximum likelihood between the floor and what neighbouring measurements differ by."""
    KNOWN = "known"
    """`known_noise`, for one run; less for the mean of several."""


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """Settings of one fit.

    The prior covariance is that of `kernel`, or its sum with those of the kernels in `plus`.
    `log_scale` asks for logarithms where all values are positive. `noise_floor` and `known_noise` are
    standard deviations relative to the level. `expected_change` is how far a history is thought to move,
    relative to its level, over its whole length; it weighs as much as one measured difference, so it matters
    for the first few points only. `length` is the number of positions in the order, where known.
    `reference_level` is what relative figures refer to on the plain scale, in the metric's unit. Raises
    `HistoryError` on a size that is not positive.
    """

    kernel: Kernel = Kernel.BROWNIAN
    plus: tuple[Kernel, ...] = ()
    log_scale: bool = True
    noise: NoisePolicy = NoisePolicy.REPETITIONS
    noise_floor: float = 0.003
    known_noise: float | None = None
    expected_change: float = 0.05
    length: int | None = None
    reference_level: float | None = None

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that are added."""
        return (self.kernel, *self.plus)

    @property
    def is_brownian(self) -> bool:
        """Whether the history is plain Brownian motion, the default."""
        return self.kernels == (Kernel.BROWNIAN,)

    def __post_init__(self) -> None:
        """Check every size."""
        names = ("noise_floor", "known_noise", "expected_change", "length", "reference_level")
        check_positive(self, names, HistoryError)
        if (self.noise is NoisePolicy.KNOWN) != (self.known_noise is not None):
            raise HistoryError(f"known_noise goes with the noise policy 'known', not with '{self.noise}'")


def check_positive(settings: object, names: Iterable[str], error: type[ValueError]) -> None:
    """Raise `error` where one of the named sizes is given and not positive and finite."""
    for name in names:
        size = getattr(settings, name)
        if size is not None and not 0 < size < math.inf:
            raise error(f"{name} must be positive and finite, got {size}")
