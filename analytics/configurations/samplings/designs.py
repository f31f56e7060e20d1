"""Samplings that follow from the options alone: the same configurations for every seed.

An option with several levels stands for an alternative group with one feature per level, as SPL Conqueror holds
it (Siegmund et al., Software Quality Journal 2012): each level is switched on once. SPL Conqueror crosses its
samples of binary options with experimental designs over numeric ones; here a numeric option is one more option
with levels. What constraints ask of the other options, `ValidConfigurations.complete` decides.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations

MAX_EXHAUSTIVE = 1 << 16


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Every valid configuration; raises `TooManyConfigurationsError` above `limit`."""

    limit: int = MAX_EXHAUSTIVE

    def choose(self, valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
        """All valid configurations, shape (n, n_options)."""
        return valid.enumerate(self.limit)


@dataclass(frozen=True, slots=True)
class FeatureWise:
    """Each level off the reference alone, everything else as close to the reference as is valid.

    Option-wise sampling of Siegmund et al. (ICSE 2012), "enable one option at a time" in Velez et al., ICSE 2021,
    Sec. V-B. As in the latter's Table II the reference configuration itself is not among them.
    """

    def choose(self, valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
        """One configuration per level, duplicates left out; shape (n, n_options)."""
        rows = (valid.complete({position: level}) for position, level in _changes(valid, _first(valid)))
        return _distinct(rows, valid)


@dataclass(frozen=True, slots=True)
class NegativeFeatureWise:
    """All options on but one: each level that the all-on configuration lacks, everything else as far off as is valid.

    Negative option-wise sampling of SPL Conqueror. All on means each option off its reference level, at the first
    level that is valid.
    """

    def choose(self, valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
        """One configuration per level, duplicates left out; shape (n, n_options)."""
        start = valid.complete({}, "other")
        rows = (valid.complete({position: level}, "other") for position, level in _changes(valid, start))
        return _distinct(rows, valid)


@dataclass(frozen=True, slots=True)
class PairWise:
    """The reference, each level alone, and each pair of levels of two options, everything else near the reference.

    With n binary options 1 + n + n (n - 1) / 2 configurations, the number of Velez et al., ICSE 2021, Table II.
    A covering array (`TWise`) needs far fewer for the same pairs, but leaves them mixed with others.
    """

    def choose(self, valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
        """The configurations, duplicates and invalid pairs left out; shape (n, n_options)."""
        start = _first(valid)
        changes = list(_changes(valid, start))
        alone: list[Mapping[int, int]] = [{position: level} for position, level in changes]
        pairs: list[Mapping[int, int]] = [
            dict(pair) for pair in combinations(changes, 2) if pair[0][0] != pair[1][0]
        ]
        return _distinct((start, *(valid.complete(levels) for levels in (*alone, *pairs))), valid)


def _first(valid: ValidConfigurations) -> IntArray | None:
    """The reference configuration, or the valid one that is closest to it."""
    return valid.complete({})


def _changes(valid: ValidConfigurations, start: IntArray | None) -> Iterator[tuple[int, int]]:
    """Each option with each level that `start` does not have; none where no configuration is valid."""
    if start is None:
        return
    for position, size in enumerate(valid.space.sizes):
        yield from ((position, level) for level in range(size) if level != start[position])


def _distinct(rows: Iterable[IntArray | None], valid: ValidConfigurations) -> IntArray:
    """The rows without repetitions and without those that no valid configuration could stand for."""
    kept = {row.tobytes(): row for row in rows if row is not None}
    return np.array(list(kept.values()), dtype=np.int8).reshape(-1, len(valid.space.options))
