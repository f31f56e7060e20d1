"""Seeded histories whose truth is known: for tests, benchmarks and explanations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from analytics.histories.measurements import FloatArray, Measurements

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class LevelStep:
    """A lasting change: `position` is the first revision of the new level."""

    position: int
    relative_size: float


@dataclass(frozen=True, slots=True)
class Excursion:
    """A change from revision `first` to `last` that is then undone."""

    first: int
    last: int
    relative_size: float


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticHistory:
    """True levels of N revisions, shape (N,), in the metric's unit, with the changes that made them."""

    levels: FloatArray
    steps: tuple[LevelStep, ...]
    excursions: tuple[Excursion, ...]

    def measure(
        self, positions: npt.ArrayLike, rng: np.random.Generator, *, repetitions: int = 5, noise: float = 0.01
    ) -> Measurements:
        """Measure some revisions: the median and spread of log-normal runs with relative noise `noise`."""
        places = np.asarray(positions, dtype=np.int64)
        scatter = rng.normal(0.0, noise, (len(places), repetitions))
        runs = self.levels[places][:, None] * np.exp(scatter)
        spreads = runs.std(axis=1, ddof=1) if repetitions > 1 else None
        return Measurements.of(places, np.median(runs, axis=1), np.full(len(places), repetitions), spreads)


def make_history(
    length: int,
    rng: np.random.Generator,
    *,
    base: float = 1.0,
    steps: Sequence[LevelStep] = (),
    excursions: Sequence[Excursion] = (),
    drift: float = 0.0,
    walk: float = 0.0,
) -> SyntheticHistory:
    """Return a history of `length` revisions from `base`, in the metric's unit.

    `drift` is the relative growth from the first to the last revision, `walk` the relative standard deviation
    of a random step from each revision to the next. All changes multiply.
    """
    logs = np.linspace(0.0, np.log1p(drift), length) + np.log(base)
    logs[1:] += np.cumsum(rng.normal(0.0, walk, length - 1))
    for step in steps:
        logs[step.position :] += np.log1p(step.relative_size)
    for excursion in excursions:
        logs[excursion.first : excursion.last + 1] += np.log1p(excursion.relative_size)
    return SyntheticHistory(np.exp(logs), tuple(steps), tuple(excursions))
