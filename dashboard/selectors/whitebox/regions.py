"""What the newest analysis of a revision saw of its regions."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from analytics.configurations.formulas import parse, words
from analytics.configurations.options import OptionSpace
from dashboard.access import NotFound, Principal, require
from dashboard.models import Revision, System
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.rows import LeftOutRegion, RegionOptions, SubspaceText, TracedRegion
from dashboard.selectors.whitebox.stored import decisions_in, newest_tracing, steps_in, traced_in

# Where a function without decisions is called: no statement of its own.
_ENTRY = "entry"


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
    found = tracing.result
    space = options_of(system)
    decisions = decisions_in(found, region)
    reached = set(chain.from_iterable((*one.options, *one.under) for one in decisions))
    counted = counted_options(found).get(region, set()) - reached
    return TracedRegion(
        key=region,
        traced=traced_in(tracing),
        options=_ordered(found, reached),
        counted=_ordered(found, counted),
        unreached=_ordered(found, set(found["options"]) - reached - counted),
        decisions=decisions,
        partitions=tuple(_in_words(space, formulas) for formulas in found["partitions"].get(region, ())),
        steps=steps_in(found, region),
        left_out=found.get("excluded", {}).get(region, ""),
    )


def deciding_regions(found: dict[str, Any]) -> tuple[RegionOptions, ...]:
    """The regions whose partition mentions an option; those that most options reach come first."""
    deciding: dict[str, tuple[set[str], set[tuple[int, int]], str]] = {}
    for site in found["sites"]:
        if site["writes"] or not (site["data"] or site["control"]):
            continue
        options, places, file = deciding.setdefault(site["region"], (set(), set(), site["file"]))
        options.update(site["data"], site["control"])
        if site["kind"] != _ENTRY:
            places.add((site["line"], site["column"]))
    added = counted_options(found)
    rows = []
    for region, partitions in found["partitions"].items():
        options, places, file = deciding.get(region, (set(), set(), ""))
        counted = added.get(region, set()) - options
        rows.append(
            RegionOptions(
                key=region,
                options=_ordered(found, options | counted),
                counted=_ordered(found, counted),
                decisions=len(places),
                partitions=tuple(tuple(formulas) for formulas in partitions),
                file=file,
            )
        )
    return tuple(sorted(rows, key=lambda row: (-len(row.options), -row.subspaces, row.key)))


def counted_options(found: dict[str, Any]) -> dict[str, set[str]]:
    """The options that counts have added to each region, or to a statement of it."""
    added: dict[str, set[str]] = defaultdict(set)
    for one in found.get("missed", ()):
        added[one["region"]].update(one["options"])
    for region, _, options in found.get("statements", ()):
        added[region].update(options)
    return added


def left_out_regions(found: dict[str, Any]) -> tuple[LeftOutRegion, ...]:
    """The regions that only parse options, by key."""
    return tuple(
        LeftOutRegion(
            region,
            _ordered(found, set(chain.from_iterable(one.options for one in decisions_in(found, region)))),
            why,
        )
        for region, why in sorted(found.get("excluded", {}).items())
    )


def reached_by_region(slug: str, revision: str) -> dict[str, RegionOptions]:
    """The deciding regions of a revision by key; empty where it was not analyzed. Two queries. For selectors."""
    tracing = newest_tracing(System.objects.get(slug=slug), revision)
    return {} if tracing is None else {row.key: row for row in deciding_regions(tracing.result)}


def _in_words(space: OptionSpace, formulas: Iterable[str]) -> tuple[SubspaceText, ...]:
    return tuple(SubspaceText(text, words(parse(text), space)) for text in formulas)


def _ordered(found: dict[str, Any], names: set[str]) -> tuple[str, ...]:
    """Options in the order of the subject's."""
    return tuple(name for name in found["options"] if name in names)
