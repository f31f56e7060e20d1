"""Seeded systems and histories whose truth is known: for tests, benchmarks and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from analytics.histories.measurements import FloatArray, IntArray, Measurements

if TYPE_CHECKING:
    from collections.abc import Sequence

# A term is a set of selected options; the empty one is the base time.
Terms = Mapping[frozenset[str], float]


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


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticSystem:
    """A system of binary options whose regions have known terms, in seconds."""

    options: tuple[str, ...]
    regions: Mapping[str, Terms]

    def configurations(self) -> IntArray:
        """Return all configurations as 0 and 1, shape (2^n_options, n_options); the first selects nothing."""
        return np.array(list(product((0, 1), repeat=len(self.options))), dtype=np.int64)

    def true_terms(self) -> dict[frozenset[str], float]:
        """Return the terms of the whole system: the sum over its regions."""
        total: dict[frozenset[str], float] = {}
        for terms in self.regions.values():
            for term, seconds in terms.items():
                total[term] = total.get(term, 0.0) + seconds
        return total

    def true_times(self, configurations: IntArray) -> FloatArray:
        """Return the seconds of every region in every configuration, shape (n_regions, n_configurations)."""
        selected = [
            {option for option, on in zip(self.options, row, strict=True) if on} for row in configurations
        ]
        return np.array(
            [
                [sum(seconds for term, seconds in terms.items() if term <= chosen) for chosen in selected]
                for terms in self.regions.values()
            ]
        )

    def measure(
        self, configurations: IntArray, rng: np.random.Generator, *, repetitions: int = 5, noise: float = 0.01
    ) -> FloatArray:
        """Return measured seconds with log-normal noise, shape (n_regions, n_configurations, repetitions)."""
        times = self.true_times(configurations)[:, :, None]
        return np.asarray(times * np.exp(rng.normal(0.0, noise, (*times.shape[:2], repetitions))))


def make_system(
    rng: np.random.Generator, *, options: int = 5, regions: int = 8, options_per_region: int = 2
) -> SyntheticSystem:
    """Return a system whose regions each depend on a few options, drawn from `rng`.

    A region has a base time of up to 100 ms, and one term for each set of its own options. No term is
    negative, so every time is positive.
    """
    names = tuple(f"option_{number}" for number in range(options))
    system: dict[str, Terms] = {}
    for number in range(regions):
        own = rng.choice(options, size=min(options_per_region, options), replace=False)
        terms = {
            frozenset(names[option] for option, on in zip(own, chosen, strict=True) if on): rng.uniform(
                0.001, 0.1
            )
            for chosen in product((0, 1), repeat=len(own))
        }
        system[f"region_{number}"] = {term: float(seconds) for term, seconds in terms.items()}
    return SyntheticSystem(names, system)
