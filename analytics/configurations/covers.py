"""Which subspaces a set of configurations covers, and small sets that cover all of them."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.valid_covers import greedy_valid_cover
from analytics.configurations.validity import ValidConfigurations

MAX_CANDIDATES = 1 << 18
GROWN_CANDIDATES = 8  # per step, where candidates cannot be listed


def distinct_partitions(partitions: Sequence[Partition]) -> list[Partition]:
    """`partitions` without those that give every configuration the same index as an earlier one."""
    return list({partition.key: partition for partition in reversed(partitions)}.values())[::-1]


def covered(partition: Partition, configurations: IntArray) -> BoolArray:
    """Which subspaces hold at least one of `configurations`; shape (n_subspaces,)."""
    seen = np.zeros(partition.n_subspaces, dtype=bool)
    seen[partition.assign(configurations)] = True
    return seen


def distinct_subspaces(partitions: Sequence[Partition]) -> int:
    """The number of different sets of configurations among all subspaces of `partitions`.

    Two subspaces are the same if they hold for the same configurations, however they are written.
    """
    return len({identity for part in distinct_partitions(partitions) for identity in _identities(part)})


def _identities(partition: Partition) -> list[Hashable]:
    """For each subspace its essential options and its cells over them: equal for equal sets only."""
    order = np.argsort(partition.table, axis=None, kind="stable")
    sizes = np.bincount(partition.table.ravel(), minlength=partition.n_subspaces)
    return [_identity(partition, cells) for cells in np.split(order, np.cumsum(sizes)[:-1])]


def _identity(partition: Partition, cells: IntArray) -> Hashable:
    shape = partition.table.shape
    essential = []
    for axis, size in enumerate(shape):
        # An option does not matter if the set holds all its levels beside each combination of the others.
        if len(cells) % size == 0:
            stride = math.prod(shape[axis + 1 :])
            without = np.unique(cells - cells // stride % size * stride)
            if len(without) * size == len(cells):
                cells = without
                continue
        essential.append(axis)
    levels = [cells // math.prod(shape[axis + 1 :]) % shape[axis] for axis in essential]
    return tuple(partition.options[axis] for axis in essential), np.array(levels, dtype=np.int8).tobytes()


def greedy_cover(
    space: OptionSpace, partitions: Sequence[Partition], valid: ValidConfigurations | None = None
) -> IntArray:
    """Few configurations that together cover every subspace of `partitions`; shape (n, n_options).

    Each step takes the configuration that covers most subspaces not covered so far, the first one among
    equals. Options that no partition mentions stay at their reference level. Every combination of the
    mentioned options is a candidate while there are at most 2^18; beyond, a step intersects subspaces that
    are compatible, those with most options first (Velez et al., ICSE 2021, Sec. III-B).

    With `valid`, over the same options, only valid configurations are chosen, and subspaces without one are left out.
    """
    parts = distinct_partitions(partitions)
    unseen = _unique_subspaces(parts)
    if valid is not None:
        return greedy_valid_cover(valid, parts, unseen)
    mentioned = sorted({position for part in parts for position in part.options})
    shape = tuple(space.sizes[position] for position in mentioned)
    if math.prod(shape) <= MAX_CANDIDATES:
        cells = np.asarray(_cover_of_candidates(parts, unseen, mentioned, shape), dtype=np.int8)
    else:
        cells = np.asarray(_cover_by_intersection(parts, unseen, mentioned), dtype=np.int8)
    chosen = np.zeros((len(cells), len(space.options)), dtype=np.int8)
    chosen[:, mentioned] = cells
    return chosen


def _unique_subspaces(parts: Sequence[Partition]) -> list[BoolArray]:
    """For each partition which of its subspaces no earlier partition has."""
    known: set[Hashable] = set()
    unique = []
    for part in parts:
        identities = _identities(part)
        unique.append(np.array([identity not in known for identity in identities], dtype=bool))
        known.update(identities)
    return unique


def _cover_of_candidates(
    parts: Sequence[Partition], unseen: Sequence[BoolArray], mentioned: Sequence[int], shape: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """The greedy cover with every combination of the mentioned options as a candidate."""
    scores = np.zeros(shape, dtype=np.int32)
    tables = []
    for part, new in zip(parts, unseen, strict=True):
        # The table over its own options, stretched over all mentioned ones.
        table = part.table.reshape(
            [size if p in part.options else 1 for p, size in zip(mentioned, shape, strict=True)]
        )
        tables.append(table)
        scores += new[table]
    chosen = []
    while scores.size and scores.max() > 0:
        best = np.unravel_index(int(scores.argmax()), shape)
        chosen.append(tuple(int(level) for level in best))
        for table, new in zip(tables, unseen, strict=True):
            index = table[
                tuple(0 if size == 1 else level for level, size in zip(best, table.shape, strict=True))
            ]
            if new[index]:
                new[index] = False
                scores -= table == index
    return chosen


def _cover_by_intersection(
    parts: Sequence[Partition], unseen: Sequence[BoolArray], mentioned: Sequence[int]
) -> list[tuple[int, ...]]:
    """The greedy cover without listing candidates: each is grown from compatible cells of partitions."""
    chosen: list[tuple[int, ...]] = []
    while True:
        order = sorted(
            (index for index, new in enumerate(unseen) if new.any()),
            key=lambda index: (-len(parts[index].options), index),
        )
        if not order:
            return chosen
        grown = [_grow(parts, unseen, [start, *order]) for start in order[:GROWN_CANDIDATES]]
        hits = [_hits(parts, unseen, levels) for levels in grown]
        best = max(range(len(grown)), key=lambda candidate: len(hits[candidate]))
        for part, subspace in hits[best]:
            unseen[part][subspace] = False
        chosen.append(tuple(grown[best].get(position, 0) for position in mentioned))


def _grow(parts: Sequence[Partition], unseen: Sequence[BoolArray], order: Sequence[int]) -> dict[int, int]:
    """Levels of some options: partition after partition, the first uncovered cell that still fits."""
    fixed: dict[int, int] = {}
    for index in order:
        part = parts[index]
        free = [position for position in part.options if position not in fixed]
        open_cells = unseen[index][
            part.table[tuple(fixed.get(position, slice(None)) for position in part.options)]
        ]
        if open_cells.any():
            cell = np.unravel_index(int(open_cells.argmax()), open_cells.shape)
            fixed.update((position, int(level)) for position, level in zip(free, cell, strict=True))
    return fixed


def _hits(
    parts: Sequence[Partition], unseen: Sequence[BoolArray], levels: dict[int, int]
) -> list[tuple[int, int]]:
    """The uncovered subspaces that the configuration with these levels covers, as (partition, subspace)."""
    found = []
    for index, (part, new) in enumerate(zip(parts, unseen, strict=True)):
        subspace = int(part.table[tuple(levels.get(position, 0) for position in part.options)])
        if new[subspace]:
            found.append((index, subspace))
    return found
