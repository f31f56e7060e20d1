"""The Moebius transform of a region's partition: from subspace values to terms.

Over the tensor of a region's own options, the difference along each axis against a base level gives the
influence of every set of level changes (inclusion-exclusion); no regression is needed. Coefficients are
integer combinations of subspace values, so one matrix serves all regions with the same partition.
"""

import math
from collections.abc import Sequence
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


def all_levels(space: OptionSpace, base: IntArray) -> list[IntArray]:
    """For each option its level in configuration `base`, shape (n_options,), then all others."""
    return [
        np.array([start, *(level for level in range(size) if level != start)], dtype=np.int8)
        for start, size in zip(space.checked(np.asarray(base)[np.newaxis])[0], space.sizes, strict=True)
    ]


def levels_between(space: OptionSpace, before: IntArray, after: IntArray) -> list[IntArray]:
    """For each option its level in `before`, then its level in `after` if that differs."""
    ends = zip(*space.checked(np.stack([before, after])), strict=True)
    return [np.array([a] if a == b else [a, b], dtype=np.int8) for a, b in ends]


class TermWeights:
    """How terms follow from the covered subspaces of a partition, over the levels in `reach`: of each option the base first.

    `levels` (n_terms, n_options) holds the level that each option changes to, or `UNTOUCHED`; options are
    those of the whole space. `weights` (n_terms, n_covered) multiplies the values of `subspaces` (n_covered,).
    `determined` (n_terms,) is False where a term also needs a subspace that no configuration covers. The
    intercept comes first; terms that are zero whatever the values are left out.
    """

    def __init__(self, partition: Partition, covered: BoolArray, reach: Sequence[IntArray]) -> None:
        own = [reach[position] for position in partition.options]
        cells = np.asarray(partition.table[np.ix_(*own)])
        # A term is zero for all values exactly if it is zero for arbitrary ones. Fixed 64-bit marks stand for
        # arbitrary values; their arithmetic wraps around, so no rounding blurs the answer.
        state = np.random.SeedSequence(0).generate_state(partition.n_subspaces, np.uint64)
        marks = np.asarray(state, np.uint64)
        rows = np.flatnonzero(differences(marks[cells][..., np.newaxis]))
        lost = differences(np.where(covered, np.uint64(0), marks)[cells][..., np.newaxis]).ravel()[rows]
        self.levels = term_levels(rows, partition.options, own, len(reach))
        self.determined: BoolArray = lost == 0
        self.subspaces = np.intersect1d(np.flatnonzero(covered), cells)
        self.weights = np.empty((len(rows), len(self.subspaces)))
        step = max(1, _BLOCK // cells.size)
        for start in range(0, len(self.subspaces), step):
            block = self.subspaces[start : start + step]
            inside = (cells[..., np.newaxis] == block).astype(float)
            self.weights[:, start : start + step] = differences(inside).reshape(cells.size, -1)[rows]


def term_levels(
    cells: IntArray, options: Sequence[int], levels: Sequence[Sequence[int] | IntArray], width: int
) -> IntArray:
    """The terms that flat indices `cells` of a tensor over `options` stand for, shape (n_cells, width).

    `levels` gives those of each of the options, the base level first.
    """
    terms = np.full((len(cells), width), UNTOUCHED, dtype=np.int8)
    steps = np.unravel_index(cells, [len(own) for own in levels]) if len(levels) else ()
    for position, own, step in zip(options, levels, steps, strict=True):
        terms[:, position] = np.where(step > 0, np.asarray(own)[step], UNTOUCHED)
    return terms


def differences(tensor: Numbers) -> Numbers:
    """Differences of `tensor` against entry 0 along every axis but the last."""
    result = np.ascontiguousarray(tensor)
    for axis, size in enumerate(tensor.shape[:-1]):
        along = result.reshape(math.prod(tensor.shape[:axis]), size, -1)
        along[:, 1:] -= along[:, :1]
    return result
