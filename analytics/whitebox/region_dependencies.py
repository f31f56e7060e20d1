"""Which options each region depends on, by the result of a white-box analysis: its decisions, entries and counts."""

from collections import defaultdict

from analytics.configurations.options import OptionSpace
from analytics.whitebox.decisions import Decision
from analytics.whitebox.result import WhiteBoxResult


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
    return frozenset(
        Decision.reached(
            region,
            place,
            map(space.position, data),
            map(space.position, levels),
            space.encode([levels])[0],
            entry=entry,
        )
        for region, place, data, levels, entry in reached
    )
