"""Series in which nothing steps: the kinds of noise that benchmarks of real machines show."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# The standard deviation of one value, relative.
NOISE = 0.02

Series = NDArray[np.float64]
Kind = Callable[[np.random.Generator, int], Series]


def autoregressive(rng: np.random.Generator, points: int, phi: float) -> Series:
    """Noise whose lag-one autocorrelation is `phi`, from its stationary distribution."""
    innovations = rng.normal(size=points) * np.sqrt(1.0 - phi**2)
    series = np.empty(points)
    series[0] = rng.normal()
    for at in range(1, points):
        series[at] = phi * series[at - 1] + innovations[at]
    return NOISE * series


def gaussian(rng: np.random.Generator, points: int) -> Series:
    """Independent normal values."""
    return NOISE * rng.normal(size=points)


def heavy_tailed(rng: np.random.Generator, points: int) -> Series:
    """Student's t with three degrees of freedom, of the same variance."""
    return np.asarray(NOISE * rng.standard_t(3, size=points) / np.sqrt(3.0))


def bimodal(rng: np.random.Generator, points: int) -> Series:
    """A fifth of the points is 6 % slower."""
    return gaussian(rng, points) + 0.06 * (rng.random(points) < 0.2)


def bursts(rng: np.random.Generator, points: int) -> Series:
    """Three points in a row are 15 % slower, twice."""
    series = gaussian(rng, points)
    for start in rng.integers(0, points - 2, 2):
        series[start : start + 3] += 0.15
    return series


def volatile(rng: np.random.Generator, points: int) -> Series:
    """The second half scatters three times as much."""
    return gaussian(rng, points) * np.where(np.arange(points) * 2 >= points, 3.0, 1.0)


def wandering(rng: np.random.Generator, points: int) -> Series:
    """A random walk of 0.5 % a point below the noise."""
    return gaussian(rng, points) + np.cumsum(0.005 * rng.normal(size=points))


def trended(shape: Callable[[Series], Series]) -> Kind:
    """Normal values around a smooth shape of time, which goes from 0 to 1."""

    def kind(rng: np.random.Generator, points: int) -> Series:
        return gaussian(rng, points) + shape(np.linspace(0.0, 1.0, points))

    return kind


def moving_average(rng: np.random.Generator, points: int) -> Series:
    """Means of four neighbouring normal values: not autoregressive."""
    return 2.0 * NOISE * np.convolve(rng.normal(size=points + 3), np.full(4, 0.25), "valid")


def second_order(rng: np.random.Generator, points: int) -> Series:
    """Autoregressive noise of the second order, which swings with a period of about eight points."""
    series = np.zeros(points + 100)
    innovations = rng.normal(size=points + 100)
    for at in range(2, points + 100):
        series[at] = 1.0 * series[at - 1] - 0.5 * series[at - 2] + innovations[at]
    return np.asarray(NOISE * series[100:] / 1.55)


def contaminated(rng: np.random.Generator, points: int) -> Series:
    """One point in twenty is up to 50 % slower."""
    return gaussian(rng, points) + 0.5 * rng.random(points) * (rng.random(points) < 0.05)


def regimes(rng: np.random.Generator, points: int) -> Series:
    """A machine that switches between two speeds, 4 % apart, every three points on average."""
    states = np.cumsum(rng.random(points) < 1.0 / 3.0) % 2
    return gaussian(rng, points) + 0.04 * states


# The kinds that limits were chosen with, under other seeds.
TUNED: dict[str, Kind] = {
    "Gaussian": gaussian,
    "Student t, 3 degrees": heavy_tailed,
    "AR(1) 0.3": lambda rng, n: autoregressive(rng, n, 0.3),
    "AR(1) 0.6": lambda rng, n: autoregressive(rng, n, 0.6),
    "AR(1) 0.9": lambda rng, n: autoregressive(rng, n, 0.9),
    "bimodal": bimodal,
    "drift of 3 %": trended(lambda t: 0.03 * t),
    "two bursts": bursts,
    "settling from 10 %": trended(lambda t: 0.1 * np.exp(-t / 0.1)),
    "bend of 10 %": trended(lambda t: 0.2 * np.maximum(t - 0.5, 0.0)),
    "volatility tripled": volatile,
    "random walk": wandering,
}
# The kinds that nothing was chosen with.
HELD_OUT: dict[str, Kind] = {
    "moving average of 4": moving_average,
    "AR(2), swinging": second_order,
    "AR(1) 0.75": lambda rng, n: autoregressive(rng, n, 0.75),
    "one outlier in 20": contaminated,
    "two speeds": regimes,
    "curve of 8 %": trended(lambda t: 0.08 * t**3),
    "logistic rise of 6 %": trended(lambda t: 0.06 / (1.0 + np.exp(-10.0 * (t - 0.5)))),
    "wave of 3 %": trended(lambda t: 0.03 * np.sin(13.0 * t)),
}


def laplace(rng: np.random.Generator, points: int) -> Series:
    """Laplace's distribution."""
    return np.asarray(rng.laplace(scale=NOISE / np.sqrt(2.0), size=points))


def under_noise(rng: np.random.Generator, points: int) -> Series:
    """Half of the variance is autocorrelated with 0.85, half independent: ARMA(1, 1)."""
    return np.asarray((autoregressive(rng, points, 0.85) + gaussian(rng, points)) / np.sqrt(2.0))


def three_modes(rng: np.random.Generator, points: int) -> Series:
    """A third of the points each is 2.5 % faster, as usual, and 2.5 % slower."""
    return 0.5 * gaussian(rng, points) + 0.025 * (rng.integers(3, size=points) - 1.0)


def weekly(rng: np.random.Generator, points: int) -> Series:
    """Two of every seven points are 3 % faster."""
    return gaussian(rng, points) - 0.03 * ((np.arange(points) + rng.integers(7)) % 7 < 2)


def growing(rng: np.random.Generator, points: int) -> Series:
    """The noise grows to three times of what it was."""
    return gaussian(rng, points) * np.linspace(0.5, 1.5, points)


# The kinds that were made after the rules on moves and drifts, and that no result was seen of before.
KEPT_ASIDE: dict[str, Kind] = {
    "Laplace": laplace,
    "AR(1) 0.85 under noise": under_noise,
    "three modes": three_modes,
    "weekly": weekly,
    "growing noise": growing,
}
