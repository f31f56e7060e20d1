"""Functions that only parse or check the options: they decide on most of them and do next to nothing.

A function that validates all of n switches alone has 2^n subspaces (each decision crosses with all others), and would
ask for as many runs. Its own time does not matter; what it decides is followed all the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from analytics.configurations.decisions import Decision

# Of the options that any decision tests, and never fewer than `FEWEST`; of all that was counted.
MOST_OPTIONS = 0.5
FEWEST = 4
LITTLE_WORK = 0.01


def option_parsing(decisions: Iterable[Decision], work: Mapping[str, int]) -> dict[str, str]:
    """The regions that look like it, each with the reason in words.

    `work` is how many events were counted in each region; without any, nothing is known to be negligible.
    """
    tested: dict[str, set[int]] = defaultdict(set)
    for decision in decisions:
        tested[decision.region].update(decision.data)
    everything = set().union(*tested.values())
    total = sum(work.values())
    found = {}
    for region in sorted(tested):
        options = len(tested[region])
        share = work.get(region, 0) / total if total else 1.0
        if options >= max(FEWEST, MOST_OPTIONS * len(everything)) and share <= LITTLE_WORK:
            found[region] = (
                f"tests {options} of {len(everything)} options and does {share:.1%} of what is counted"
            )
    return found


def left_out(found: Mapping[str, str], exclude: Iterable[str], include: Iterable[str]) -> dict[str, str]:
    """The regions that an analysis leaves out, each with the reason: those `found` and to `exclude`, but for `include`."""
    named = dict.fromkeys(exclude, "named in subject.toml")
    kept = set(include)
    return {region: why for region, why in sorted({**found, **named}.items()) if region not in kept}
