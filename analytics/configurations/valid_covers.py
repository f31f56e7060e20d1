"""Covers under constraints: few valid configurations that cover what valid configurations can."""

from collections.abc import Callable, Sequence

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations

Step = Callable[[Sequence[BoolArray]], IntArray | None]
MAX_LISTED = 1 << 18
_GROWN = 8  # candidates per step, where the valid configurations cannot be listed


def greedy_valid_cover(
    valid: ValidConfigurations, partitions: Sequence[Partition], unseen: Sequence[BoolArray]
) -> IntArray:
    """Few valid configurations that cover each subspace of `unseen` that a valid one belongs to, (n, n_options).

    `unseen` tells for each partition which of its subspaces count. Each step takes the valid configuration that covers
    most of what is left, the first among equals; options that no partition mentions stay at their reference level as
    far as constraints allow. Beyond 2^18 valid configurations each step grows some candidates instead.
    """
    left = [new.copy() for new in unseen]
    mentioned = sorted({position for part in partitions for position in part.options})
    step = _listed(valid, partitions) if valid.count() <= MAX_LISTED else _grown(valid, partitions)
    chosen: list[IntArray] = []
    while (best := step(left)) is not None:
        kept = valid.complete({position: int(best[position]) for position in mentioned})
        row = best if kept is None else kept
        for part, new in zip(partitions, left, strict=True):
            new[part.assign(row[np.newaxis])[0]] = False
        chosen.append(row)
    return np.array(chosen, dtype=np.int8).reshape(len(chosen), len(valid.space.options))


def _listed(valid: ValidConfigurations, partitions: Sequence[Partition]) -> Step:
    """The best of all valid configurations."""
    rows = valid.enumerate(MAX_LISTED)
    subspaces = [np.array(part.assign(rows)) for part in partitions]

    def step(left: Sequence[BoolArray]) -> IntArray | None:
        scores = np.zeros(len(rows), dtype=np.int64)
        for index, new in zip(subspaces, left, strict=True):
            scores += new[index]
        if not scores.size or scores.max() == 0:
            return None
        best: IntArray = rows[int(scores.argmax())]
        return best

    return step


def _grown(valid: ValidConfigurations, partitions: Sequence[Partition]) -> Step:
    """The best of a few configurations, each grown from subspaces that valid configurations have together."""

    def step(left: Sequence[BoolArray]) -> IntArray | None:
        grown: list[tuple[int, IntArray]] = []
        waiting = [(part, index) for part, new in enumerate(left) for index in np.flatnonzero(new)]
        waiting.sort(key=lambda one: (-len(partitions[one[0]].options), one))
        for part, index in waiting:
            row = _grow(valid, partitions, left, (part, int(index)))
            if row is None:
                left[part][index] = False  # no valid configuration belongs to it
                continue
            hits = sum(
                int(new[one.assign(row[np.newaxis])[0]]) for one, new in zip(partitions, left, strict=True)
            )
            grown.append((hits, row))
            if len(grown) == _GROWN:
                break
        return max(grown, key=lambda one: one[0])[1] if grown else None

    return step


def _grow(
    valid: ValidConfigurations,
    partitions: Sequence[Partition],
    left: Sequence[BoolArray],
    start: tuple[int, int],
) -> IntArray | None:
    """A valid configuration of one subspace, and of as many others as fit one after the other."""
    found, fixed = _with_cell(valid, partitions[start[0]], start[1], {})
    if found is None:
        return None
    for part, new in zip(partitions, left, strict=True):
        at = int(part.assign(found[np.newaxis])[0])
        wanted = [at] if new[at] else np.flatnonzero(new).tolist()
        for index in wanted:
            row, more = _with_cell(valid, part, index, fixed)
            if row is not None:
                found, fixed = row, more
                break
    return found


def _with_cell(
    valid: ValidConfigurations, part: Partition, subspace: int, fixed: dict[int, int]
) -> tuple[IntArray | None, dict[int, int]]:
    """A valid configuration with the levels of `fixed` in a subspace, and the levels of both; None without one."""
    for cell in np.argwhere(part.table == subspace):
        levels = dict(zip(part.options, map(int, cell), strict=True))
        if all(fixed.get(position, level) == level for position, level in levels.items()):
            row = valid.complete({**fixed, **levels})
            if row is not None:
                return row, {**fixed, **levels}
    return None, fixed
