"""Distance-based sampling: configurations spread evenly over how many options are switched on.

Kaltenecker et al., ICSE 2019. Uniform samples of many options nearly all have half of them on; here each distance from
the configuration with everything off is as likely as any other, so that few and many options on are seen as well.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.validity import ValidConfigurations

# From so many at random the one is taken whose options were chosen least often. The paper asks a solver for the least.
_CANDIDATES = 100


class SampledConfigurations(Protocol):
    """Configurations to draw from."""

    def count(self) -> int:
        """How many there are."""

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different ones, uniformly at random; all of them where there are no more; shape (n, n_options)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Listed:
    """Different configurations, those that were measured, say: shape (n, n_options)."""

    configurations: IntArray

    def count(self) -> int:
        """How many there are."""
        return len(self.configurations)

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different ones, uniformly at random; all of them where there are no more."""
        chosen: IntArray = self.configurations[rng.permutation(self.count())[:n]]
        return chosen


def origin(space: OptionSpace) -> IntArray:
    """The configuration with everything off: each option at its level off or 0, at its reference without one; (n_options,)."""
    return np.array(
        [option.levels.index(False) if False in option.levels else 0 for option in space.options],
        dtype=np.int8,
    )


def valid_by_distance(valid: ValidConfigurations) -> dict[int, SampledConfigurations]:
    """The valid configurations by the number of options that are not as in `origin`, without empty distances.

    Raises `FeatureModelError` where a diagram becomes too large.
    """
    start = origin(valid.space)
    found = ((distance, valid.apart(start, distance)) for distance in range(len(start) + 1))
    return {distance: one for distance, one in found if one.count()}


def listed_by_distance(configurations: IntArray, space: OptionSpace) -> dict[int, SampledConfigurations]:
    """Different configurations (n, n_options), as `valid_by_distance`."""
    distances = (configurations != origin(space)).sum(axis=1)
    return {int(one): _Listed(configurations[distances == one]) for one in np.unique(distances)}


def distance_based(
    by_distance: Mapping[int, SampledConfigurations],
    size: int,
    rng: np.random.Generator,
    *,
    diversified: bool,
) -> IntArray:
    """`size` different configurations, all where there are no more: first a distance at random, then one at this distance.

    Each distance that has one left is equally likely. Without `diversified` each of its configurations is, too; with it,
    the one is preferred whose options were chosen least often at this distance so far (the paper's optimization). Shape
    (n, n_options).
    """
    chosen: dict[int, list[IntArray]] = defaultdict(list)
    left = {distance: one.count() for distance, one in by_distance.items()}
    while sum(map(len, chosen.values())) < size and left:
        distance = int(rng.choice(list(left)))
        own = chosen[distance]
        # Enough that some of them are new.
        drawn = by_distance[distance].sample(len(own) + (_CANDIDATES if diversified else 1), rng)
        known = {row.tobytes() for row in own}
        fresh = [row for row in rng.permutation(drawn) if row.tobytes() not in known]
        own.append(
            min(fresh, key=lambda row: sum((row == one).sum() for one in own)) if diversified else fresh[0]
        )
        left[distance] -= 1
        if not left[distance]:
            del left[distance]
    return np.array([row for own in chosen.values() for row in own])
