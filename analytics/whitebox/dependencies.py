"""The options that each statement of a program depends on by its decisions, and each region by those and by counts.

A statement is (region, "line:column"); (region, "") stands for all of a region, its entries too.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from analytics.configurations.options import OptionSpace
from analytics.whitebox.decisions import Decision, Dependencies, dependencies_of
from analytics.whitebox.result import WhiteBoxResult

Statement = tuple[str, str]
# A counter: region, line, column and kind of what is counted.
Site = tuple[str, int, int, str]

WHOLE = ""
# The kinds of counters of a function's entries, of a loop's turns and of what is done where a condition does not hold.
ENTRIES = "call"
TURNS = "turn"
OTHERWISE = "else"


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


def counted_options(result: WhiteBoxResult) -> dict[str, set[str]]:
    """The options that counts have added to each region, or to a statement of it."""
    added: dict[str, set[str]] = defaultdict(set)
    for one in result.missed_dependencies:
        added[one.region].update(one.options)
    for region, _, options in result.statements:
        added[region].update(options)
    return added


def candidate_options(result: WhiteBoxResult, space: OptionSpace) -> dict[str, frozenset[int]]:
    """By region the positions of the options that its time may depend on: those of its decisions and entries, and of what led there, and those that counts have added."""
    reached = counted_options(result)
    for region, _, data, levels in result.decisions:
        reached[region].update(data, levels)
    for region, levels in result.entries:
        reached[region].update(levels)
    return {region: frozenset(map(space.position, names)) for region, names in reached.items()}


def reached_decisions(result: WhiteBoxResult, space: OptionSpace) -> frozenset[Decision]:
    """The decisions and entries that traced runs reached, by positions of options."""
    reached = [(*one, False) for one in result.decisions]
    reached += [(region, "", (), levels, True) for region, levels in result.entries]
    # Many decisions stand under the same levels.
    under = {tuple(sorted(one[3].items())): one[3] for one in reached}
    encoded = dict(zip(under, space.encode(under.values()), strict=True))
    return frozenset(
        Decision.reached(
            region,
            place,
            map(space.position, data),
            map(space.position, levels),
            encoded[tuple(sorted(levels.items()))],
            entry=entry,
        )
        for region, place, data, levels, entry in reached
    )
