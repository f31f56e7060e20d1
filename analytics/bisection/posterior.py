"""Where one step lies among revisions that were measured repeatedly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from analytics.bisection.errors import BisectionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    FloatArray = NDArray[np.floating[Any]]

# The smallest standard deviation of one measurement, relative: values that happen to agree are no proof.
NOISE_FLOOR = 0.003


@dataclass(frozen=True, slots=True, eq=False)
class Location:
    """What is known of the first position with the new level.

    `probabilities` (n,) are those of each position being the first one with the new level, given that there is
    exactly one step; the first position has 0. `relative_size` is the step as a share of the old level, with an
    interval (Student's t) at the most probable place.
    """

    probabilities: FloatArray
    relative_size: float
    relative_low: float
    relative_high: float

    @property
    def best(self) -> int:
        """The most probable first position with the new level."""
        return int(np.argmax(self.probabilities))

    @property
    def error_probability(self) -> float:
        """The probability that `best` is not the position."""
        return float(1 - self.probabilities[self.best])

    @property
    def is_told(self) -> bool:
        """Whether the step itself is told from zero."""
        return self.relative_low > 0 or self.relative_high < 0


def locate(measured: Mapping[int, Sequence[float]], positions: int, confidence: float = 0.95) -> Location:
    """Return where the step lies among `positions` revisions, of which some were `measured`.

    `measured` maps a position, from 0, to its values, all of them positive; the first and the last position must be
    among them, and there must be at least 3 values. On the logarithmic scale, with a flat prior on both levels and on
    the logarithm of the common noise, the step at k has the likelihood

        p(y | k)  ~  (n1 n2)^(-1/2) RSS(k)^(-(n - 2) / 2),

    n1 and n2 the numbers of values before and from k on, RSS the squares around their means (Smith 1975, Biometrika
    62, with unknown variance), to which the noise floor is added. `confidence` is that of the
    interval. Raises `BisectionError`.
    """
    place, values = _values(measured, positions)
    n = len(values)
    first = np.array([np.searchsorted(place, k) for k in range(1, positions)])
    sums, squares = (np.append(0.0, np.cumsum(part)) for part in (values, values**2))
    before, after = first, n - first
    rest = (
        squares[-1] - sums[first] ** 2 / before - (sums[-1] - sums[first]) ** 2 / after + n * NOISE_FLOOR**2
    )
    log_likelihood = -0.5 * np.log(before * after) - 0.5 * (n - 2) * np.log(rest)
    probabilities = np.append(0.0, np.exp(log_likelihood - special.logsumexp(log_likelihood)))
    best = int(np.argmax(probabilities)) - 1
    difference = (sums[-1] - sums[first[best]]) / after[best] - sums[first[best]] / before[best]
    error = np.sqrt(rest[best] / (n - 2) * (1 / before[best] + 1 / after[best]))
    margin = float(special.stdtrit(n - 2, (1 + confidence) / 2) * error)
    return Location(
        probabilities=probabilities,
        relative_size=float(np.expm1(difference)),
        relative_low=float(np.expm1(difference - margin)),
        relative_high=float(np.expm1(difference + margin)),
    )


def _values(measured: Mapping[int, Sequence[float]], positions: int) -> tuple[FloatArray, FloatArray]:
    """Positions and centred logarithms of all values, by position."""
    if positions < 2:
        raise BisectionError(f"{positions} revisions hold no step: give at least two")
    if not {0, positions - 1} <= {place for place, some in measured.items() if len(some)}:
        raise BisectionError("the first and the last revision must be measured before the step is looked for")
    pairs = sorted((place, value) for place, some in measured.items() for value in some)
    place, values = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if place[-1] >= positions or place[0] < 0:
        raise BisectionError(f"a position lies outside of 0 to {positions - 1}")
    if not (np.isfinite(values) & (values > 0)).all():
        raise BisectionError(f"{values.min()} is no time: give positive numbers")
    if len(values) < 3:
        raise BisectionError("two values tell nothing of the noise: measure the first revision twice")
    logs = np.log(values)
    return place, logs - logs.mean()
