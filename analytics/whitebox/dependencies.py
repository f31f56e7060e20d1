"""The options that each statement of a program depends on by its decisions, and the subspaces that follow.

A statement is (region, "line:column"); (region, "") stands for all of a region, its entries too.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.decisions import Decision

Statement = tuple[str, str]
# The level that each of some options has wherever a decision is reached; positions and level indices.
Levels = tuple[tuple[int, int], ...]
# Under which levels a statement is reached, and the option whose level matters there; None: no further option does.
Dependencies = frozenset[tuple[Levels, int | None]]
NO_DEPENDENCY: Dependencies = frozenset()
# A counter: region, line, column and kind of what is counted.
Site = tuple[str, int, int, str]

WHOLE = ""
# The kinds of counters of a function's entries and of a loop's turns.
ENTRIES = "call"
TURNS = "turn"


def statement_of(decision: Decision) -> Statement:
    """The statement of a decision: its place without the file."""
    return decision.region, ":".join(decision.place.split(":")[-2:])


def counters_of(sites: Sequence[Site]) -> dict[Statement, list[int]]:
    """The positions of the counters of each statement and of each region as a whole; statements in order."""
    found: dict[Statement, list[int]] = defaultdict(list)
    for at, (region, line, column, kind) in enumerate(sites):
        found[region, WHOLE].append(at)
        if kind != ENTRIES:
            found[region, f"{line}:{column}"].append(at)
    return dict(sorted(found.items()))


@lru_cache(maxsize=4)
def dependencies_by_statement(decisions: frozenset[Decision]) -> Mapping[Statement, Dependencies]:
    """The dependencies of each statement by its decisions, and of each region as a whole.

    Kept, because they are asked for several times after each run and runs that only count change none.
    """
    found: dict[Statement, set[tuple[Levels, int | None]]] = defaultdict(set)
    for decision in decisions:
        own = {(decision.control, position) for position in decision.data} | {(decision.control, None)}
        found[decision.region, WHOLE] |= own
        if decision.place:
            found[statement_of(decision)] |= own
    return {statement: frozenset(own) for statement, own in found.items()}


def options_of(dependencies: Dependencies) -> frozenset[int]:
    """The positions of all options that it mentions."""
    reached = frozenset(position for control, _ in dependencies for position, _ in control)
    return reached | {position for _, position in dependencies if position is not None}


def subspaces(dependencies: Dependencies, configurations: IntArray) -> IntArray:
    """The number of the subspace that each of the `configurations` (n, n_options) is in; shape (n,).

    Two configurations have one number if the dependencies do not tell them apart, as in `partitions_from`.
    """
    reached: dict[Levels, IntArray] = {}
    columns = []
    for control, position in dependencies:
        if control not in reached:
            inside = np.ones(len(configurations), dtype=np.int8)
            for option, level in control:
                inside &= configurations[:, option] == level
            reached[control] = inside
        of = reached[control]
        columns.append(of if position is None else of * (configurations[:, position] + 1))
    return numbered(np.column_stack(columns)) if columns else _together(len(configurations))


def numbered(rows: IntArray) -> IntArray:
    """A number for each of `rows` (n, m), from 0 on, equal for equal rows; shape (n,)."""
    if not rows.shape[1]:
        return _together(len(rows))
    # Compared as bytes: many times as fast as column by column.
    packed = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.asarray(np.unique(packed.reshape(-1), return_inverse=True)[1].reshape(-1))


def subspaces_by_statement(
    dependencies: Mapping[Statement, Dependencies], statements: Iterable[Statement], configurations: IntArray
) -> IntArray:
    """The subspaces of each statement's own decisions; shape (n_statements, n)."""
    found: dict[Dependencies, IntArray] = {}
    rows = []
    for statement in statements:
        own = dependencies.get(statement, NO_DEPENDENCY)
        if own not in found:
            found[own] = subspaces(own, configurations)
        rows.append(found[own])
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(configurations))


def _together(n: int) -> IntArray:
    return np.zeros(n, dtype=np.int64)
