"""What the newest analysis of a revision saw of its regions."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from analytics.configurations.formulas import parse, words
from analytics.configurations.options import OptionSpace
from dashboard.access import NotFound, Principal, require
from dashboard.models import Revision, System
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.tracings.rows import RegionOptions, SubspaceText, TracedRegion
from dashboard.selectors.tracings.stored import decisions_in, newest_tracing, steps_in, traced_in


def traced_region(*, principal: Principal, slug: str, region: str, revision: str = "") -> TracedRegion | None:
    """What the newest analysis saw of a region; None where nothing was analyzed, or not this revision.

    Raises `NotFound` for an unknown system or revision. Four queries.
    """
    system = require(principal, slug)
    if revision and not Revision.objects.filter(system=system, name=revision).exists():
        raise NotFound(f"{slug!r} has no revision {revision!r}")
    return traced_region_of(system, region, revision)


def traced_region_of(system: System, region: str, revision: str = "") -> TracedRegion | None:
    """The same for selectors, behind their check. One query where there is none, else two."""
    tracing = newest_tracing(system, revision)
    if tracing is None:
        return None
    found = tracing.found
    space = options_of(system).space
    decisions = decisions_in(found, region)
    reached = set(chain.from_iterable((*one.options, *one.under) for one in decisions))
    return TracedRegion(
        key=region,
        traced=traced_in(tracing),
        options=_ordered(found, reached),
        unreached=_ordered(found, set(found["options"]) - reached),
        decisions=decisions,
        partitions=tuple(_in_words(space, formulas) for formulas in found["partitions"].get(region, ())),
        steps=steps_in(found, region),
    )


def deciding_regions(found: dict[str, Any]) -> tuple[RegionOptions, ...]:
    """The regions whose partition mentions an option; those that most options reach come first."""
    deciding: dict[str, tuple[set[str], int, str]] = {}
    for site in found["sites"]:
        if site["writes"] or not (site["data"] or site["control"]):
            continue
        options, count, file = deciding.get(site["region"], (set(), 0, site["file"]))
        deciding[site["region"]] = options | {*site["data"], *site["control"]}, count + 1, file
    rows = [
        RegionOptions(
            key=region,
            options=_ordered(found, deciding[region][0]) if region in deciding else (),
            decisions=deciding[region][1] if region in deciding else 0,
            partitions=tuple(tuple(formulas) for formulas in partitions),
            file=deciding[region][2] if region in deciding else "",
        )
        for region, partitions in found["partitions"].items()
    ]
    return tuple(sorted(rows, key=lambda row: (-len(row.options), -row.subspaces, row.key)))


def reached_by_region(slug: str, revision: str) -> dict[str, RegionOptions]:
    """The deciding regions of a revision by key; empty where it was not analyzed. Two queries. For selectors."""
    tracing = newest_tracing(System.objects.get(slug=slug), revision)
    return {} if tracing is None else {row.key: row for row in deciding_regions(tracing.found)}


def _in_words(space: OptionSpace, formulas: Iterable[str]) -> tuple[SubspaceText, ...]:
    return tuple(SubspaceText(text, words(parse(text), space)) for text in formulas)


def _ordered(found: dict[str, Any], names: set[str]) -> tuple[str, ...]:
    """Options in the order of the subject's."""
    return tuple(name for name in found["options"] if name in names)
