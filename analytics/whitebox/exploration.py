"""Iterative dynamic taint analysis (Velez et al., ICSE 2021, Alg. 1): which configuration to trace next.

Pure: whoever runs the program gives the decisions that it saw. The partitions found do not depend on the order of
runs, the number of runs may.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from analytics.configurations.covers import MAX_CANDIDATES, covered, distinct_partitions, grow
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.decisions import (
    AS_PUBLISHED,
    Decision,
    Extensions,
    flattened,
    partitions_from,
)


@dataclass(frozen=True, slots=True)
class Exploration:
    """The state of an analysis: `executed` configurations, as tuples of level indices, and the `decisions` reached."""

    space: OptionSpace
    executed: tuple[tuple[int, ...], ...] = ()
    decisions: frozenset[Decision] = frozenset()
    extensions: Extensions = AS_PUBLISHED

    @property
    def configurations(self) -> IntArray:
        """The executed configurations, shape (n, n_options)."""
        return np.array(self.executed, dtype=np.int8).reshape(len(self.executed), len(self.space.options))

    @property
    def partitions(self) -> dict[str, tuple[Partition, ...]]:
        """What is known of each region's partition; see `partitions_from`."""
        return _partitions(self.space, self.decisions, self.extensions)


# The same is asked several times after each run, and runs that say nothing new change nothing.
_partitions = lru_cache(maxsize=4)(partitions_from)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far an analysis is: regions with a partition and their subspaces, equal partitions counted once.

    `unseen` of the subspaces hold no configuration that was traced to its end.
    """

    regions: int
    subspaces: int
    unseen: int

    @property
    def seen(self) -> int:
        """The subspaces that were seen."""
        return self.subspaces - self.unseen


def coverage(partitions: Mapping[str, tuple[Partition, ...]], traced: IntArray) -> Coverage:
    """The coverage of each region's partitions by the `traced` configurations (n, n_options)."""
    parts = distinct_partitions(flattened(partitions))
    seen = sum(int(np.count_nonzero(covered(part, traced))) for part in parts)
    total = sum(part.n_subspaces for part in parts)
    return Coverage(len(partitions), total, total - seen)


def unseen_subspaces(state: Exploration) -> list[tuple[Partition, BoolArray]]:
    """Each partition with subspaces that no executed configuration is in, and the mask of these, (n_subspaces,).

    A partition that several regions share counts once.
    """
    runs = state.configurations
    unseen = ((part, ~covered(part, runs)) for part in distinct_partitions(flattened(state.partitions)))
    return [(part, mask) for part, mask in unseen if mask.any()]


def next_configuration(state: Exploration, valid: ValidConfigurations | None = None) -> IntArray | None:
    """The configuration to trace next, shape (n_options,): it covers most unseen subspaces, the first among equals.

    None where every subspace that `valid` allows was seen. Before the first run it is the reference configuration,
    or the valid one nearest to it. Above 2^18 combinations of the mentioned options it is grown from compatible
    subspaces (the paper's footnote 3) instead of chosen among all.
    """
    complete = (valid or ValidConfigurations.unconstrained(state.space)).complete
    if not state.executed:
        return complete({})
    unseen = unseen_subspaces(state)
    if not unseen:
        return None
    mentioned = sorted({position for part, _ in unseen for position in part.options})
    shape = tuple(state.space.sizes[position] for position in mentioned)
    if math.prod(shape) <= MAX_CANDIDATES:
        scores = np.zeros(shape, dtype=np.int32)
        for part, mask in unseen:
            stretched = [
                size if position in part.options else 1
                for position, size in zip(mentioned, shape, strict=True)
            ]
            scores += mask[part.table.reshape(stretched)]
        ranked = np.argsort(-scores, axis=None, kind="stable")[: np.count_nonzero(scores)]
        cells = (map(int, np.unravel_index(cell, shape)) for cell in ranked)
        found = (complete(dict(zip(mentioned, levels, strict=True))) for levels in cells)
    else:
        order = sorted(unseen, key=lambda one: (-len(one[0].options), one[0].options))
        found = (grow([start, *order], complete) for start in order)
    return next((row for row in found if row is not None), None)


def configurations_left(state: Exploration, valid: ValidConfigurations, most: int) -> int:
    """How many configurations are still to be traced if they show no further decision; no more than `most`."""
    for made in range(most):
        row = next_configuration(state, valid)
        if row is None:
            return made
        state = replace(state, executed=(*state.executed, tuple(row.tolist())))
    return most
