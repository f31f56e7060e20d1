"""Functions that only parse or check the options: they look at most of them one by one and do next to nothing.

A function that validates all of n switches alone has 2^n subspaces (each decision crosses with all others), and would
ask for as many runs. Its own time does not matter; what it decides is followed all the same.

What tells it from a function that works on what the options have led to: there a statement tests a value that several
options have had a say in, here each statement tests one option. Neither the number of options nor the little that is
counted tells them apart: the function that starts all the work of a program tests everything, and once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from analytics.whitebox.decisions import Decision

# Of the options that any decision tests, and never fewer than `FEWEST`; then of all that was counted.
MOST_OPTIONS = 0.5
FEWEST = 4
LITTLE_WORK = 0.01


def option_parsing(decisions: Iterable[Decision], work: Mapping[str, int]) -> dict[str, str]:
    """The regions that look like it, each with the reason in words.

    Counted are the options of statements that never test more than one at a time, under no other decision. `work` is
    how many events were counted in each region; without any, nothing is known to be negligible.
    """
    tested: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    for decision in decisions:
        tested[decision.region, decision.place].append(decision)
    alone: dict[str, set[int]] = defaultdict(set)
    for (region, _), own in tested.items():
        if all(len(one.data) + len(one.control) <= 1 for one in own):
            alone[region].update(*(one.data for one in own))
    everything = {option for own in tested.values() for one in own for option in one.data}
    total = sum(work.values())
    found = {}
    for region in sorted(alone):
        options = len(alone[region])
        share = work.get(region, 0) / total if total else 1.0
        if options >= max(FEWEST, MOST_OPTIONS * len(everything)) and share <= LITTLE_WORK:
            found[region] = (
                f"tests {options} of {len(everything)} options one by one and does {share:.1%} of what is counted"
            )
    return found


def left_out(found: Mapping[str, str], exclude: Iterable[str], include: Iterable[str]) -> dict[str, str]:
    """The regions that an analysis leaves out, each with the reason: those `found` and to `exclude`, but for `include`."""
    named = dict.fromkeys(exclude, "named in subject.toml")
    kept = set(include)
    return {region: why for region, why in sorted({**found, **named}.items()) if region not in kept}
