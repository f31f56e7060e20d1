"""Cubes: conjunctions over option levels, and how a set of configurations is written with few of them."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace

# For each axis the levels that the cube holds, as a bit mask.
Cube = tuple[int, ...]
_KEPT = 4096  # sets of cells whose cubes stay in memory


def cubes_of(inside: BoolArray) -> tuple[Cube, ...]:
    """Few cubes that together hold exactly the cells where `inside`, of any shape; the same for the same cells.

    Each cube is as large as it can be without leaving the set. They are chosen greedily, those that hold most
    cells not held so far first, and the first in lexicographic order among equals.
    """
    return _cubes(inside.shape, inside.tobytes())


@lru_cache(maxsize=_KEPT)
def _cubes(shape: tuple[int, ...], cells: bytes) -> tuple[Cube, ...]:
    """As `cubes_of`; kept, because an analysis asks for those of most regions again after every run."""
    inside = np.frombuffer(cells, dtype=bool).reshape(shape)
    left = inside.copy()
    chosen: list[Cube] = []
    # A cube may grow in several orders: every axis comes first and last once.
    axes = inside.ndim
    orders = [
        tuple((first + sign * at) % axes for at in range(axes))
        for first in range(max(axes, 1))
        for sign in (1, -1)
    ]
    while left.any():
        cell = tuple(int(at) for at in np.unravel_index(int(left.argmax()), left.shape))
        # Cubes around the cell that grow axis by axis, by whole axes first, then by single levels.
        candidates: set[Cube] = set()
        for order in orders:
            cube = tuple(1 << level for level in cell)
            for axis in order:
                levels = range(inside.shape[axis])
                for mask in (sum(1 << level for level in levels), *(1 << level for level in levels)):
                    wider = (*cube[:axis], cube[axis] | mask, *cube[axis + 1 :])
                    if inside[_cells(wider, inside.shape)].all():
                        cube = wider
            candidates.add(cube)
        best = max(candidates, key=lambda cube: (int(left[_cells(cube, inside.shape)].sum()), cube))
        left[_cells(best, inside.shape)] = False
        chosen.append(best)
    return tuple(chosen)


def _cells(cube: Cube, shape: tuple[int, ...]) -> tuple[slice, ...] | tuple[IntArray, ...]:
    """An index of the cells; of slices where the levels of each axis are neighbours, which is many times as quick."""
    slices = tuple(
        slice((levels & -levels).bit_length() - 1, levels.bit_length())
        for levels in cube
        if levels >> ((levels & -levels).bit_length() - 1) == (1 << levels.bit_count()) - 1
    )
    if len(slices) == len(cube):
        return slices
    return np.ix_(
        *(
            np.array([level for level in range(size) if levels >> level & 1])
            for levels, size in zip(cube, shape, strict=True)
        )
    )


def formula_of(space: OptionSpace, options: Sequence[int], cubes: Sequence[Cube]) -> str:
    """`cubes` over the axes `options` as a formula: `A & !B | C`."""
    written = []
    for cube in cubes:
        parts = [
            literal_of(space, position, levels)
            for position, levels in zip(options, cube, strict=True)
            if levels != (1 << space.sizes[position]) - 1
        ]
        written.append(" & ".join(parts) or "True")
    return " | ".join(written)


def literal_of(space: OptionSpace, position: int, levels: int) -> str:
    """That option `position` is at one of `levels`, a bit mask, as briefly as it can be said."""
    option = space.options[position]
    size = len(option.levels)
    chosen = [level for level in range(size) if levels >> level & 1]
    if chosen == [0] and size == 2:
        return f"!{option.name}"
    if 0 not in chosen and len(chosen) == size - 1:
        return option.name
    others = [level for level in range(size) if level not in chosen]
    if 0 < len(others) < len(chosen):
        return " & ".join(f"!{option.equals(level)}" for level in others)
    atoms = [option.equals(level) for level in chosen]
    return atoms[0] if len(atoms) == 1 else f"({' | '.join(atoms)})"


def pairs(options: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """All pairs of `options`; the option itself where there is only one."""
    return tuple(combinations(options, 2)) if len(options) > 1 else (tuple(options),)


def n_cells(space: OptionSpace, options: Sequence[int]) -> int:
    """The number of combinations of levels of `options`."""
    return math.prod(space.sizes[position] for position in options)
