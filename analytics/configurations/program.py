"""The partition of a whole program: the cross product of its regions' partitions."""

import math
from collections.abc import Sequence

from analytics.configurations.joining import crossed
from analytics.configurations.partitions import Partition


def program_subspaces(partitions: Sequence[Partition]) -> int:
    """The number of subspaces when all `partitions` together are one region's.

    Regions that share no option multiply, so each group of regions linked by options is counted alone
    (Velez et al., ICSE 2021, Table IV, column Program). Raises `TooManyCellsError` where the options of one group
    have more than 2^20 combinations.
    """
    groups = (crossed(group[0].space, group)[1] for group in _linked(partitions))
    return math.prod(int(table.max(initial=0)) + 1 for table in groups)


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
