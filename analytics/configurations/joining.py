"""Several partitions made into one: their cross product."""

import math
from collections.abc import Sequence

import numpy as np

from analytics.configurations.covers import covered
from analytics.configurations.cubes import cubes_of, formula_of
from analytics.configurations.errors import TooManyCellsError, how_many
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import MAX_CELLS, Partition


def partition_of(space: OptionSpace, options: list[int], table: IntArray) -> Partition:
    """The partition whose cells over `options` are together where `table` has one number; formulas are readable.

    Options that make no difference are left out; subspaces are numbered by their first cell.
    """
    for axis in reversed(range(len(options))):
        first = np.take(table, [0], axis=axis)
        if bool((table == first).all()):
            table = np.take(table, 0, axis=axis)
            options = [*options[:axis], *options[axis + 1 :]]
    _, first_cells, numbers = np.unique(table, return_index=True, return_inverse=True)
    order = np.empty(len(first_cells), dtype=np.int32)
    order[np.argsort(first_cells)] = np.arange(len(first_cells), dtype=np.int32)
    numbered = order[numbers].reshape(table.shape).astype(np.int32)
    formulas = tuple(
        formula_of(space, options, cubes_of(numbered == number)) for number in range(len(first_cells))
    )
    return Partition(space, tuple(options), formulas, numbered)


def crossed(space: OptionSpace, parts: Sequence[Partition]) -> tuple[list[int], IntArray]:
    """The options of `parts`, ascending, and for each combination of their levels which of all subspaces it is in.

    Subspaces are numbered from 0. Raises `TooManyCellsError` where there are more than 2^20 combinations.
    """
    options = sorted({position for part in parts for position in part.options})
    shape = tuple(space.sizes[position] for position in options)
    if math.prod(shape) > MAX_CELLS:
        raise TooManyCellsError(
            f"{len(options)} options linked by regions have {how_many(math.prod(shape))} combinations of levels; "
            f"at most {MAX_CELLS} can be listed"
        )
    table: IntArray = np.zeros(shape, dtype=np.int64)
    for part in parts:
        own = part.table.reshape(
            [space.sizes[position] if position in part.options else 1 for position in options]
        )
        # Numbered anew each time, so that the numbers stay below that of the cells.
        both = table * part.n_subspaces + own
        table = np.unique(both, return_inverse=True)[1].reshape(shape)
    return options, table


def joint(space: OptionSpace, parts: Sequence[Partition]) -> Partition | None:
    """The cross product of `parts`: configurations are together if they are so in each.

    None where their options have more than 2^20 combinations of levels.
    """
    try:
        options, table = crossed(space, parts)
    except TooManyCellsError:
        return None
    return partition_of(space, options, table)


def joint_seen(space: OptionSpace, parts: Sequence[Partition], configurations: IntArray) -> Partition:
    """The cross product of as many of `parts` as leave no subspace without one of the `configurations`.

    Those over few options come first. A subspace that nobody measured would leave the whole program without a
    prediction there; a coarser partition only averages. `configurations` has shape (n, n_options).
    """
    chosen: list[Partition] = []
    found = Partition.exhaustive(space, ())
    for part in sorted(parts, key=lambda one: (len(one.options), one.options, one.formulas)):
        together = joint(space, [*chosen, part])
        if together is not None and covered(together, configurations).all():
            chosen.append(part)
            found = together
    return found
