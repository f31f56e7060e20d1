"""The options that each statement of a program depends on by its decisions.

A statement is (region, "line:column"); (region, "") stands for all of a region, its entries too.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from analytics.whitebox.decisions import Decision, Dependencies, dependencies_of

Statement = tuple[str, str]
# A counter: region, line, column and kind of what is counted.
Site = tuple[str, int, int, str]

WHOLE = ""
# The kinds of counters of a function's entries and of a loop's turns.
ENTRIES = "call"
TURNS = "turn"


def statement_of(decision: Decision) -> Statement:
    """The statement of a decision: its place without the file."""
    return decision.region, ":".join(decision.place.split(":")[-2:])


@lru_cache(maxsize=4)
def dependencies_by_statement(decisions: frozenset[Decision]) -> Mapping[Statement, Dependencies]:
    """The dependencies of each statement by its decisions, and of each region as a whole.

    Kept, because they are asked for several times after each run and runs that only count change none.
    """
    by_statement: dict[Statement, set[Decision]] = defaultdict(set)
    for decision in decisions:
        by_statement[decision.region, WHOLE].add(decision)
        if decision.place:
            by_statement[statement_of(decision)].add(decision)
    return {statement: dependencies_of(own) for statement, own in by_statement.items()}


def options_of(dependencies: Dependencies) -> frozenset[int]:
    """The positions of all options that it mentions."""
    reached = frozenset(position for control, _ in dependencies for position, _ in control)
    return reached | {position for _, position in dependencies if position is not None}
