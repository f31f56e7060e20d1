"""Several partitions of one region made into one."""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.covers import covered
from analytics.configurations.decisions import partition_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import MAX_CELLS, Partition


def joint(space: OptionSpace, parts: Sequence[Partition]) -> Partition | None:
    """The cross product of `parts`: configurations are together if they are so in each.

    None where their options have more than 2^20 combinations of levels.
    """
    options = sorted({position for part in parts for position in part.options})
    shape = tuple(space.sizes[position] for position in options)
    if np.prod(shape, dtype=float) > MAX_CELLS:
        return None
    table = np.zeros(shape, dtype=np.int64)
    for part in parts:
        own = part.table.reshape(
            [space.sizes[position] if position in part.options else 1 for position in options]
        )
        # Numbered anew each time, so that the numbers stay below that of the cells.
        both = table * part.n_subspaces + own
        table = np.unique(both, return_inverse=True)[1].reshape(shape)
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
