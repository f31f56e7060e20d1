"""The Moebius transform of a region's partition: from subspace values to terms.

Over the tensor of a region's own options, the difference along each axis against a base level gives the
influence of every set of level changes (inclusion-exclusion); no regression is needed. Coefficients are
integer combinations of subspace values, so one matrix serves all regions with the same partition.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import FloatArray

UNTOUCHED = -1  # an option that stays at its base level
Numbers = TypeVar("Numbers", FloatArray, NDArray[np.uint64])
_BLOCK = 1 << 22  # numbers transformed at once


@dataclass(frozen=True, slots=True, eq=False)
class TermWeights:
    """How terms follow from the covered subspaces of a partition.

    `levels` (n_terms, n_options) holds the level that each option changes to, or `UNTOUCHED`; options are
    those of the whole space. `weights` (n_terms, n_covered) multiplies the values of `subspaces` (n_covered,).
    `determined` (n_terms,) is False where a term also needs a subspace that no configuration covers. The
    intercept comes first; terms that are zero whatever the values are left out.
    """

    levels: IntArray
    subspaces: IntArray
    weights: FloatArray
    determined: BoolArray


def all_levels(space: OptionSpace, base: IntArray) -> list[IntArray]:
    """For each option its base level, then all others."""
    return [
        np.array([start, *(level for level in range(size) if level != start)], dtype=np.int8)
        for start, size in zip(base, space.sizes, strict=True)
    ]


def levels_between(before: IntArray, after: IntArray) -> list[IntArray]:
    """For each option its level in `before`, then its level in `after` if that differs."""
    return [np.array([a] if a == b else [a, b], dtype=np.int8) for a, b in zip(before, after, strict=True)]


def term_weights(partition: Partition, covered: BoolArray, reach: Sequence[IntArray]) -> TermWeights:
    """The terms over the levels in `reach`, whose first entry per option is the base level."""
    own = [reach[position] for position in partition.options]
    cells = np.asarray(partition.table[np.ix_(*own)])
    # A term is zero for all values exactly if it is zero for arbitrary ones. Fixed 64-bit marks stand for
    # arbitrary values; their arithmetic wraps around, so no rounding blurs the answer.
    marks = np.asarray(np.random.SeedSequence(0).generate_state(partition.n_subspaces, np.uint64), np.uint64)
    rows = np.flatnonzero(_differences(marks[cells][..., np.newaxis]))
    lost = _differences(np.where(covered, np.uint64(0), marks)[cells][..., np.newaxis]).ravel()[rows] != 0

    subspaces = np.intersect1d(np.flatnonzero(covered), cells)
    weights = np.empty((len(rows), len(subspaces)))
    step = max(1, _BLOCK // cells.size)
    for start in range(0, len(subspaces), step):
        block = subspaces[start : start + step]
        inside = (cells[..., np.newaxis] == block).astype(float)
        weights[:, start : start + step] = _differences(inside).reshape(cells.size, -1)[rows]

    levels = np.full((len(rows), len(reach)), UNTOUCHED, dtype=np.int8)
    for position, own_levels, steps in zip(
        partition.options, own, np.unravel_index(rows, cells.shape) if own else (), strict=True
    ):
        levels[:, position] = np.where(steps > 0, own_levels[steps], UNTOUCHED)
    return TermWeights(levels, subspaces, weights, ~lost)


def _differences(tensor: Numbers) -> Numbers:
    """Differences of `tensor` against entry 0 along every axis but the last."""
    result = np.ascontiguousarray(tensor)
    for axis, size in enumerate(tensor.shape[:-1]):
        along = result.reshape(math.prod(tensor.shape[:axis]), size, -1)
        along[:, 1:] -= along[:, :1]
    return result
