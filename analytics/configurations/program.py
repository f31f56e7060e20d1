"""The partition of a whole program: the cross product of its regions' partitions."""

import math
from collections.abc import Sequence

import numpy as np

from analytics.configurations.errors import TooManyCellsError
from analytics.configurations.partitions import MAX_CELLS, Partition


def program_subspaces(partitions: Sequence[Partition]) -> int:
    """The number of subspaces when all `partitions` together are one region's.

    Regions that share no option multiply, so each group of regions linked by options is counted alone
    (Velez et al., ICSE 2021, Table IV, column Program). Raises `TooManyCellsError` where the options of one group
    have more than 2^20 combinations.
    """
    return math.prod(_joint(group) for group in _linked(partitions))


def _linked(partitions: Sequence[Partition]) -> list[list[Partition]]:
    """The partitions in groups: two groups mention no option in common."""
    groups: list[tuple[set[int], list[Partition]]] = []
    for partition in partitions:
        options, members = set(partition.options), [partition]
        apart = []
        for group in groups:
            if group[0] & options:
                options |= group[0]
                members += group[1]
            else:
                apart.append(group)
        groups = [*apart, (options, members)]
    return [members for _, members in groups]


def _joint(partitions: Sequence[Partition]) -> int:
    """How many different combinations of subspaces the levels of these partitions' options lead to."""
    space = partitions[0].space
    options = sorted({position for partition in partitions for position in partition.options})
    shape = tuple(space.sizes[position] for position in options)
    if math.prod(shape) > MAX_CELLS:
        raise TooManyCellsError(
            f"{len(options)} options linked by regions have {math.prod(shape)} combinations of levels; "
            f"at most {MAX_CELLS} can be listed"
        )
    joint = np.zeros(shape, dtype=np.int64)
    for partition in partitions:
        axes = [options.index(position) for position in partition.options]
        own = np.reshape(partition.table, [shape[axis] if axis in axes else 1 for axis in range(len(shape))])
        # Renumbered after each partition: the numbers never outgrow the cells.
        joint = np.unique(joint * partition.n_subspaces + own, return_inverse=True)[1].reshape(shape)
    return int(joint.max(initial=0)) + 1
