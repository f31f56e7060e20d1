"""What counts say against an analysis: options that taints missed, and counts that nothing explains."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analytics.configurations.options import OptionSpace
from dashboard.access import Principal, require
from dashboard.selectors.histories.series import words
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.stored import newest_tracing

# What a count of each kind is of, in words.
_COUNTED = {
    "call": "entries",
    "if": "times true",
    "else": "times false",
    "turn": "turns",
    "case": "matches",
    "except": "catches",
}


@dataclass(frozen=True, slots=True)
class CountEvidence:
    """Two runs whose counts of one statement, or of a region as a whole, differ, though they should be the same.

    `options` are those in which the runs differ: one, which counts have added to the region, or several, of which at
    least one is missing. `known` are the options that the statement or the region is known to depend on, those added
    too. `evidence` says in words what was counted where: "line 27: 12 turns with A, 14 with A + C".
    """

    region: str
    options: tuple[str, ...]
    known: tuple[str, ...]
    line: int
    counts: tuple[int, int]
    evidence: str


@dataclass(frozen=True, slots=True)
class CountedDependencies:
    """What the counts of an analysis added to regions, and the statements that they leave unexplained."""

    missed: tuple[CountEvidence, ...]
    unexplained: tuple[CountEvidence, ...]


def counted_dependencies(
    *, principal: Principal, slug: str, revision: str = "", region: str = ""
) -> CountedDependencies:
    """Of the newest analysis of a system or of one of its revisions; of one region, or of all. Three queries.

    Empty where there is no analysis. Raises `NotFound` for an unknown system.
    """
    system = require(principal, slug)
    tracing = newest_tracing(system, revision)
    if tracing is None:
        return CountedDependencies((), ())
    space = options_of(system)
    return CountedDependencies(
        *(
            tuple(
                evidence_of(one, space)
                for one in tracing.result.get(key, ())
                if region in ("", one["region"])
            )
            for key in ("missed", "unexplained")
        )
    )


def evidence_of(one: Mapping[str, Any], space: OptionSpace) -> CountEvidence:
    """What an analysis stored of one difference, as a row. For selectors and commands."""
    several = [option.name for option in space.options if len(option.levels) > 2]
    first, second = (
        words(
            space.differing(levels),
            several,
        )
        for levels in one["levels"]
    )
    what = _COUNTED[one["kind"]]
    before, after = one["counts"]
    return CountEvidence(
        region=one["region"],
        options=tuple(one["options"]),
        known=tuple(one["known"]),
        line=one["line"],
        counts=(before, after),
        evidence=f"line {one['line']}: {before} {what} with {first}, {after} with {second}",
    )
