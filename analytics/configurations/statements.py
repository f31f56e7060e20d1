"""Statements of a program as counts and decisions name them, and what decisions say of configurations.

A statement is (region, "line:column"); (region, "") stands for all of a region, its entries too.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from analytics.configurations.decisions import Decision
from analytics.configurations.options import IntArray

Statement = tuple[str, str]
# Region, line, column and kind of what is counted.
Site = tuple[str, int, int, str]

WHOLE = ""
# The kinds of counts that are of a function's entries, and of a loop's turns.
ENTRY = "call"
TURN = "turn"


def statement_of(decision: Decision) -> Statement:
    """Where a decision is made: its place without the file."""
    return decision.region, ":".join(decision.place.split(":")[-2:])


def counters_of(sites: Sequence[Site]) -> dict[Statement, list[int]]:
    """The positions of the counters of each statement and of each region as a whole; statements in order."""
    found: dict[Statement, list[int]] = defaultdict(list)
    for at, (region, line, column, kind) in enumerate(sites):
        found[region, WHOLE].append(at)
        if kind != ENTRY:
            found[region, f"{line}:{column}"].append(at)
    return dict(sorted(found.items()))


def decisions_of(decisions: Iterable[Decision]) -> dict[Statement, frozenset[Decision]]:
    """The decisions of each statement, and of each region as a whole."""
    found: dict[Statement, set[Decision]] = defaultdict(set)
    for decision in decisions:
        found[decision.region, WHOLE].add(decision)
        if decision.place:
            found[statement_of(decision)].add(decision)
    return {statement: frozenset(own) for statement, own in found.items()}


def options_of(decisions: Iterable[Decision]) -> frozenset[int]:
    """The positions of all options that they mention."""
    return frozenset().union(*(one.options for one in decisions))


def subspaces(decisions: Iterable[Decision], configurations: IntArray) -> IntArray:
    """Which subspace each of the `configurations` (n, n_options) is in, as these decisions say; shape (n,).

    Two are in one subspace if they have one number: each decision says the same of both, as in `partitions_from`.
    """
    reached: dict[object, IntArray] = {}
    columns: dict[object, IntArray] = {}
    for one in decisions:
        if one.control not in reached:
            inside = np.ones(len(configurations), dtype=np.int8)
            for position, level in one.control:
                inside &= configurations[:, position] == level
            reached[one.control] = inside
            columns[one.control, None] = inside
        for position in one.data:
            if (one.control, position) not in columns:
                columns[one.control, position] = reached[one.control] * (configurations[:, position] + 1)
    return numbered(np.column_stack(list(columns.values()))) if columns else _together(len(configurations))


def numbered(rows: IntArray) -> IntArray:
    """A number for each of `rows` (n, m), from 0 on, equal for equal rows; shape (n,)."""
    if not rows.shape[1]:
        return _together(len(rows))
    # Compared as bytes: many times as fast as column by column.
    packed = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.asarray(np.unique(packed.reshape(-1), return_inverse=True)[1].reshape(-1))


def by_statement(
    known: Mapping[Statement, frozenset[Decision]], statements: Iterable[Statement], configurations: IntArray
) -> IntArray:
    """The subspaces of each statement's own decisions; shape (n_statements, n)."""
    found: dict[object, IntArray] = {}
    rows = []
    for statement in statements:
        key = frozenset((one.data, one.control) for one in known.get(statement, ()))
        if key not in found:
            found[key] = subspaces(known.get(statement, ()), configurations)
        rows.append(found[key])
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(configurations))


def _together(n: int) -> IntArray:
    return np.zeros(n, dtype=np.int64)
