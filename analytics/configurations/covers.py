"""Which subspaces a set of configurations covers, and small sets that cover all of them."""

import math
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations

# A valid configuration with some levels, {position: level}; see `ValidConfigurations.complete`.
Complete = Callable[[Mapping[int, int]], IntArray | None]
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


def distinct_subspaces(partitions: Sequence[Partition], configurations: IntArray | None = None) -> int:
    """The number of different sets of configurations among all subspaces of `partitions`.

    Two subspaces are the same if they hold for the same configurations, however they are written. With `configurations`,
    shape (n, n_options), only those count that hold one of them.
    """
    found: set[Hashable] = set()
    for part in distinct_partitions(partitions):
        seen = (
            np.ones(part.n_subspaces, dtype=bool) if configurations is None else covered(part, configurations)
        )
        found.update(identity for identity, is_seen in zip(_identities(part), seen, strict=True) if is_seen)
    return len(found)


def _identities(partition: Partition) -> list[Hashable]:
    """For each subspace its essential options and its cells over them: equal for equal sets only."""
    shape = partition.table.shape
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    order = np.argsort(partition.table, axis=None, kind="stable")
    sizes = np.bincount(partition.table.ravel(), minlength=partition.n_subspaces)
    found: list[Hashable] = []
    for part in np.split(order, np.cumsum(sizes)[:-1]):
        cells = part
        essential = []
        for axis, (size, stride) in enumerate(zip(shape, strides, strict=True)):
            # An option does not matter if the set holds all its levels beside each combination of the others.
            without = cells
            if len(cells) % size == 0:
                without = np.unique(cells - cells // stride % size * stride)
            if len(without) * size == len(cells):
                cells = without
            else:
                essential.append(axis)
        levels = [cells // strides[axis] % shape[axis] for axis in essential]
        options = tuple(partition.options[axis] for axis in essential)
        found.append((options, np.array(levels, dtype=np.int8).tobytes()))
    return found


def greedy_cover(
    space: OptionSpace, partitions: Sequence[Partition], valid: ValidConfigurations | None = None
) -> IntArray:
    """Few configurations that together cover every subspace of `partitions`; shape (n, n_options).

    Each step takes the configuration that covers most subspaces not covered so far, the first one among
    equals. Options that no partition mentions stay at their reference level, as far as constraints allow. Every
    combination of the mentioned options, or every valid configuration, is a candidate while there are at most 2^18;
    beyond, a step intersects subspaces that are compatible, those with most options first (Velez et al., ICSE 2021,
    Sec. III-B).

    With `valid`, over the same options, only valid configurations are chosen, and subspaces without one are left out.
    """
    parts = distinct_partitions(partitions)
    # Of each partition the subspaces that no earlier partition has.
    identities: set[Hashable] = set()
    unseen: list[BoolArray] = []
    for part in parts:
        own = _identities(part)
        unseen.append(np.array([identity not in identities for identity in own], dtype=bool))
        identities.update(own)
    mentioned = sorted({position for part in parts for position in part.options})
    complete = (valid or ValidConfigurations.unconstrained(space)).complete
    shape = tuple(space.sizes[position] for position in mentioned)
    if (math.prod(shape) if valid is None else valid.count()) > MAX_CANDIDATES:
        steps = _grown_steps(parts, unseen, complete)
    elif valid is None:
        # All combinations of the mentioned options, in lexicographic order.
        rows = np.zeros((math.prod(shape), len(space.options)), dtype=np.int8)
        rows[:, mentioned] = np.indices(shape, dtype=np.int8).reshape(len(shape), len(rows)).T
        steps = _listed_steps(rows, parts, unseen)
    else:
        steps = _listed_steps(valid.enumerate(MAX_CANDIDATES), parts, unseen)
    chosen: list[IntArray] = []
    for best in steps:
        kept = complete({position: int(best[position]) for position in mentioned})
        row = best if kept is None else kept
        for part, new in zip(parts, unseen, strict=True):
            new[part.assign(row[np.newaxis])[0]] = False
        chosen.append(row)
    return np.array(chosen, dtype=np.int8).reshape(len(chosen), len(space.options))


def _listed_steps(
    rows: IntArray, parts: Sequence[Partition], unseen: Sequence[BoolArray]
) -> Iterator[IntArray]:
    """The best of `rows`, as long as one covers something that is unseen; whoever takes it marks what is seen."""
    subspaces = [np.array(part.assign(rows)) for part in parts]
    counted = [new.copy() for new in unseen]
    scores = np.zeros(len(rows), dtype=np.int32)
    for index, new in zip(subspaces, unseen, strict=True):
        scores += new[index]
    while scores.size and scores.max() > 0:
        yield rows[int(scores.argmax())]
        for index, old, new in zip(subspaces, counted, unseen, strict=True):
            for seen in np.flatnonzero(old & ~new):
                scores -= index == seen
            old[:] = new


def _grown_steps(
    parts: Sequence[Partition], unseen: Sequence[BoolArray], complete: Complete
) -> Iterator[IntArray]:
    """The best of a few configurations, each grown from unseen subspaces that fit together."""
    while True:
        order = sorted(
            (index for index, new in enumerate(unseen) if new.any()),
            key=lambda index: (-len(parts[index].options), index),
        )
        grown: list[tuple[int, IntArray]] = []
        for start in order:
            row = grow([(parts[index], unseen[index]) for index in (start, *order)], complete)
            if row is None:
                unseen[start][:] = False  # no valid configuration belongs to what is left of it
                continue
            hits = sum(
                int(new[part.assign(row[np.newaxis])[0]]) for part, new in zip(parts, unseen, strict=True)
            )
            grown.append((hits, row))
            if len(grown) == GROWN_CANDIDATES:
                break
        if not grown:
            return
        yield max(grown, key=operator.itemgetter(0))[1]


def grow(open_subspaces: Sequence[tuple[Partition, BoolArray]], complete: Complete) -> IntArray | None:
    """A configuration in an open subspace of the first partition, and in as many of the others as fit one by one.

    Each partition comes with a mask of its open subspaces, shape (n_subspaces,). None where no valid configuration is
    in an open subspace of the first.
    """
    fixed: dict[int, int] = {}
    found: IntArray | None = None
    for part, mask in open_subspaces:
        free = [position for position in part.options if position not in fixed]
        fitting = mask[part.table[tuple(fixed.get(position, slice(None)) for position in part.options)]]
        for cell in np.argwhere(fitting):
            wider = fixed | {position: int(level) for position, level in zip(free, cell, strict=True)}
            row = complete(wider)
            if row is not None:
                fixed, found = wider, row
                break
        if found is None:
            return None
    return found
